import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { loadAdminKey, storeAdminKey, withAdminKey } from './admin-key.ts';

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');

const GIVEN = 'gwk_given_0123456789abcdef0123456789';

describe('the admin key', () => {
  test('is generated once, and only its hash is stored, readable by the owner', async () => {
    using folder = tempFolder();
    const data = join(folder.path, 'data');
    const first = unwrap(await loadAdminKey(data, undefined));
    unwrap(await storeAdminKey(data, first));
    expect(first.fresh).toMatch(/^gwk_[\w-]{43}$/);
    expect(first.sha256).toBe(sha256(first.fresh ?? ''));
    const [file = ''] = readdirSync(data);
    expect(readFileSync(join(data, file), 'utf8')).not.toContain(first.fresh);
    expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    expect(unwrap(await loadAdminKey(data, undefined))).toEqual({ sha256: first.sha256, fresh: undefined });
  });

  test('of the environment takes precedence, and nothing is written', async () => {
    using folder = tempFolder();
    expect(unwrap(await loadAdminKey(folder.path, ` ${GIVEN}\n`))).toEqual({ sha256: sha256(GIVEN), fresh: undefined });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('of the environment is refused when it is too short, without quoting it', async () => {
    using folder = tempFolder();
    const short = GIVEN.slice(0, 31);
    const refused = await loadAdminKey(folder.path, short);
    expect(refused).toEqual({ ok: false, error: expect.stringContaining('GATEHOUSE_ADMIN_KEY') });
    expect(JSON.stringify(refused)).not.toContain(short);
    expect((await loadAdminKey(folder.path, GIVEN.slice(0, 32))).ok).toBe(true);
  });

  test.for([
    { rule: 'is damaged', text: 'not json' },
    { rule: 'holds no hash', text: '{"sha256": "short"}' },
  ])('is not replaced where its file $rule', async ({ text }) => {
    using folder = tempFolder({ 'admin-key.json': text });
    expect((await loadAdminKey(folder.path, undefined)).ok).toBe(false);
    expect(readFileSync(join(folder.path, 'admin-key.json'), 'utf8')).toBe(text);
  });

  test('cannot be stored where the folder cannot be created', async () => {
    using folder = tempFolder({ file: '' });
    expect((await loadAdminKey(join(folder.path, 'file', 'data'), undefined)).ok).toBe(false);
    expect((await storeAdminKey(join(folder.path, 'file'), { sha256: '', fresh: undefined })).ok).toBe(false);
  });

  test('does not overwrite the one of another process', async () => {
    using folder = tempFolder();
    const [mine, theirs] = [
      unwrap(await loadAdminKey(folder.path, undefined)),
      unwrap(await loadAdminKey(folder.path, undefined)),
    ];
    unwrap(await storeAdminKey(folder.path, theirs));
    expect((await storeAdminKey(folder.path, mine)).ok).toBe(false);
    expect(unwrap(await loadAdminKey(folder.path, undefined)).sha256).toBe(theirs.sha256);
  });

  test('is an entry among the others, in their order', () => {
    const entry = (id: string) =>
      ({ kind: 'organisation', id, workspace: null, generation: 0, digest: '', body: {} }) as never;
    const snapshot = {
      schemaVersion: { major: 1, minor: 0 },
      entries: [entry('config/a/b'), entry('organisation//default')],
    };
    const ids = withAdminKey(snapshot, 'f'.repeat(64)).entries.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids).toHaveLength(3);
    expect(withAdminKey({ ...snapshot, entries: [] }, 'f'.repeat(64)).entries).toHaveLength(1);
  });
});

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { config, key, provider, unwrap, workspace } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSnapshotHolder } from '../../holder.ts';
import { createDiskCopy, type DiskCopy } from './disk-copy.ts';
import { loadDiskCopy } from './load-disk-copy.ts';
import { publication } from './testing.ts';

const HOUR_MS = 3_600_000;
const first = publication({ epoch: 0, version: 1 }, [workspace(), key(), ...provider('a')]);
const second = publication({ epoch: 0, version: 2 }, [
  workspace(),
  key(),
  ...provider('a'),
  config('c', { provider: '@a' }),
]);

let folder: string;
let nowMs: number;
let copy: DiskCopy;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-copy-')), 'deep', 'down');
  nowMs = Date.now();
  copy = open();
});
afterEach(() => rmSync(join(folder, '..', '..'), { recursive: true, force: true }));

const open = (): DiskCopy => createDiskCopy({ folder, maxAgeMs: HOUR_MS, now: () => nowMs });
const { signal } = new AbortController();

async function serve(from: DiskCopy, isWanted = () => true) {
  const snapshots = createSnapshotHolder({ providers: new Map() });
  const problem = await loadDiskCopy({ copy: from, snapshots, isWanted, signal });
  return { problem, version: snapshots.status.version };
}

describe('a copy on disk', () => {
  test('is complete in another process, and readable by its owner only', async () => {
    await copy.save(first.manifest, first.entriesOf);
    expect(unwrap(await open().manifest())).toEqual(first.manifest);
    for (const [digest, text] of first.shards) expect(await open().shard(digest)).toBe(text);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await serve(open())).toEqual({ problem: undefined, version: 1 });
  });

  test('has the bytes that were published, also of names that are numbers', async () => {
    const metadata = { b: 'x', '9': 'x', '10': 'x' };
    const { manifest, shards } = publication({ epoch: 0, version: 1 }, [workspace(), key({ metadata })]);
    await copy.save(manifest, (digest) => JSON.parse(shards.get(digest) ?? '[]'));
    for (const [digest, text] of shards) expect(await open().shard(digest)).toBe(text);
  });

  test('holds nothing of an older one', async () => {
    await copy.save(first.manifest, first.entriesOf);
    await copy.save(second.manifest, second.entriesOf);
    expect(readdirSync(folder)).toHaveLength(1 + second.shards.size);
    expect(await serve(open())).toMatchObject({ version: 2 });
  });

  test('is the old one until the new one is whole', async () => {
    await copy.save(first.manifest, first.entriesOf);
    const failing = (digest: string) => {
      if (!first.shards.has(digest)) throw new Error('boom');
      return first.entriesOf(digest);
    };
    await expect(copy.save(second.manifest, failing)).rejects.toThrow('boom');
    writeFileSync(join(folder, 'manifest.json.tmp'), '{"half');
    expect(await serve(open())).toEqual({ problem: undefined, version: 1 });
  });

  test('is mended by the next save when a file in it is broken', async () => {
    await copy.save(first.manifest, first.entriesOf);
    const [digest = ''] = first.shards.keys();
    writeFileSync(join(folder, `${digest}.json`), '[]');
    expect(await serve(open())).toMatchObject({ problem: expect.any(String), version: undefined });
    await open().save(first.manifest, first.entriesOf);
    expect(await serve(open())).toMatchObject({ version: 1 });
  });

  test.for([
    { rule: 'serves within its age', laterMs: HOUR_MS - 5_000, confirmed: false, version: 1 },
    { rule: 'does not serve beyond it', laterMs: HOUR_MS + 5_000, confirmed: false, version: undefined },
    { rule: 'serves on when it was confirmed', laterMs: HOUR_MS + 5_000, confirmed: true, version: 1 },
  ])('$rule', async ({ laterMs, confirmed, version }) => {
    await copy.save(first.manifest, first.entriesOf);
    nowMs += laterMs;
    if (confirmed) await copy.confirm();
    expect(await serve(open())).toMatchObject({ version });
  });

  test('does not serve when it is not there, or not wanted any more', async () => {
    expect(await serve(copy)).toMatchObject({ problem: expect.any(String), version: undefined });
    await copy.save(first.manifest, first.entriesOf);
    let asked = 0;
    const onlyAtFirst = () => asked++ === 0;
    expect(await serve(copy, onlyAtFirst)).toEqual({ problem: undefined, version: undefined });
  });
});

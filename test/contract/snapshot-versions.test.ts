/**
 * A gateway and an operator of neighbouring releases: `fixtures/<version>` holds what an operator of that schema version has published, and
 * never changes once that version was released.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isObject } from '@gatehouse/crds';
import {
  assembleSnapshot,
  type Manifest,
  parseManifest,
  readShard,
  SCHEMA_VERSION,
  type Snapshot,
  shardDigest,
} from '@gatehouse/crds/snapshot';
import { KEY, sha256, unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { reveal } from '../../gateway/src/lib/secret.ts';
import { PROVIDERS } from '../../gateway/src/providers/register.ts';
import { createSnapshotHolder, type SnapshotHolder } from '../../gateway/src/snapshot/index.ts';

const FIXTURES = new URL('./fixtures/', import.meta.url);
const releases = readdirSync(FIXTURES);

interface Publication {
  readonly manifest: Manifest;
  readonly shards: ReadonlyMap<string, string>;
}

function published(release: string): Publication {
  const read = (file: string): string => readFileSync(new URL(`${release}/${file}`, FIXTURES), 'utf8');
  const manifest = unwrap(parseManifest(read('manifest.json')));
  return { manifest, shards: new Map(manifest.shards.map(({ digest, name }) => [digest, read(`${name}.json`)])) };
}

function toSnapshot({ manifest, shards }: Publication): Snapshot {
  const entriesOf = (digest: string) => unwrap(readShard(shards.get(digest) ?? '', digest));
  const whole = assembleSnapshot(manifest, entriesOf);
  if (!whole.ok) throw new Error('a shard is missing');
  return whole.value;
}

async function load(
  given: Snapshot,
  snapshots = createSnapshotHolder({ providers: PROVIDERS }),
): Promise<SnapshotHolder> {
  await snapshots.load(7, given);
  return snapshots;
}

/** What a newer operator might have made of it: each shard rewritten, and the manifest that names them. */
function rewritten(
  { manifest, shards }: Publication,
  version: { readonly major: number; readonly minor: number },
  change: (entries: unknown[]) => unknown[],
): Publication {
  const texts = manifest.shards.map((ref) => {
    const entries: unknown = JSON.parse(shards.get(ref.digest) ?? '');
    const text = JSON.stringify(change(Array.isArray(entries) ? entries : []));
    return { ref: { ...ref, digest: shardDigest(text) }, text };
  });
  return {
    manifest: { ...manifest, schemaVersion: { ...version }, shards: texts.map(({ ref }) => ref) },
    shards: new Map(texts.map(({ ref, text }) => [ref.digest, text])),
  };
}

describe.for(releases)('what an operator of schema %s has published', (release) => {
  test('is served whole by this gateway', async () => {
    const { current, status } = await load(toSnapshot(published(release)));
    expect(status).toMatchObject({ rejected: undefined, skipped: [] });
    expect(current?.key(sha256(KEY))).toMatchObject({ name: 'main', workspace: 'team-a' });
    expect(reveal(current?.provider('team-a', 'local')?.values.get('api_key') ?? '')).toBe('sk-local');
    expect(current?.provider('team-a', 'shared')).toMatchObject({ workspace: null });
    expect(current?.config('team-a', 'main')?.plan.leafCount).toBe(2);
  });

  test('is served with the members and kinds that a newer minor version has added', async () => {
    const given = published(release);
    const { major, minor } = SCHEMA_VERSION;
    const newer = rewritten(given, { major, minor: minor + 1 }, (entries) => [
      ...entries.map((entry) => (isObject(entry) ? { ...entry, added: true } : entry)),
      {
        kind: 'later',
        id: `later/team-a/p${entries.length}`,
        workspace: 'team-a',
        generation: 1,
        digest: 'd',
        body: {},
      },
    ]);
    const { current, status } = await load(toSnapshot(newer));
    expect(status.rejected).toBeUndefined();
    expect(current?.key(sha256(KEY))).toBeDefined();
  });

  test('keeps serving when a newer major version comes', async () => {
    const given = published(release);
    const snapshots = await load(toSnapshot(given));
    const { major } = SCHEMA_VERSION;
    const newer = toSnapshot(rewritten(given, { major: major + 1, minor: 0 }, (entries) => entries));
    expect((await load(newer, snapshots)).status).toMatchObject({ version: 7, rejected: { version: 7 } });
    expect(snapshots.current?.key(sha256(KEY))).toBeDefined();
  });
});

test('this schema version has fixtures', () => {
  expect(releases).toContain(`v${SCHEMA_VERSION.major}.${SCHEMA_VERSION.minor}`);
});

import { describe, expect, test } from 'vitest';
import {
  assembleSnapshot,
  compareRevisions,
  contentDigest,
  type Manifest,
  manifestName,
  nextRevision,
  parseManifest,
  readShard,
  renderManifest,
  revisionOf,
  shardDigest,
  shardName,
} from './published.ts';
import { SCHEMA_VERSION } from './version.ts';

const digest = 'a'.repeat(64);
const manifest: Manifest = {
  version: 3,
  schemaVersion: { ...SCHEMA_VERSION },
  shards: [{ name: shardName('main', digest), secret: true, digest }],
  publishedAt: 1,
  publisher: 'leader',
};

describe('a manifest', () => {
  test('is read back as it was written, with members of newer minor versions', () => {
    const newer = { ...manifest, schemaVersion: { major: 1, minor: 99, patch: 1 }, later: { a: 1 } };
    for (const given of [manifest, newer])
      expect(parseManifest(renderManifest(given))).toEqual({ ok: true, value: given });
  });

  test.for([
    { rule: 'no JSON', text: '{', code: 'MALFORMED', revision: undefined },
    { rule: 'no version', text: '{}', code: 'MALFORMED', revision: undefined },
    {
      rule: 'a newer major version, whatever it looks like',
      text: '{"version":4,"schemaVersion":{"major":2,"minor":0},"shards":7}',
      code: 'UNREADABLE',
      revision: { epoch: 0, version: 4 },
    },
    {
      rule: 'a name that leads elsewhere',
      text: renderManifest({ ...manifest, shards: [{ name: '../secrets/x', secret: true, digest }] }),
      code: 'MALFORMED',
      revision: { epoch: 0, version: 3 },
    },
    {
      rule: 'a digest that is none',
      text: renderManifest({ ...manifest, shards: [{ name: 'x', secret: true, digest: 'A' }] }),
      code: 'MALFORMED',
      revision: { epoch: 0, version: 3 },
    },
  ])('is refused for $rule', ({ text, code, revision }) => {
    expect(parseManifest(text)).toMatchObject({ ok: false, error: { code, revision } });
  });

  test.for([
    { rule: 'a digest of other shards', over: { digest }, revision: { epoch: 0, version: 3 } },
    { rule: 'an epoch after which there is none', over: { epoch: 2 ** 53 - 1 }, revision: undefined },
    { rule: 'a version after which there is none', over: { version: 2 ** 53 - 1 }, revision: undefined },
  ])('is refused for $rule', ({ over, revision }) => {
    const given = renderManifest({ ...manifest, ...over });
    expect(parseManifest(given)).toMatchObject({ ok: false, error: { code: 'MALFORMED', revision } });
  });

  test('is read back with its epoch and the digest of its content', () => {
    const given = { ...manifest, epoch: 4, digest: contentDigest(manifest) };
    expect(parseManifest(renderManifest(given))).toEqual({ ok: true, value: given });
    expect(revisionOf(given)).toEqual({ epoch: 4, version: 3 });
  });

  test('has a digest of its content, independent of time and formatting', () => {
    const of = contentDigest(manifest);
    expect(contentDigest({ ...manifest, version: 9, publisher: 'other' } as Manifest)).toBe(of);
    expect(contentDigest({ ...manifest, schemaVersion: { major: 1, minor: 99 } })).not.toBe(of);
    expect(contentDigest({ ...manifest, shards: [] })).not.toBe(of);
  });

  test.for([
    { rule: 'a later version comes later', a: [1, 5], b: [1, 6] },
    { rule: 'a later epoch comes later, whatever the version', a: [1, 6], b: [2, 1] },
  ] as const)('is ordered: $rule', ({ a: [e, v], b: [f, w] }) => {
    const [first, second] = [
      { epoch: e, version: v },
      { epoch: f, version: w },
    ];
    expect(compareRevisions(first, second)).toBeLessThan(0);
    expect(compareRevisions(second, first)).toBeGreaterThan(0);
    expect(compareRevisions(first, { ...first })).toBe(0);
  });

  test('is followed by the next version, or by the next epoch after the last version', () => {
    expect(nextRevision({ epoch: 3, version: 7 })).toEqual({ epoch: 3, version: 8 });
    expect(nextRevision({ epoch: 3, version: 2 ** 48 })).toEqual({ epoch: 4, version: 1 });
  });

  test('and shards have valid names of Kubernetes objects', () => {
    expect([manifestName('main'), shardName('main', digest)]).toEqual([
      'main-snapshot',
      `main-shard-${'a'.repeat(16)}`,
    ]);
  });
});

describe('a shard', () => {
  test.for([
    { rule: 'another text', text: '[] ', of: '[]' },
    { rule: 'no list', text: '{}', of: '{}' },
    { rule: 'no JSON', text: '[', of: '[' },
    { rule: 'something that is no entry', text: '[1]', of: '[1]' },
  ])('is refused for $rule', ({ text, of }) => {
    expect(readShard(text, shardDigest(of))).toMatchObject({ ok: false, error: expect.any(String) });
  });
});

test('a Snapshot with a missing shard is refused', () => {
  expect(assembleSnapshot(manifest, () => undefined)).toEqual({ ok: false, error: [digest] });
  expect(assembleSnapshot(manifest, () => [])).toEqual({
    ok: true,
    value: { schemaVersion: manifest.schemaVersion, entries: [] },
  });
});

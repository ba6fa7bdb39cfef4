import { describe, expect, test } from 'vitest';
import {
  assemble,
  type Manifest,
  manifestName,
  parseManifest,
  readShard,
  renderManifest,
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
  test('comes back as it was written, with members of newer minor versions', () => {
    const newer = { ...manifest, schemaVersion: { major: 1, minor: 99, patch: 1 }, later: { a: 1 } };
    for (const given of [manifest, newer])
      expect(parseManifest(renderManifest(given))).toEqual({ ok: true, value: given });
  });

  test.for([
    { rule: 'no JSON', text: '{', code: 'MALFORMED', version: undefined },
    { rule: 'no version', text: '{}', code: 'MALFORMED', version: undefined },
    {
      rule: 'a newer major version, whatever it looks like',
      text: '{"version":4,"schemaVersion":{"major":2,"minor":0},"shards":7}',
      code: 'UNREADABLE',
      version: 4,
    },
    {
      rule: 'a name that leads elsewhere',
      text: renderManifest({ ...manifest, shards: [{ name: '../secrets/x', secret: true, digest }] }),
      code: 'MALFORMED',
      version: 3,
    },
    {
      rule: 'a digest that is none',
      text: renderManifest({ ...manifest, shards: [{ name: 'x', secret: true, digest: 'A' }] }),
      code: 'MALFORMED',
      version: 3,
    },
  ])('is refused for $rule', ({ text, code, version }) => {
    expect(parseManifest(text)).toMatchObject({ ok: false, error: { code, version } });
  });

  test('and shards have names that are objects of Kubernetes', () => {
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

test('a Snapshot is whole or it is none', () => {
  expect(assemble(manifest, () => undefined)).toEqual({ ok: false, error: [digest] });
  expect(assemble(manifest, () => [])).toEqual({
    ok: true,
    value: { schemaVersion: manifest.schemaVersion, entries: [] },
  });
});

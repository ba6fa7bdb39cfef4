import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnyEntry, type KeysFrame, keyFrames, parseKeysFrame } from './index.ts';

const HASH = 'a'.repeat(64);

const key = (name: string, more: object = {}): AnyEntry => ({
  kind: 'key',
  id: `key/team/${name}`,
  workspace: 'team',
  generation: 1,
  digest: name,
  body: {
    name,
    sha256: [HASH],
    scopes: ['configs.list'],
    defaults: { allowConfigOverride: true },
    rateLimits: [],
    ...more,
  },
});
const config = (name: string): AnyEntry =>
  ({ kind: 'config', id: `config/team/${name}`, workspace: 'team', generation: 1, digest: name, body: {} }) as AnyEntry; // only its kind is read
const sorted = (entries: readonly AnyEntry[]): AnyEntry[] => [...entries].sort((a, b) => (a.id < b.id ? -1 : 1));

/** What a reader keeps. */
function read(frames: Iterable<KeysFrame>, known = new Map<string, string>()): Map<string, string> {
  for (const { set, gone } of frames) {
    for (const id of gone) known.delete(id);
    for (const { id, body } of set) known.set(id, body.name);
  }
  return known;
}

describe('frames of keys', () => {
  test('begin with all keys, without their limits, and nothing else', () => {
    const previous = { sha256: 'b'.repeat(64), expiresAt: '2026-12-01T00:00:00Z' };
    const entries = sorted([config('c'), key('a', { user: 'ann', expiresAt: '2027-01-01T00:00:00Z', previous })]);
    const body = {
      name: 'a',
      sha256: [HASH],
      previous,
      scopes: ['configs.list'],
      expiresAt: '2027-01-01T00:00:00Z',
      user: 'ann',
    };
    expect([...keyFrames(undefined, entries)]).toEqual([
      { kind: 'keys', set: [{ id: 'key/team/a', workspace: 'team', body }], gone: [], more: false },
    ]);
  });

  test('say that there are no keys, but not that nothing has changed', () => {
    expect([...keyFrames(undefined, [])]).toEqual([{ kind: 'keys', set: [], gone: [], more: false }]);
    expect([...keyFrames([], [config('c')])]).toEqual([]);
  });

  test('are many for many keys, and only the last one has no more', () => {
    const entries = Array.from({ length: 2_500 }, (_, i) => key(String(i).padStart(4, '0')));
    const frames = [...keyFrames(undefined, entries)];
    expect(frames.map(({ set, more }) => [set.length, more])).toEqual([
      [1000, true],
      [1000, true],
      [500, false],
    ]);
    expect([...keyFrames(entries, [])].map(({ gone, more }) => [gone.length, more])).toEqual([
      [1000, true],
      [1000, true],
      [500, false],
    ]);
  });

  test('lead from any list to any other', () => {
    const names = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 });
    const world = fc.tuple(names, names).map(([keys, others]) => ({ keys, others }));
    fc.assert(
      fc.property(world, world, fc.func(fc.boolean()), (first, second, isSame) => {
        const before = sorted([...first.keys.map((name) => key(name)), ...first.others.map(config)]);
        const kept = new Map(before.map((entry) => [entry.id, entry]));
        const made = [...second.keys.map((name) => key(name)), ...second.others.map(config)];
        const after = sorted(made.map((entry) => (isSame(entry.id) ? (kept.get(entry.id) ?? entry) : entry)));
        const wanted = [...second.keys].sort();
        expect([...read(keyFrames(before, after), read(keyFrames(undefined, before))).values()].sort()).toEqual(wanted);
        expect([...keyFrames(after, after)]).toEqual([]);
      }),
    );
  });

  test('are read as they were written, and refused without their content', () => {
    const [frame] = keyFrames(undefined, [key('a')]);
    expect(parseKeysFrame(JSON.stringify(frame))).toEqual({ ok: true, value: frame });
    for (const text of ['', '{"kind":"keys","set":[{"id":"secret-id"}],"gone":[],"more":false}', '{"kind":"nope"}']) {
      const parsed = parseKeysFrame(text);
      expect(parsed.ok).toBe(false);
      expect(JSON.stringify(parsed)).not.toContain('secret-id');
    }
  });
});

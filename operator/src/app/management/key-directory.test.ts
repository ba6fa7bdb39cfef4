import type { KeyRecord, KeysFrame } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { createFollowedKeys } from './key-directory.ts';

const record = (name: string, ...sha256: string[]): KeyRecord => ({
  id: `key/team/${name}`,
  workspace: 'team',
  body: { name, sha256, scopes: ['configs.list'] },
});
const frame = (set: readonly KeyRecord[], gone: readonly string[] = [], more = false): KeysFrame => ({
  kind: 'keys',
  set,
  gone,
  more,
});

describe('followed keys', () => {
  test('are unknown until a list is complete', () => {
    const keys = createFollowedKeys();
    const take = keys.begin();
    take(frame([record('a', '1')], [], true));
    expect([keys.size, keys.find('1')]).toEqual([undefined, undefined]);
    take(frame([record('b', '2')]));
    expect([keys.size, keys.find('1')?.keyName, keys.find('2')?.keyName]).toEqual([2, 'a', 'b']);
  });

  test('stay as they were while another stream begins, and what it lacks is gone then', () => {
    const keys = createFollowedKeys();
    keys.begin()(frame([record('a', '1'), record('b', '2')]));
    const again = keys.begin();
    again(frame([record('a', '1')], [], true));
    expect(keys.find('2')?.keyName).toBe('b');
    again(frame([]));
    expect([keys.size, keys.find('2')]).toEqual([1, undefined]);
  });

  test('lose the hashes that a key no longer has, and a hash may go to another key', () => {
    const keys = createFollowedKeys();
    const take = keys.begin();
    take(frame([record('a', '1', '2'), record('b', '3')]));
    take(frame([record('a', '2'), record('b', '1', '3')]));
    expect(['1', '2', '3'].map((hash) => keys.find(hash)?.keyName)).toEqual(['b', 'a', 'b']);
    take({ kind: 'ping' });
    take(frame([], ['key/team/b']));
    expect(['1', '2', '3'].map((hash) => keys.find(hash)?.keyName)).toEqual([undefined, 'a', undefined]);
  });

  test('are found by the previous key, until its end, and lose it', () => {
    const keys = createFollowedKeys();
    const take = keys.begin();
    const { id, workspace, body } = record('a', '2');
    take(frame([{ id, workspace, body: { ...body, previous: { sha256: '1', expiresAt: '2027-01-01T00:00:00Z' } } }]));
    expect(['1', '2'].map((hash) => keys.find(hash)?.expiresAtMs)).toEqual([
      Date.UTC(2027, 0, 1),
      Number.POSITIVE_INFINITY,
    ]);
    take(frame([record('a', '2')]));
    expect(['1', '2'].map((hash) => keys.find(hash)?.keyName)).toEqual([undefined, 'a']);
  });
});

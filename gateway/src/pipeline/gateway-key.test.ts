import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { KeyRecord } from '../snapshot/index.ts';
import { findKey, type KeyLookup } from './gateway-key.ts';

const RECORD = { id: 'key/team-a/main', name: 'main' } as KeyRecord; // nothing else is read

/** A Snapshot with these keys, and the hashes it was asked for. */
function lookup(...texts: string[]): KeyLookup & { readonly asked: string[] } {
  const keys = new Set(texts.map((text) => hash('sha256', text)));
  const asked: string[] = [];
  return {
    asked,
    issuer: () => undefined,
    key: (sha256) => {
      asked.push(sha256);
      return keys.has(sha256) ? RECORD : undefined;
    },
  };
}

describe('a gateway key', () => {
  test('is found by its text, with its hash', () => {
    expect(findKey('gwk_a', lookup('gwk_a'))).toEqual({ record: RECORD, sha256: hash('sha256', 'gwk_a') });
  });

  test('is hashed once for each Snapshot', () => {
    const snapshot = lookup('gwk_a', 'gwk_b');
    for (const text of ['gwk_a', 'gwk_b', 'gwk_a', 'gwk_b']) findKey(text, snapshot);
    expect(snapshot.asked).toHaveLength(2);
  });

  test('that a later Snapshot no longer has is not found in it', () => {
    expect(findKey('gwk_a', lookup('gwk_a'))).toBeDefined();
    expect(findKey('gwk_a', lookup('gwk_b'))).toBeUndefined();
  });

  test('stays found once however many unknown ones are tried', () => {
    const snapshot = lookup('gwk_a');
    findKey('gwk_a', snapshot);
    for (let i = 0; i < 20_000; i += 1) findKey(`guess-${i}`, snapshot);
    snapshot.asked.length = 0;
    findKey('gwk_a', snapshot);
    expect(snapshot.asked).toEqual([]);
  });

  test('is found again after more keys than are kept', () => {
    const texts = Array.from({ length: 10_001 }, (_, i) => `gwk_${i}`);
    const snapshot = lookup(...texts);
    for (const text of [...texts, 'gwk_0']) expect(findKey(text, snapshot)?.record).toBe(RECORD);
  });
});

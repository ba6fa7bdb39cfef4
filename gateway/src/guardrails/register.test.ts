import { CHECK_ENTRIES, checkEntryOf } from '@gatehouse/crds/guardrails';
import { expect, test } from 'vitest';
import { CHECKS } from './register.ts';

test('every check of the contract runs, and every check that runs is in the contract', () => {
  expect([...CHECKS.keys()].sort()).toEqual(CHECK_ENTRIES.map(({ id }) => id).sort());
});

test('no two checks share an id or a spelling of it', () => {
  const names = CHECK_ENTRIES.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.map((name) => checkEntryOf(name)?.id)).not.toContain(undefined);
});

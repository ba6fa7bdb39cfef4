import { isKindName, parseResource } from '@gatehouse/crds/kinds';
import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { editedConfig, keysOf, populationOf } from './population.ts';

const PLACES = { organisation: 'org', tenants: ['a', 'b', 'c'] };

test('makes a population of the given number of valid objects with unique names, mostly ApiKeys', () => {
  const objects = [...populationOf(1_000, PLACES), editedConfig('a', 'http://127.0.0.1:1', 'm')];
  expect(objects).toHaveLength(1_001);
  const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { kind, ...object } of objects) {
    if (!isKindName(kind)) throw new Error(`${kind} is not ours`);
    unwrap(parseResource(kind, { kind, ...object }));
  }
  expect(objects.filter(({ kind }) => kind === 'ApiKey').length).toBeGreaterThan(900);
});

test('keys are all different', () => {
  const specs = [...keysOf(1_000, PLACES)].map(({ spec }) => JSON.stringify(spec));
  expect(new Set(specs).size).toBe(1_000);
});

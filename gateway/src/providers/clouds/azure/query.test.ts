import { expect, test } from 'vitest';
import { joinQuery, splitQuery, withoutVersion, withVersion } from './query.ts';

test.for([
  ['', 'v', 'api-version=v'],
  ['a=1', 'v 1', 'a=1&api-version=v%201'],
  ['api-version=own', 'v', 'api-version=own'],
  ['my-api-version=1', 'v', 'my-api-version=1&api-version=v'],
  ['a=1', undefined, 'a=1'],
] as const)('%j with version %j is %j', ([query, version, want]) => {
  expect(withVersion(query, version)).toBe(want);
});

test.for([
  ['api-version=1', ''],
  ['a=1&api-version=1&b=2', 'a=1&b=2'],
  ['a=1', 'a=1'],
] as const)('%j without version is %j', ([query, want]) => {
  expect(withoutVersion(query)).toBe(want);
});

test.for([
  ['/a?b=1?c', ['/a', 'b=1?c']],
  ['/a', ['/a', '']],
] as const)('%s is split at its first question mark', ([target, want]) => {
  expect(splitQuery(target)).toEqual(want);
  expect(joinQuery(want[0], want[1])).toBe(target);
});

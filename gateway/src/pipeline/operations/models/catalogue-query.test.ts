import { expect, test } from 'vitest';
import { readCatalogueQuery } from './catalogue-query.ts';

const MODELS = [
  { model: 'b', slug: 'two', service: 'openai' },
  { model: 'c', slug: 'one', service: 'anthropic' },
  { model: 'a', slug: 'one', service: 'anthropic' },
];
const shownFor = (query: string): string => {
  const { select, page } = readCatalogueQuery(query);
  return page(select(MODELS))
    .map(({ model }) => model)
    .join('');
};

test.for([
  ['', 'bca'],
  ['ai_service=anthropic', 'ca'],
  ['provider=two', 'b'],
  ['provider=%40two', 'b'],
  ['ai_service=openai&provider=one', ''],
  ['sort=name', 'abc'],
  ['sort=name&order=desc', 'cba'],
  ['order=desc', 'cba'],
  ['sort=provider', 'cab'],
  ['sort=ai_service&order=desc', 'bca'],
  ['limit=2', 'bc'],
  ['offset=1', 'ca'],
  ['offset=2&limit=2&sort=name', 'c'],
  ['offset=9', ''],
] as const)('%j shows %j', ([query, shown]) => {
  expect(shownFor(query)).toBe(shown);
});

test.for(['limit=0', 'limit=x', 'limit=', 'limit=10000000', 'offset=-1', 'sort=cost', 'order=up'])(
  '%j is refused by its name',
  (query) => {
    expect(() => readCatalogueQuery(query)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_INVALID', param: query.split('=')[0] }),
    );
  },
);

import { calcPrice, type ModelInfo, waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, test } from 'vitest';
import { readUsage } from '../../usage/index.ts';
import { costOf, createCatalogue } from '../index.ts';
import { compileListed, type ListedModel, matches } from './listed.ts';
import { CATALOGUE_LISTS, CATALOGUE_PROVIDERS, CATALOGUE_SOURCE } from './prices.generated.ts';

const OK = { status: 200 };

/** A name that the library takes for the model, if it has a whole one. */
function nameOf({ match }: ModelInfo): string[] {
  const all = 'or' in match ? match.or : [match];
  return all.flatMap((one) => ('equals' in one ? [one.equals] : []));
}

describe('the catalogue', () => {
  test('costs what its library says, for every model that is named there', async () => {
    const timestamp = new Date(Date.UTC(2026, 8, 1, 12));
    const catalogue = createCatalogue(() => timestamp.getTime());
    const library = (await waitForUpdate()) ?? [];
    const differing: string[] = [];
    let compared = 0;
    for (const [provider, [list = '']] of Object.entries(CATALOGUE_PROVIDERS)) {
      const source = library.find(({ id }) => id === list);
      for (const model of (source?.models ?? []).flatMap(nameOf)) {
        const usage = { input_tokens: 1_000_000, cache_read_tokens: 200_000, output_tokens: 3_000 };
        const want = calcPrice(usage, model, { providerId: list, timestamp })?.total_price ?? Number.NaN;
        const tokens = {
          prompt_tokens: 1_000_000,
          completion_tokens: 3_000,
          prompt_tokens_details: { cached_tokens: 200_000 },
        };
        const { nanoDollars } = costOf(catalogue.find(provider, model), readUsage(tokens), OK);
        compared += 1;
        if (Math.abs(nanoDollars / 1e9 - want) > 1e-8)
          differing.push(`${provider} ${model}: ${nanoDollars / 1e9}, not ${want}`);
      }
    }
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(1_000);
  });

  test('names the library and its version', () => {
    expect(CATALOGUE_SOURCE.library).toBe('@pydantic/genai-prices');
    expect(CATALOGUE_SOURCE.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('has a list for each name of its providers', () => {
    const names = new Set(Object.values(CATALOGUE_PROVIDERS).flat());
    expect([...names].filter((name) => !Object.hasOwn(CATALOGUE_LISTS, name))).toEqual([]);
  });

  test('remembers few of the names that callers make up', () => {
    const catalogue = createCatalogue(() => 0);
    const first = catalogue.find('openai', 'gpt-4o');
    for (let n = 0; n < 2_000; n += 1) expect(catalogue.find('openai', `made-up-${n}`)).toBeUndefined();
    expect(catalogue.find('openai', 'gpt-4o')).toEqual(first);
  });
});

describe('a listed model', () => {
  const row: ListedModel = [
    ['Exact'.toLowerCase(), 'start*', '*end', '*mid*', '/^re-\\d+$/', ['both*', '*sides']],
    { rates: {} },
  ];

  test.for(['exact', 'EXACT', 'start-1', 'an-end', 'a-mid-b', 're-12', 'both-sides'])('has the name %s', (name) => {
    expect(matches(row, name)).toBe(true);
  });

  test.for(['exact-1', 'a-start', 'end-1', 're-x', 'both', 'sides', ''])('has not the name %s', (name) => {
    expect(matches(row, name)).toBe(false);
  });

  const changing: ListedModel = [
    ['m'],
    { rates: { input: '1' } },
    { rates: { input: '2' }, from: '2026-08-17' },
    { rates: { input: '4' }, daily: ['23:00', '01:30'] },
  ];

  test.for([
    { at: '2026-08-16T12:00:00Z', input: 1 },
    { at: '2026-08-17T00:00:00Z', input: 4 },
    { at: '2026-08-17T01:29:59Z', input: 4 },
    { at: '2026-08-17T01:30:00Z', input: 2 },
    { at: '2026-08-17T23:00:00Z', input: 4 },
  ])('has the price of the time $at', ({ at, input }) => {
    expect(compileListed(changing, new Date(at)).rates.input).toBe(input * 1e9);
  });

  test('charges what has no price of its own as what it is part of', () => {
    const { rates } = compileListed([['m'], { rates: { input: '3', output: '9' } }], new Date(0));
    expect(rates).toMatchObject({
      cacheRead: 3e9,
      cacheWrite: 3e9,
      audioInput: 3e9,
      audioOutput: 9e9,
      audioCacheRead: 3e9,
    });
  });
});

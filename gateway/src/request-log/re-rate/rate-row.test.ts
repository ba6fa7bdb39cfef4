import { logRow } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { compilePrice } from '../../cost/index.ts';
import { rateRow } from './rate-row.ts';

/** Two dollars for a million tokens of input. */
const PRICE = compilePrice({ provider: 'openai', model: 'ours', usdPerMillionTokens: { request: '2', response: '3' } });
const PRICES = { prices: { priceOf: () => PRICE }, accountOf: () => ({ provider: 'openai' }) };
const FIT = 100_000_000;

test.each<{ who: string; api_key: string; input: number; kind: string }>([
  { who: 'a sidecar', api_key: 'sidecar/team-a/app', input: FIT, kind: 'changed' },
  { who: 'a sidecar, for more than one may cost,', api_key: 'sidecar/team-a/app', input: FIT + 1, kind: 'left' },
  { who: 'a key, for more than that,', api_key: 'key/team-a/app', input: FIT + 1, kind: 'changed' },
])('a row of $who is $kind', ({ api_key, input, kind }) => {
  const counts = { input_tokens: input, output_tokens: 0, total_tokens: input, reasoning_tokens: 0, cached_tokens: 0 };
  const row = logRow({ ...counts, api_key, decision: { calls: 1, usage: {} } });
  expect(rateRow(row, PRICES, 0).kind).toBe(kind);
});

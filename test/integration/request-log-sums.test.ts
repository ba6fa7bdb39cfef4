/** What rows of the request log add up to: what budgets were charged, whatever became of the requests. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectNothingLeft, startWorld } from '../kit/gateway.ts';
import { account } from '../kit/limited-world.ts';
import { memoryLog } from '../kit/request-log.ts';
import { price } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const MODELS = ['mock-small', 'mock-fail-503', 'mock-fail-400', 'mock-unpriced'] as const;

interface Request {
  readonly models: readonly (typeof MODELS)[number][];
  readonly stream: boolean;
  readonly cached: boolean;
  readonly retry: number;
  readonly text: string;
}

const request: fc.Arbitrary<Request> = fc.record({
  models: fc.array(fc.constantFrom(...MODELS), { minLength: 1, maxLength: 3 }),
  stream: fc.boolean(),
  cached: fc.boolean(),
  retry: fc.constantFrom(0, 1),
  text: fc.constantFrom('one', 'one two three', 'some more words than that'),
});

const configOf = ({ models, cached, retry }: Request): string =>
  JSON.stringify({
    strategy: { mode: 'fallback' },
    targets: models.map((model) => ({
      provider: '@counted',
      override_params: { model },
      retry: { attempts: retry },
      ...(cached && { cache: { mode: 'simple' } }),
    })),
  });

test('rows add up to what budgets were charged, and every request has one final row', async () => {
  const log = memoryLog();
  await using world = await startWorld({
    requestLog: log,
    entries: (mock) => [
      account(mock, 'counted', {
        usageLimits: [
          { name: 'all-tokens', type: 'tokens', limit: 1_000_000_000 },
          { name: 'all-cost', type: 'cost', limit: 1_000_000 },
        ],
      }),
      price('mock-small', { usdPerMillionTokens: { request: '3', response: '7' } }),
    ],
  });
  const requests = fc.sample(request, { numRuns: 24, seed: 7 });
  const answers = await Promise.all(
    requests.map((each) =>
      world.send('/v1/chat/completions', {
        headers: { 'x-gw-config': configOf(each) },
        body: { model: 'm', stream: each.stream, messages: [{ role: 'user', content: each.text }] },
      }),
    ),
  );
  await expectNothingLeft(world);
  const finals = () => log.records.filter(({ row }) => row.is_final);
  await waitFor(() => finals().length === requests.length, { what: 'a final row of each request' });
  const statuses = (list: readonly number[]): readonly number[] => list.toSorted();
  expect(statuses(finals().map(({ row }) => row.status))).toEqual(statuses(answers.map(({ status }) => status)));
  const used = (type: string): number =>
    world.gateway.budgets.usage().find(({ budget }) => budget.type === type)?.used ?? Number.NaN;
  const sum = (of: (row: (typeof log.records)[number]['row']) => number): number =>
    log.records.reduce((total, { row }) => total + of(row), 0);
  expect(sum((row) => row.total_tokens)).toBeGreaterThan(0);
  expect(sum((row) => row.cost_nano ?? 0)).toBeGreaterThan(0);
  expect(sum((row) => row.total_tokens)).toBe(used('tokens'));
  expect(sum((row) => row.cost_nano ?? 0)).toBe(used('cost'));
});

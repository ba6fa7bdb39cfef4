/** The script of Redis and the counter in memory answer the same to any requests. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryBudgetStore, createRedisBudgetStore, type SyncReply } from '../../../gateway/src/budgets/index.ts';
import { hasRedis } from '../../kit/redis.ts';
import { openRedis } from '../stores/harness.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const amount = fc.oneof(fc.nat({ max: 2_000 }), fc.constantFrom(0, MAX - 1, MAX));

/** `period`: how long ago it began, in minutes, or since ever. */
const steps = fc.array(
  fc.record({
    holder: fc.constantFrom('one', 'two', 'three'),
    limit: fc.oneof(fc.nat({ max: 3_000 }), fc.constant(MAX)),
    began: fc.constantFrom(undefined, undefined, 10, 5),
    sequenceStep: fc.constantFrom(1, 1, 1, 0, -1),
    spent: amount,
    held: amount,
    more: amount,
    spare: fc.boolean(),
    leaseMs: fc.constantFrom(0, 600_000),
    knows: fc.constantFrom('nothing', 'generation', 'another'),
    seed: fc.option(fc.record({ isKnown: fc.boolean(), total: amount }), { nil: undefined }),
  }),
  { maxLength: 30 },
);

type Step = ArrayElement<typeof steps>;
type ArrayElement<A> = A extends fc.Arbitrary<(infer E)[]> ? E : never;

/** What a process has been told of the counter. */
interface Known {
  readonly period: number;
  readonly generation: string;
}

const toRequest = ({ began, sequenceStep: _, knows, seed, ...rest }: Step, known: Known, startMs: number) => ({
  ...rest,
  slot: 'team',
  period: { startMs: began === undefined ? 0 : startMs - began * 60_000, endMs: undefined },
  spentIn: known.period,
  generation: { nothing: '', generation: known.generation, another: 'another' }[knows],
  seed: seed && {
    generation: seed.isKnown ? known.generation : 'lost',
    periodStartMs: known.period,
    total: seed.total,
  },
});

const withoutTime = (reply: SyncReply | undefined): object => ({ ...reply, nowMs: 0 });

describe.runIf(hasRedis())('the script of budgets', () => {
  test('answers as the counter in memory does', async () => {
    await using redis = await openRedis();
    const shared = createRedisBudgetStore(redis.connection);
    let counters = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        counters += 1;
        const id = `policy/${counters}`;
        const memory = createMemoryBudgetStore();
        const startMs = Date.now();
        let sequence = 10;
        let known: Known = { period: -1, generation: '' };
        for (const step of given) {
          sequence += step.sequenceStep;
          const request = { ...toRequest(step, known, startMs), id, sequence };
          const [inMemory] = await memory.sync([request]);
          const [inRedis] = await shared.sync([request]);
          expect(withoutTime(inRedis)).toEqual(withoutTime(inMemory));
          if (inMemory?.status === 'done') known = { period: inMemory.periodStartMs, generation: inMemory.generation };
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** What rows add up to is what limits and budgets were told. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCatalogue, createPriceBook } from '../../cost/index.ts';
import { AppError } from '../../errors/index.ts';
import {
  type AttemptFacts,
  createRecorder,
  type FinishedRequest,
  NO_GUARDRAILS,
  NO_VERDICTS,
  type Spent,
} from '../../record/index.ts';
import { sampleAttempt } from '../../record/testing.ts';
import { readUsage } from '../../usage/index.ts';
import type { LogRecord } from '../request-log.ts';
import { createRequestLogSink } from './request-log-sink.ts';

const prices = createPriceBook(
  new Map(),
  createCatalogue(() => 0),
);

interface Sample {
  readonly earlier: readonly AttemptFacts[];
  readonly answering: AttemptFacts;
  readonly answer: { readonly status: number; readonly bytes: Buffer };
  readonly isCut: boolean;
}

const nothing = { answeredModel: undefined, usage: undefined, cost: undefined } as const;

/** An earlier attempt: settled with what it used when the next one began. */
const earlier = fc
  .record({ nanoDollars: fc.nat(), input: fc.nat(1_000), output: fc.nat(1_000), answered: fc.boolean() })
  .map(({ nanoDollars, input, output, answered }) =>
    answered
      ? sampleAttempt({
          status: 446,
          usage: readUsage({ prompt_tokens: input, completion_tokens: output }),
          cost: { nanoDollars, unpriced: false, estimated: false },
        })
      : sampleAttempt({ status: 503, ...nothing }),
  );

const answerOf = (given: { readonly status: number; readonly input: number; readonly output: number }) => ({
  status: given.status,
  bytes: Buffer.from(
    JSON.stringify({ model: 'gpt-4o', usage: { prompt_tokens: given.input, completion_tokens: given.output } }),
  ),
});

const sample: fc.Arbitrary<Sample> = fc.record({
  earlier: fc.array(earlier, { maxLength: 4 }),
  answering: fc
    .record({ cache: fc.constantFrom('MISS' as const, 'HIT' as const), withheld: fc.boolean() })
    .map(({ cache, withheld }) =>
      sampleAttempt({ model: 'gpt-4o', cache, ...(withheld && cache === 'MISS' ? {} : nothing) }),
    ),
  answer: fc
    .record({ status: fc.constantFrom(200, 246, 446, 500), input: fc.nat(5_000), output: fc.nat(5_000) })
    .map(answerOf),
  isCut: fc.boolean(),
});

function finished({ earlier: before, answering, answer, isCut }: Sample, settle: (spent: Spent) => void) {
  return {
    exchange: {
      operation: { id: 'chatComplete', generates: 'text' },
      request: { method: 'POST', path: '/v1/chat/completions', header: () => undefined, headers: () => [] },
      snapshot: { version: 7, organisation: { headersToMask: [] }, prices },
      startedMs: performance.now(),
      trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined },
    },
    answer: {
      status: answer.status,
      body: { kind: 'bytes', bytes: answer.bytes },
      facts: {
        caller: { keyId: 'k1', key: 'app', user: undefined, workspace: 'team' },
        metadata: {},
        requestBytes: 400,
        route: { config: undefined, mode: 'fallback', optionPath: undefined },
        decisions: {
          ...{ cache: undefined, retries: 0, attemptsExhausted: false },
          ...{ limits: NO_VERDICTS, guardrails: NO_GUARDRAILS },
        },
        attempts: [...before, answering],
        answeredBy: answering,
        stream: false,
        error: undefined,
        settlement: { settle },
      },
    },
    sent: { firstByteMs: 0, bytes: answer.bytes.length, error: isCut ? new AppError('CLIENT_CLOSED') : undefined },
  } satisfies FinishedRequest;
}

test('rows of any request add up to what was settled', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 8 }), (samples) => {
      const settled: Pick<Spent, 'usage' | 'cost'>[] = samples.flatMap(({ earlier: before }) => before);
      const records: LogRecord[] = [];
      const recorder = createRecorder({
        sinks: [
          createRequestLogSink({
            log: { add: (record) => void records.push(record), addFeedback: () => undefined },
            ...{ gatewayVersion: '0', headersToMask: new Set() },
          }),
        ],
        onSinkError: ({ error }) => {
          throw error;
        },
      });
      for (const each of samples) recorder.finish(finished(each, (spent) => void settled.push(spent)));
      const sum = <T>(list: readonly T[], of: (item: T) => number): number =>
        list.reduce((total, item) => total + of(item), 0);
      const rows = records.map(({ row }) => row);
      expect(rows.filter(({ is_final }) => is_final)).toHaveLength(samples.length);
      expect(sum(rows, (row) => row.cost_nano ?? 0)).toBe(sum(settled, ({ cost }) => cost?.nanoDollars ?? 0));
      expect(sum(rows, (row) => row.total_tokens)).toBe(sum(settled, ({ usage }) => usage?.total ?? 0));
      expect(sum(rows, (row) => row.input_tokens)).toBe(sum(settled, ({ usage }) => usage?.input ?? 0));
    }),
  );
});

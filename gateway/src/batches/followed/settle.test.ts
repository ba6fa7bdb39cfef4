import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../lib/cancellation.ts';
import type { Answer } from '../../pipeline/index.ts';
import type { FollowedBatch, FollowedLease } from '../followed-store.ts';
import { FOLLOW_TIMING, type SettlePorts, settleFollowed } from './settle.ts';

const NOW = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;

const followed: FollowedBatch = {
  ...{ id: 'a'.repeat(64), workspace: 'team-a', slug: 'openai', batch: 'batch/1', metadata: '{}', traceId: 't' },
  key: { id: 'key/team-a/main', name: 'main' },
  createdAt: NOW - 60_000,
};

interface AnswerOf {
  readonly status: number;
  readonly body: object;
  readonly code?: string | undefined;
  readonly retryAfterMs?: number;
  readonly param?: string;
}

interface Given {
  readonly createdAt?: number;
  readonly number?: number;
  /** Status and body of answers, by the end of the path. */
  readonly answers?: Readonly<Record<string, AnswerOf>>;
  /** Others have counted rows of the output. */
  readonly isRaced?: boolean;
}

async function settled({ createdAt = followed.createdAt, number = 1, answers = {}, isRaced = false }: Given) {
  const done: string[] = [];
  const asked: string[] = [];
  const lease: FollowedLease = {
    followed: { ...followed, createdAt },
    number,
    renew: async () => undefined,
    later: async (atMs) => void done.push(`after ${atMs - NOW}`),
    end: async () => void done.push('ended'),
  };
  const ports = {
    ...{ now: () => NOW, timing: FOLLOW_TIMING, spans: undefined },
    logger: { warn: (_facts: object, message: string) => void done.push(message) },
    snapshots: { current: { workspace: (name: string) => ({ name }), keyById: () => undefined } },
    inFlight: { add: () => undefined, remove: () => undefined },
    openMemory: () => ({ take: () => true, give: () => undefined, clear: () => undefined, close: () => undefined }),
    openCharges: () => ({ budgets: { reserve: () => expect.unreachable() }, tell: async () => true }),
    recorder: { finish: () => expect.unreachable() },
    jobs: { countRows: async () => !isRaced },
    pipeline: {
      handle: async ({ request, settlement }: Parameters<SettlePorts['pipeline']['handle']>[0]) => {
        asked.push(request.path);
        if (request.path.endsWith('/output')) await settlement?.marks.claim('output', { before: 0, rows: 1 });
        const { status, body, code, retryAfterMs, param }: AnswerOf =
          answers[request.path.endsWith('/output') ? 'output' : 'batch'] ?? NOT_FOUND;
        const facts = { error: code === undefined ? undefined : { code, retryAfterMs, param } };
        const bytes = Buffer.from(JSON.stringify(body));
        return { status, headers: {}, body: { kind: 'bytes', bytes }, facts, store: undefined } as unknown as Answer;
      },
    },
  } as unknown as SettlePorts; // what is read of them
  await settleFollowed(lease, ports, new Cancellation());
  return { done, asked };
}

const NOT_FOUND = { status: 404, body: {}, code: undefined };
const batch = (status: unknown) => ({ status: 200, body: { status } });

test.for([
  { rule: 'runs', answers: { batch: batch('in_progress') }, number: 1, want: 'after 15000' },
  { rule: 'runs on', answers: { batch: batch('in_progress') }, number: 3, want: 'after 33750' },
  { rule: 'runs for long', answers: { batch: batch('in_progress') }, number: 5_000, want: 'after 900000' },
  { rule: 'is not found', answers: {}, number: 1, want: 'after 15000' },
  { rule: 'has no status', answers: { batch: batch(7) }, number: 1, want: 'after 15000' },
  {
    rule: 'has an output that cannot be read',
    answers: { batch: batch('completed') },
    number: 1,
    want: 'after 3600000',
  },
  {
    rule: 'has no output',
    answers: { batch: batch('FAILED'), output: { status: 400, body: {}, code: 'BATCH_OUTPUT_MISSING' } },
    number: 1,
    want: 'ended',
  },
  {
    rule: 'has no output yet',
    answers: {
      ...{ batch: batch('completed') },
      output: { status: 400, body: {}, code: 'BATCH_OUTPUT_MISSING', retryAfterMs: 1 },
    },
    number: 1,
    want: 'after 15000',
  },
  {
    rule: 'has errors in place of an output',
    answers: { batch: batch('failed'), output: { status: 200, body: { object: 'list', data: [] } } },
    number: 1,
    want: 'ended',
  },
])('a batch that $rule: $want', async ({ answers, number, want }) => {
  const { done, asked } = await settled({ answers, number });
  expect(done).toEqual([want]);
  expect(asked[0]).toBe('/v1/batches/batch%2F1');
});

test('a batch that has rows and no output that can be read is given up with a warning', async () => {
  const output = { status: 400, body: {}, code: 'BATCH_OUTPUT_MISSING' };
  const { done } = await settled({ answers: { batch: batch('completed'), output } });
  expect(done).toEqual([expect.stringContaining('not counted'), 'ended']);
});

describe('a batch whose output waits for a setting of its account', () => {
  const output = { status: 400, body: {}, code: 'BATCH_OUTPUT_MISSING', param: 'azure_storage_account' };
  const HOUR_MS = 3_600_000;
  const ended = (ms: number): number => (NOW - ms) / 1_000;

  test.for([
    { rule: 'has ended', body: { completed_at: ended(6 * HOUR_MS) }, want: 'after 3600000' },
    { rule: 'has failed', body: { status: 'failed', failed_at: ended(1) }, want: 'after 3600000' },
    { rule: 'was created, if that is all', body: {}, want: 'after 3600000' },
    { rule: 'has ended long ago', body: { completed_at: ended(6 * HOUR_MS + 1_000) }, want: 'ended' },
    { rule: 'was created long ago', body: { completed_at: 'x' }, createdAt: NOW - 7 * HOUR_MS, want: 'ended' },
  ])('is looked at for six hours after it $rule: $want', async ({ body, want, ...given }) => {
    const answers = { batch: { status: 200, body: { status: 'completed', ...body } }, output };
    const { done } = await settled({ ...given, answers });
    expect(done).toEqual([expect.stringContaining(want === 'ended' ? 'not counted' : 'looked for again'), want]);
  });
});

test.for([
  { number: 1, want: 'after 15000' },
  { number: 5_000, want: 'after 900000' },
])(
  'a batch whose output others count, or that has changed, is read again with waits, try $number: $want',
  async ({ number, want }) => {
    const output = { status: 200, body: {} };
    const { done } = await settled({ answers: { batch: batch('completed'), output }, number, isRaced: true });
    expect(done).toEqual([want]);
  },
);

test('a batch is given up after 30 days, with a warning', async () => {
  const { done, asked } = await settled({ createdAt: NOW - 30 * DAY_MS - 1 });
  expect(done).toEqual([expect.stringContaining('not counted'), 'ended']);
  expect(asked).toEqual([]);
});

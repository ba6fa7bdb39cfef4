import { randomUUID } from 'node:crypto';
import type { LogRow } from '@gatehouse/crds/logs';
import { logRow } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Pod } from '../fleet-counters/index.ts';
import { JsonScan } from '../lib/json/index.ts';
import type { Admission, LogFeedback, LogRecord } from '../request-log/index.ts';
import { MAX_ROWS } from './counts.ts';
import { RECORDS_JSON } from './protocol.ts';
import { createRecordsServer, type RecordsServerPorts } from './server.ts';

const NOW = Date.UTC(2026, 0, 31);

interface Given {
  readonly isBusy?: () => boolean;
  readonly admitsFeedback?: () => Admission;
}

function given({ isBusy = () => false, admitsFeedback = () => 'now' }: Given = {}) {
  const added: LogRecord[] = [];
  const judged: LogFeedback[] = [];
  const server = createRecordsServer({
    log: {
      add: (record: LogRecord) => void added.push(record),
      addFeedback: (one: LogFeedback) => void judged.push(one),
      ...{ isBusy, admitsFeedback },
    },
    maxBodyBytes: 256 * 1024,
    onRows: () => undefined,
    now: () => NOW,
  } as unknown as RecordsServerPorts); // tokens are asked by identify alone
  const answer = (
    records: readonly object[],
    { id = randomUUID() as string, pod = podOf('team-a'), feedback = undefined as readonly object[] | undefined } = {},
  ) => server.answer(pod, { id, records, feedback });
  return { added, judged, answer };
}

const podOf = (workspace: string): Pod =>
  ({
    id: `pod-of-${workspace}`,
    workspace,
    snapshot: { organisation: {}, workspace: () => undefined },
  }) as unknown as Pod;

const row = (over: Partial<LogRow> = {}): LogRow => logRow({ api_key: 'sidecar/team-a/app', created_at: NOW, ...over });

/** Counts how many members, or items, of an object are read. */
function counted<T extends object>(target: T): { readonly value: T; readonly reads: () => number } {
  let reads = 0;
  const value = new Proxy(target, {
    get: (from, name) => {
      reads += 1;
      return Reflect.get(from, name);
    },
  });
  return { value, reads: () => reads };
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']));
const units = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1]));

test.each<{ what: string; list: object; in: (list: never) => Partial<LogRow> }>([
  { what: 'metadata', list: many(513), in: (metadata) => ({ metadata }) },
  {
    what: 'limits',
    list: Array(65).fill({ id: 'a', passed: true }),
    in: (limits) => ({ decision: { calls: 1, limits } }),
  },
  { what: 'guardrails', list: Array(65).fill({}), in: (guardrails) => ({ decision: { calls: 1, guardrails } }) },
  {
    what: 'checks of a guardrail',
    list: Array(17).fill('a'),
    in: (failed) => ({
      decision: { calls: 1, guardrails: [{ id: 'a', phase: 'input', verdict: true, ms: 1, failed }] },
    }),
  },
  {
    what: 'parameters',
    list: Array(1_001).fill('a'),
    in: (dropped_params) => ({ decision: { calls: 1, dropped_params } }),
  },
  { what: 'units', list: units(25), in: (given) => ({ decision: { calls: 1, usage: { units: given } } }) },
])('a row with too many $what is refused before they are read', async ({ list, in: rowWith }) => {
  const { added, answer } = given();
  const { value, reads } = counted(list);
  expect(await answer([{ row: row(rowWith(value as never)) }, { row: row() }])).toEqual({ refused: 1 });
  expect(added).toHaveLength(1);
  expect(reads()).toBeLessThan(17);
});

test('a call with too many rows is refused before they are read', async () => {
  const { added, answer } = given();
  const { value, reads } = counted(Array(501).fill({ row: row() }));
  await expect(answer(value)).rejects.toMatchObject({ code: 'PARAMETER_INVALID', param: 'records' });
  expect(reads()).toBeLessThan(17);
  expect(added).toEqual([]);
});

test('others have their turn while a large document is looked at', async () => {
  const { added, answer } = given();
  const content = `{"request":{"body":[${'1,'.repeat(900_000)}1]}}`;
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  expect(await answer([{ row: row(), content }])).toEqual({ refused: 0 });
  isDone = true;
  expect(added.map((record) => record.content === content)).toEqual([true]);
  expect(turns).toBeGreaterThanOrEqual(6); // slices of 256 KiB
});

test('a batch that comes again while it is looked at is taken once', async () => {
  const { added, answer } = given();
  const records = [{ row: row(), content: `{"request":{"body":"${'x'.repeat(600_000)}"}}` }];
  const answers = await Promise.all([answer(records, { id: 'a' }), answer(records, { id: 'a' })]);
  expect(answers).toEqual([{ refused: 0 }, { refused: 0 }]);
  expect(added).toHaveLength(1);
});

test('rows are not taken when the log fills up while they are looked at, and may come again', async () => {
  let isBusy = true;
  const { added, answer } = given({ isBusy: () => isBusy });
  await expect(answer([{ row: row() }], { id: 'a' })).rejects.toMatchObject({ code: 'SIDECAR_BUSY' });
  expect(added).toEqual([]);
  isBusy = false;
  expect(await answer([{ row: row() }], { id: 'a' })).toEqual({ refused: 0 });
  expect(added).toHaveLength(1);
});

test('a row that comes again has the same id, which is that of no row of another pod or workspace', async () => {
  const { added, answer } = given();
  const ofA = row();
  const ofB = row({ ...ofA, workspace: 'team-b', api_key: 'sidecar/team-b/app' });
  await answer([{ row: ofA }]);
  await answer([{ row: { ...ofA, id: ofA.id.toUpperCase() } }]);
  await answer([{ row: ofA }], { pod: { ...podOf('team-a'), id: 'another pod' } });
  await answer([{ row: ofB }], { pod: podOf('team-b') });
  const [first, again, ...others] = added.map((record) => record.row.id);
  expect(again).toBe(first);
  expect(new Set([ofA.id, first, ...others]).size).toBe(4);
  expect([first, ...others].filter((id) => !z.uuid().safeParse(id).success)).toEqual([]);
});

const USAGE = {
  ...{ cache_write: 5, cache_write_hour: 2, text_output: 3 },
  ...{ audio: { input: 1, output: 2, cached: 0 }, image: { input: 0, output: 7, cached: 0 } },
  ...{ units: { web_search: 2 }, images: { count: 1, quality: 'high', size: '1024x1024' } },
};

test('what the cost depends on travels, and the cost that later prices have made does not', async () => {
  const { added, answer } = given();
  const re_rated = { first_cost_nano: 1, first_unpriced: false, at: new Date(NOW).toISOString() };
  const ofUsage = (usage: object) => answer([{ row: row({ decision: { calls: 1, usage, re_rated } }) }]);
  expect([await ofUsage(USAGE), await ofUsage({})]).toEqual([{ refused: 0 }, { refused: 0 }]);
  expect(added.map((record) => record.row.decision)).toEqual([
    { calls: 1, usage: USAGE },
    { calls: 1, usage: {} },
  ]);
});

test.each<{ what: string; usage: object }>([
  { what: 'less than nothing', usage: { cache_write: -1 } },
  { what: 'parts of tokens', usage: { units: { web_search: 0.5 } } },
  { what: 'more than any answer has', usage: { audio: { input: 1e10, output: 0, cached: 0 } } },
  { what: 'a unit with any text as its name', usage: { units: { 'web search': 1 } } },
  { what: 'a size that is any text', usage: { images: { count: 1, size: 'x'.repeat(65) } } },
])('a row that used $what is refused', async ({ usage }) => {
  const { added, answer } = given();
  expect(await answer([{ row: row({ decision: { calls: 1, usage } }) }])).toEqual({ refused: 1 });
  expect(added).toEqual([]);
});

test('the values of a usual batch are no more than a call may have, and those of one large object are', () => {
  const problemOf = (records: readonly object[]) => {
    const bytes = Buffer.from(JSON.stringify({ id: randomUUID(), records }));
    const scan = new JsonScan(bytes, RECORDS_JSON);
    scan.run(bytes.length);
    return scan.problem?.kind;
  };
  const usual = row({ metadata: many(40), decision: { calls: 1, usage: {} } });
  expect(problemOf(Array(MAX_ROWS).fill({ row: usual, content: '{}' }))).toBeUndefined();
  expect(problemOf([{ row: row({ metadata: many(55_000) }) }])).toBe('nodes');
});

const feedback = (over: object = {}): object => ({
  ...{ id: randomUUID(), workspace: 'team-a', trace_id: 't', value: -5, weight: 0.5, metadata: { failedChecks: 'a' } },
  ...{ api_key: 'sidecar/team-a/app', guardrail: 'no-cards', created_at: NOW, ...over },
});

test('feedback of guardrails is that of the workspace of the pod, of no person, and has an id that no pod chooses', async () => {
  const { judged, answer } = given();
  const one = feedback({ key_user: 'ada@example.com', more: 1 });
  expect(await answer([], { id: 'a', feedback: [one] })).toEqual({ refused: 0 });
  expect(await answer([], { id: 'a', feedback: [one] })).toEqual({ refused: 0 });
  expect(judged).toEqual([{ ...feedback({ key_user: null }), id: expect.any(String) }]);
  expect(judged[0]?.id).not.toBe((one as LogFeedback).id);
});

test.each<{ what: string; over: object }>([
  { what: 'of another workspace', over: { workspace: 'team-b' } },
  { what: 'of a key', over: { api_key: 'key/team-a/main' } },
  { what: 'of long ago', over: { created_at: NOW - 90_000_000 } },
  { what: 'with a value that no column takes', over: { value: 11 } },
  { what: 'with a part of a value', over: { value: 0.5 } },
  { what: 'with too much weight', over: { weight: 2 } },
  { what: 'with too much metadata', over: { metadata: many(68) } },
  { what: 'with a long trace', over: { trace_id: 'x'.repeat(257) } },
  { what: 'of nobody', over: { guardrail: null } },
])('feedback $what is refused, the rest of the call is kept', async ({ over }) => {
  const { added, judged, answer } = given();
  expect(await answer([{ row: row() }], { feedback: [feedback(over), feedback()] })).toEqual({ refused: 1 });
  expect([added.length, judged.length]).toEqual([1, 1]);
});

test('too much feedback, and more than a few that are none, are refused with their call', async () => {
  const { added, judged, answer } = given();
  const { value, reads } = counted(Array(501).fill(feedback()));
  await expect(answer([{ row: row() }], { feedback: value })).rejects.toMatchObject({ param: 'feedback' });
  expect(reads()).toBeLessThan(17);
  await expect(answer([{ row: row() }], { feedback: Array(17).fill({}) })).rejects.toMatchObject({ param: 'feedback' });
  expect([added, judged]).toEqual([[], []]);
});

test.each<{ admission: Admission; code: string }>([
  { admission: 'later', code: 'SIDECAR_BUSY' },
  { admission: 'never', code: 'PARAMETER_INVALID' },
])('feedback for which there is room $admission is refused as a whole: $code', async ({ admission, code }) => {
  let now: Admission = admission;
  const { added, judged, answer } = given({ admitsFeedback: () => now });
  const call = { id: 'a', feedback: [feedback()] };
  await expect(answer([{ row: row() }], call)).rejects.toMatchObject({ code });
  expect([added, judged]).toEqual([[], []]);
  now = 'now';
  expect(await answer([{ row: row() }], call)).toEqual({ refused: 0 });
  expect([added.length, judged.length]).toEqual([1, 1]);
});

test('a row of a sidecar of an earlier version lacks what rows have now', async () => {
  const { added, answer } = given();
  const names = ['runtime', 'runtime_version', 'sdk_version'] as const;
  const times = ['request_parsing_ms', 'pre_processing_ms', 'cache_ms', 'response_parsing_ms'] as const;
  const earlier: Record<string, unknown> = { ...row() };
  for (const name of [...names, ...times, 'fell_back']) delete earlier[name];
  const present = row({ runtime: 'node', sdk_version: 'v'.repeat(64), cache_ms: 1.5 });
  const tooLong = row({ sdk_version: 'v'.repeat(65) });
  expect(await answer([{ row: earlier }, { row: present }, { row: tooLong }])).toMatchObject({ refused: 1 });
  expect(
    added.map(({ row: { runtime, sdk_version, cache_ms, fell_back } }) => [runtime, sdk_version, cache_ms, fell_back]),
  ).toEqual([
    [null, null, null, false],
    ['node', 'v'.repeat(64), 1.5, false],
  ]);
});

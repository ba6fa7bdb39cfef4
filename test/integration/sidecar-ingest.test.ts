/** Records that applications tell their sidecar of go to the fleet: docs/behaviour/sidecars.md#request-log. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Received, send } from '../kit/http.ts';
import { memoryLog } from '../kit/request-log.ts';
import { askSidecar, type SidecarWorld, startSidecarWorld } from '../kit/sidecar-world.ts';
import { TEAM } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const LOGS = '/v1/logs';
const SPANS = '/v1/otel/v1/traces';
/** As the fleet knows the pod, also for requests that are passed on. */
const CALLER = `workload/${TEAM}/injected/default`;
let world: SidecarWorld;

beforeAll(async () => {
  world = await startSidecarWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const told = (over: object = {}) => ({
  request: { url: '/v1/chat/completions', provider: 'openai', body: { model: 'gpt-4o' } },
  response: { body: { usage: { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000 } } },
  trace_id: 'told',
  ...over,
});
const spans = (spanId = 'b'.repeat(16)) => {
  const nanos = `${Date.now()}000000`;
  const span = { traceId: 'a'.repeat(32), spanId, startTimeUnixNano: nanos, endTimeUnixNano: nanos, name: 'chat' };
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
};
const startBoth = async (
  options: { readonly requestLog?: ReturnType<typeof memoryLog>; readonly limits?: object } = {},
) => {
  const { requestLog, limits = {} } = options;
  const fleet = await world.startFleet(limits, { requestLog });
  const one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits, records: true });
  return {
    ...{ fleet, one },
    post: (
      path: string,
      body: object | string | Buffer,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Received> =>
      send(one.url + path, {
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: 'Bearer provided-by-gatehouse', ...headers },
      }),
    [Symbol.asyncDispose]: async () => {
      await one[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
    },
  };
};

test('records and spans are rows of the workspace of the pod, packed or not, and the call has none', async () => {
  const requestLog = memoryLog();
  await using both = await startBoth({ requestLog });
  const claim = { workspace: 'team-b', api_key: 'key/team-b/main' };
  const answer = await both.post(LOGS, [told(claim), told({ metadata: claim })]);
  expect([answer.status, answer.text]).toEqual([200, 'ok']);
  const packed = gzipSync(JSON.stringify(told()));
  expect((await both.post(LOGS, packed, { 'content-encoding': 'gzip' })).status).toBe(200);
  const traced = await both.post(SPANS, spans());
  expect([traced.status, traced.json()]).toEqual([200, {}]);
  expect(requestLog.records.map(({ row }) => [row.workspace, row.api_key, row.source, row.trace_id])).toEqual([
    ...Array(3).fill([TEAM, CALLER, 'log', 'told']),
    [TEAM, CALLER, 'log', 'a'.repeat(32)],
  ]);
  expect(requestLog.records[0]?.row.cost_nano).toBe(2_500_000);
  expect((await askSidecar(both.one)).status).toBe(200);
  await waitFor(() => requestLog.records.length > 4, { what: 'the row of a request' });
  expect(requestLog.records.slice(4).map(({ row }) => row.source)).toEqual(['unified']);
});

test('what the fleet refuses is refused as a whole, with its words', async () => {
  const requestLog = memoryLog();
  await using both = await startBoth({ requestLog });
  const wrong = await both.post(LOGS, [told(), told({ request: { method: 'POST' } })]);
  expect([wrong.status, wrong.json().error.param]).toEqual([400, '[1].request.url']);
  const broken = await both.post(SPANS, '{"resourceSpans":7}');
  expect([broken.status, broken.json().code]).toEqual([400, 3]);
  const large = await both.post(LOGS, told({ pad: 'x'.repeat(9 * 1024 * 1024) }));
  expect([large.status, large.json().error.code]).toEqual([413, 'body_too_large']);
  expect(requestLog.records).toEqual([]);
});

test('budgets that are asked for are those of the fleet', async () => {
  const limits = { usageLimits: [{ name: 'main', type: 'tokens', limit: 1_500 }] };
  await using both = await startBoth({ requestLog: memoryLog(), limits });
  const headers = { 'x-gw-override-service-log-usage': 'true' };
  const statuses: number[] = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await both.post(LOGS, told(), headers)).status);
  expect(statuses).toEqual([200, 200, 412]);
});

test('without a log of the fleet the answer is 501, and while the fleet is away 503, in the words of the call', async () => {
  const gone = await startBoth({ requestLog: memoryLog() });
  await gone.fleet[Symbol.asyncDispose]();
  const answers = [await gone.post(LOGS, told()), await gone.post(SPANS, spans())];
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect([answers[0]?.json().error.code, answers[1]?.json().code]).toEqual(['fleet_unavailable', 14]);
  await gone.one[Symbol.asyncDispose]();
  await using plain = await world.startSidecar({ pod: 'web-1', url: undefined, limits: {} });
  const headers = { 'content-type': 'application/json' };
  const off = await send(plain.url + LOGS, { body: JSON.stringify(told()), headers });
  expect([off.status, off.json().error.code]).toEqual([501, 'request_log_off']);
});

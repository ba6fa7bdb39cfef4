/** Sidecars send rows of the request log to their fleet: docs/behaviour/sidecars.md#request-log. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import type { World } from '../kit/gateway.ts';
import { type Received, send } from '../kit/http.ts';
import { logRow } from '../kit/log-row.ts';
import { type MemoryLog, memoryLog } from '../kit/request-log.ts';
import { askSidecar, FLEET_TLS, type SidecarWorld, startSidecarWorld } from '../kit/sidecar-world.ts';
import { config, guardrail, organisation, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const PATH = '/sidecars/v1/records';
const WRITTEN = 'gatehouse_request_log_written_total';
const DROPPED = 'gatehouse_request_log_dropped_total';
const ROWS = 'gatehouse_sidecar_log_rows_total';
let world: SidecarWorld;

beforeAll(async () => {
  world = await startSidecarWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

describe('a request that stays in the pod', () => {
  test('has its row and its document in the log of the fleet, once', async () => {
    const requestLog = memoryLog();
    await using fleet = await world.startFleet({}, { requestLog });
    await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits: {}, records: true });
    expect((await askSidecar(one)).status).toBe(200);
    const [record, ...others] = await requestLog.next();
    expect(others).toEqual([]);
    expect(record?.row).toMatchObject({
      ...{ workspace: TEAM, api_key: `sidecar/${TEAM}/app`, key_user: null, account: 'local', status: 200 },
      ...{ operation: 'chatComplete', model: 'mock-small', is_final: true },
    });
    expect(JSON.parse(record?.content ?? '')).toMatchObject({ request: { body: { messages: [{ content: 'hi' }] } } });
    expect(record?.content).not.toContain('sk-local');
    await waitFor(async () => (await one.metric(WRITTEN)) === 1, { what: 'the row counted as written' });
    expect(await fleet.metric(ROWS, { result: 'accepted' })).toBe(1);
  });

  test('has a row alone where the workspace keeps no bodies, and one that goes to the fleet has the row of the fleet', async () => {
    const requestLog = memoryLog();
    await using fleet = await world.startFleet({}, { requestLog });
    await using one = await world.startSidecar({
      ...{ pod: 'web-0', url: fleet.url, limits: {}, records: true },
      more: [organisation({ logging: { bodies: 'none' } })],
    });
    expect((await askSidecar(one)).status).toBe(200);
    expect((await requestLog.next()).map(({ content }) => content)).toEqual([undefined]);
    expect((await askSidecar(one, '@shared/mock-small')).status).toBe(200);
    const [row] = await requestLog.next();
    expect(row?.row).toMatchObject({ account: 'shared', workspace: TEAM });
    expect((await askSidecar(one)).status).toBe(200);
    expect((await requestLog.next()).map(({ row: { account } }) => account)).toEqual(['local']);
  });

  test('has the feedback of its guardrails there', async () => {
    const requestLog = memoryLog();
    await using fleet = await world.startFleet({}, { requestLog });
    const judge = guardrail('polite', [{ id: 'default.contains', parameters: { words: ['hi'], operator: 'any' } }], {
      onSuccess: { value: 7, weight: 0.5, metadata: { by: 'team' } },
    });
    const asking = config('judged', { inputGuardrails: ['polite'] });
    await using one = await world.startSidecar({
      ...{ pod: 'web-0', url: fleet.url, limits: {}, records: true, more: [judge, asking] },
    });
    const body = { model: '@local/mock-small', messages: [{ role: 'user', content: 'hi' }] };
    const headers = { 'x-gw-config': 'judged', 'x-gw-trace-id': 'judged-1' };
    expect((await send(`${one.url}/v1/chat/completions`, { headers, body })).status).toBe(200);
    await waitFor(() => requestLog.feedback.length === 1, { what: 'the feedback' });
    expect(requestLog.feedback[0]).toMatchObject({
      ...{ workspace: TEAM, trace_id: 'judged-1', api_key: `sidecar/${TEAM}/app`, key_user: null },
      ...{ value: 7, weight: 0.5, guardrail: 'polite' },
      metadata: { by: 'team', successfulChecks: 'default.contains', failedChecks: '', erroredChecks: '' },
    });
  });

  test('is not recorded where the fleet keeps no log', async () => {
    await using fleet = await world.startFleet({});
    await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits: {} });
    expect((await askSidecar(one)).status).toBe(200);
    expect(await one.metric('gatehouse_request_log_waiting_bytes')).toBe(0);
    expect((await send(`${one.url}${PATH}`, { body: {} })).status).toBe(404);
  });
});

describe('while the fleet is away', () => {
  test('rows wait in the sidecar, and arrive when it is back', async () => {
    const atPort = { ...FLEET_TLS, PORT: String(await freePort()) }; // nobody else gets it while the fleet is away
    const gone = await world.startFleet({}, { requestLog: memoryLog(), env: atPort });
    const { url } = gone;
    await using one = await world.startSidecar({ pod: 'web-0', url, limits: {}, records: true });
    await gone[Symbol.asyncDispose]();
    const answers = [await askSidecar(one), await askSidecar(one)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await waitFor(() => one.logs.some(({ msg }) => msg === 'Request log could not be written'), { what: 'a failure' });
    const requestLog = memoryLog();
    await using back = await world.startFleet({}, { requestLog, env: atPort });
    await waitFor(() => requestLog.records.length === 2, { what: 'the rows that waited' });
    await waitFor(async () => (await one.metric(WRITTEN)) === 2, { what: 'rows counted as written' });
    expect(await one.metric(DROPPED)).toBe(0);
    expect(await back.metric(ROWS, { result: 'accepted' })).toBe(2);
  });

  test('more than the bound of the sidecar is dropped, the oldest first, and counted', async () => {
    const gone = await world.startFleet({}, { requestLog: memoryLog() });
    await using one = await world.startSidecar({
      ...{ pod: 'web-0', url: gone.url, limits: {}, records: true },
      env: { GATEHOUSE_LOGS_QUEUE_BYTES: '1048576', GATEHOUSE_LOGS_BODY_BYTES: '262144' },
    });
    await gone[Symbol.asyncDispose]();
    const content = 'x'.repeat(200_000);
    for (let i = 0; i < 8; i += 1) {
      const body = { model: '@local/mock-small', messages: [{ role: 'user', content }] };
      const answer = await send(`${one.url}/v1/chat/completions`, { body });
      expect(answer.status).toBe(200);
    }
    await waitFor(async () => (await one.metric(DROPPED, { reason: 'queue_full' })) > 0, { what: 'rows dropped' });
    expect(await one.metric('gatehouse_request_log_waiting_bytes')).toBeLessThanOrEqual(1_048_576);
  });
});

describe('a hostile pod', () => {
  let fleet: World;
  let isBusy = false;
  let log: MemoryLog;
  beforeAll(async () => {
    log = { ...memoryLog(), isBusy: () => isBusy };
    fleet = await world.startFleet({}, { env: {}, requestLog: log, more: [workspace('quiet')] });
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  const row = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
    ...logRow({ api_key: `sidecar/${TEAM}/app`, created_at: Date.now() }),
    ...over,
  });
  let batches = 0;
  const call = async (records: readonly object[], options: { token?: string; id?: string } = {}): Promise<Received> => {
    batches += 1;
    return send(fleet.url + PATH, {
      headers: { 'x-gw-api-key': options.token ?? (await world.tokenOf('evil')) },
      body: { id: options.id ?? `batch-${batches}`, records },
    });
  };

  test.each<{ what: string; over: Record<string, unknown> }>([
    { what: 'of another workspace', over: { workspace: 'team-b' } },
    { what: 'of no workspace', over: { workspace: null } },
    { what: 'in the name of the organisation', over: { workspace: '' } },
    { what: 'of a key', over: { api_key: 'key/app' } },
    { what: 'of a sidecar of another workspace', over: { api_key: 'sidecar/team-b/app' } },
    { what: 'of a sidecar of a workspace whose name is longer', over: { api_key: `sidecar/${TEAM}-2/app` } },
    { what: 'without a caller', over: { api_key: null } },
    { what: 'of long ago, whose day would have tables', over: { created_at: Date.now() - 90_000_000 } },
    { what: 'of tomorrow', over: { created_at: Date.now() + 86_400_000 } },
    { what: 'with a sum that no database holds', over: { cost_nano: Number.MAX_SAFE_INTEGER } },
    { what: 'that takes costs back', over: { cost_nano: -1 } },
    { what: 'with a number that is none', over: { response_ms: 'x' } },
    { what: 'with a long text', over: { model: 'x'.repeat(2_000) } },
    { what: 'that no UUID names', over: { id: 'x' } },
    { what: 'with nested metadata', over: { metadata: { a: { b: 'c' } } } },
    { what: 'sent by a client to the log', over: { source: 'log' } },
  ])('writes no row $what', async ({ over }) => {
    const answer = await call([{ row: row(over) }, { row: row({ trace_id: 'good' }) }]);
    expect([answer.status, answer.json()]).toEqual([200, { refused: 1 }]);
    expect((await log.next()).map((record) => record.row.trace_id)).toEqual(['good']);
    expect(log.records).toEqual([]);
  });

  test('writes in the workspace of its token, as no person, and says nothing of where documents are', async () => {
    const forged = row({ key_user: 'ada@example.com', document: 'https://evil.example', more: 1 });
    expect((await call([{ row: forged }])).json()).toEqual({ refused: 0 });
    const [record] = await log.next();
    expect(record?.row).toMatchObject({ workspace: TEAM, key_user: null, document: 'none' });
    expect(record?.row).not.toHaveProperty('more');
    const ofB = await world.tokenOf('evil', 'apps-of-b');
    expect((await call([{ row: row() }], { token: ofB })).json()).toEqual({ refused: 1 });
    expect(log.records).toEqual([]);
  });

  test.each<{ what: string; content: string }>([
    { what: 'no JSON', content: '{"request":' },
    { what: 'no object', content: '[]' },
    { what: 'of another form', content: '{"request":"x"}' },
    { what: 'too deep for its readers', content: `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}` },
  ])('keeps no document that is $what', async ({ content }) => {
    expect((await call([{ row: row(), content }])).json()).toEqual({ refused: 0 });
    expect((await log.next()).map((record) => record.content)).toEqual([undefined]);
  });

  test('is refused with rows that are none, too many of them, or too large a call', async () => {
    expect((await call(Array(17).fill({ row: {} }))).status).toBe(400);
    expect((await call([...Array(17).fill({ row: {} }), { row: row() }])).status).toBe(400);
    expect((await call(Array(501).fill({}))).status).toBe(400);
    expect((await call([{ row: row(), content: 'x'.repeat(2 * 1024 * 1024) }])).status).toBe(413);
    expect(log.records).toEqual([]);
  });

  test.each<{ who: string; token: () => Promise<string>; status: number }>([
    { who: 'without a pod', token: () => world.tokenOf(undefined), status: 403 },
    { who: 'of a namespace without sidecars', token: () => world.tokenOf('evil', 'elsewhere'), status: 403 },
    { who: 'with a text that is no token', token: async () => 'gwk_nothing', status: 401 },
  ])('$who writes nothing', async ({ token, status }) => {
    expect((await call([{ row: row() }], { token: await token() })).status).toBe(status);
    expect(log.records).toEqual([]);
  });

  test('that had no answer may send a batch again: it is kept once, and another pod has names of its own', async () => {
    const records = [{ row: row() }];
    const answers = [await call(records, { id: 'again' }), await call(records, { id: 'again' })];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await log.next()).toHaveLength(1);
    expect(log.records).toEqual([]);
    await call(records, { id: 'again', token: await world.tokenOf('other') });
    expect(await log.next()).toHaveLength(1);
    expect(await fleet.metric(ROWS, { result: 'repeated' })).toBe(1);
  });

  test('waits with its rows while the log of the fleet is behind', async () => {
    isBusy = true;
    const answer = await call([{ row: row() }]);
    isBusy = false;
    expect([answer.status, answer.json().error.code]).toEqual([429, 'sidecar_busy']);
    expect(log.records).toEqual([]);
  });
});

/** Records that clients bring for the request log, over sockets: docs/behaviour/request-logs.md#records-of-clients. */
import { gzipSync } from 'node:zlib';
import type { LogContent } from '@gatehouse/crds/logs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, startWorld, type World } from '../kit/gateway.ts';
import { type LogRecord, type MemoryLog, memoryLog } from '../kit/request-log.ts';
import { KEY, key, organisation, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const OTHER_KEY = 'gwk_of_the_other_team_0123456789';
const CANARY = 'sk-canary-0123456789abcdef0123456789';
const messages = [{ role: 'user', content: 'hello' }];
const USAGE = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };

let log: MemoryLog;
let world: World;

beforeAll(async () => {
  log = memoryLog();
  world = await startWorld({
    requestLog: log,
    entries: () => [
      key({ scopes: ['completions.write', 'logs.write'], metadata: { team: 'of-the-key' }, user: 'ada' }),
      workspace('team-b', { logging: { bodies: 'none' } }),
      key({ name: 'other', secret: OTHER_KEY, workspace: 'team-b', scopes: ['logs.write'] }),
    ],
  });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const element = (over: object = {}) => ({
  request: {
    url: 'https://api.openai.com/v1/chat/completions',
    provider: 'openai',
    headers: { 'content-type': 'application/json' },
    body: { model: 'gpt-4o', messages },
  },
  response: {
    status: 200,
    headers: {},
    body: { id: 'a', model: 'gpt-4o-2024-08-06', usage: USAGE },
    response_time: 120,
  },
  ...over,
});

const namesOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`name-${i}`, 'a']));

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  world.send('/v1/logs', { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });

async function stored(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<LogRecord[]> {
  const before = log.records.length;
  const answer = await post(body, headers);
  expect([answer.status, answer.text]).toEqual([200, 'ok']);
  return log.records.slice(before);
}

const contentOf = (record: LogRecord | undefined): LogContent => JSON.parse(record?.content ?? 'null');

describe('POST /v1/logs', () => {
  test('makes a row and a document of each element, and none of its own', async () => {
    const records = await stored([element({ trace_id: 'trace-1', span_id: 'span-1', span_name: 'call' }), element()]);
    expect(records).toHaveLength(2);
    expect(records[0]?.row).toMatchObject({
      ...{ source: 'log', operation: 'chatComplete', method: 'POST', status: 200, is_final: true, attempt: 0 },
      ...{ url: 'https://api.openai.com/v1/chat/completions', workspace: TEAM, trace_id: 'trace-1', span_id: 'span-1' },
      ...{ span_name: 'call', provider: 'openai', account: null, model: 'gpt-4o', answered_model: 'gpt-4o-2024-08-06' },
      ...{ input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100, response_ms: 120, key_user: 'ada' },
      ...{ api_key_name: 'main', is_unpriced: false, is_stream: false, mode: 'single' },
    });
    expect(contentOf(records[0])).toMatchObject({
      request: {
        url: 'https://api.openai.com/v1/chat/completions',
        method: 'POST',
        body: { model: 'gpt-4o', messages },
      },
      response: { status: 200, responseTime: 120, body: { usage: USAGE } },
    });
    expect(records[1]?.row.trace_id).not.toBe('');
    expect(records[1]?.row.request_id).not.toBe(records[0]?.row.request_id);
  });

  test('tells what the client runs on by the headers of its request, and no times of parts', async () => {
    const { request } = element();
    const headers = { 'X-Stainless-Runtime': 'CPython', 'user-agent': `lib/1.0 (${CANARY})` };
    const [said, silent] = await stored([element({ request: { ...request, headers } }), element()]);
    const none = { request_parsing_ms: null, pre_processing_ms: null, cache_ms: null, response_parsing_ms: null };
    expect(said?.row).toMatchObject({ runtime: 'CPython', runtime_version: null, sdk_version: 'lib/1.0', ...none });
    expect(silent?.row).toMatchObject({ runtime: null, runtime_version: null, sdk_version: null, ...none });
  });

  test('costs what the gateway computes for the same answer', async () => {
    const prompted = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@openai' },
      body: { model: 'gpt-4o', messages },
    });
    const own = await waitFor(() => log.records.find(({ row }) => row.source !== 'log'), {
      what: 'the row of the call',
    });
    const [told] = await stored(
      element({
        request: { url: '/v1/chat/completions', provider: '@openai', body: { model: 'gpt-4o', messages } },
        response: { body: prompted.json() },
      }),
    );
    expect(own.row.cost_nano).toBeGreaterThan(0);
    for (const column of ['cost_nano', 'input_tokens', 'output_tokens', 'total_tokens', 'provider', 'account'] as const)
      expect([column, told?.row[column]]).toEqual([column, own.row[column]]);
  });

  test.for([
    [
      'what is given',
      { output: { tokens: { requestUnits: 7, responseUnits: 3 }, cost: { cost: 1.5 } } },
      10,
      15_000_000,
    ],
    ['given tokens alone', { output: { tokens: { requestUnits: 1_000_000 } } }, 1_000_000, 2_500_000_000],
    ['the most that a call may cost', { output: { cost: { cost: 20_000 } } }, 1_100, 200_000_000_000],
    ['no cost beyond it', { output: { tokens: { responseUnits: 1_000_000_000 } } }, 1_000_000_000, 0],
    ['nothing where usage is ignored', { output: { ignoreUsage: true } }, 0, null],
    ['nothing for what failed', { response: { status: 500, body: { usage: USAGE } } }, 0, null],
    ['nothing without an answer', { response: undefined }, 0, null],
  ] as const)('counts %s', async ([, over, tokens, cost]) => {
    const [record] = await stored(element(over));
    expect(record?.row).toMatchObject({ total_tokens: tokens, cost_nano: cost });
  });

  test('counts what a row takes in the queue with its metadata and texts', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}${'n'.repeat(120)}`, 'v'.repeat(120)]),
    );
    const [small, large] = [await stored(element()), await stored(element({ metadata }))];
    expect((large[0]?.rowBytes ?? 0) - (small[0]?.rowBytes ?? 0)).toBeGreaterThan(2 * 60 * 240);
  });

  test('says that a cost beyond the most is not known, now and when prices change', async () => {
    const [record] = await stored(element({ output: { tokens: { responseUnits: 1_000_000_000 } } }));
    expect([record?.row.is_unpriced, record?.row.decision.usage]).toEqual([true, undefined]);
  });

  test('leaves a cost that is given to whoever gave it', async () => {
    const tokens = { requestUnits: 7, responseUnits: 3 };
    const [given] = await stored(element({ output: { tokens, cost: { cost: 1.5 } } }));
    const [computed] = await stored(element({ output: { tokens } }));
    expect([given?.row.decision.usage, computed?.row.decision.usage]).toEqual([undefined, {}]);
  });

  test('takes request and response as JSON in texts, and a packed body', async () => {
    const { request, response } = element();
    const body = JSON.stringify({ request: JSON.stringify(request), response: JSON.stringify(response) });
    const before = log.records.length;
    const answer = await world.send('/v1/logs', {
      body: gzipSync(body),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect(answer.status).toBe(200);
    expect(log.records.slice(before).map(({ row }) => row.total_tokens)).toEqual([1_100]);
  });

  test('has metadata of the key before that of the header before that of the element', async () => {
    const given = { team: 'mine', stage: 'body', own: 'a', _user: 'eve', trace_id: 'trace-of-metadata' };
    const [record] = await stored(element({ metadata: given }), { 'x-gw-metadata': '{"stage":"header"}' });
    expect(record?.row.metadata).toEqual({ team: 'of-the-key', stage: 'header', own: 'a', _user: 'ada' });
    expect(record?.row).toMatchObject({ trace_id: 'trace-of-metadata', end_user: 'ada', key_user: 'ada' });
  });

  test('belongs to the key and its workspace, whatever an element says', async () => {
    const claims = {
      workspace: TEAM,
      workspace_slug: TEAM,
      organisation_id: 'x',
      api_key: 'key/team-a/main',
      user_id: 'ada',
    };
    const [record] = await stored(element({ ...claims, metadata: claims }), { 'x-gw-api-key': OTHER_KEY });
    expect(record?.row).toMatchObject({ workspace: 'team-b', api_key: 'key/team-b/other', key_user: null });
    expect(record?.content).toBeUndefined(); // the workspace keeps no bodies
  });

  test('takes texts that databases do not, and cuts them', async () => {
    const [record] = await stored(
      element({
        trace_id: 'a\u0000b',
        request: { url: '/\u0000', provider: 'own\u0000', body: { model: `m\ud800${'x'.repeat(400)}` } },
      }),
    );
    expect(record?.row).toMatchObject({
      trace_id: 'ab',
      url: '/',
      provider: 'own',
      operation: 'log',
      is_unpriced: true,
    });
    expect(record?.row.model).toHaveLength(256);
    expect(JSON.stringify(record?.row)).not.toMatch(/\\u0000|\\ud800/);
  });

  test('names no account of another workspace', async () => {
    const answer = await post([element({ request: { url: '/', provider: '@nobody' } })]);
    expect([answer.status, answer.json().error.param]).toEqual([400, '[0].request.provider']);
  });

  test.for<readonly [unknown, string]>([
    [{}, 'request'],
    [[element(), element({ request: { method: 'POST' } })], '[1].request.url'],
    [[element({ request: '{"url"' })], '[0].request'],
    [element({ request: { url: 'x', headers: { a: { b: 1 } } } }), 'request.headers.a'],
    [element({ request: { url: 'x', headers: { a: 'x'.repeat(33_000) } } }), 'request.headers'],
    [element({ request: { url: 'x', headers: { a: Array.from({ length: 65 }, () => 'a') } } }), 'request.headers'],
    [element({ request: JSON.stringify({ url: 'x', headers: namesOf(101) }) }), 'request.headers'],
    [element({ metadata: namesOf(257) }), 'metadata'],
    [element({ metadata: { note: 'x'.repeat(70_000) } }), 'metadata'],
    [element({ output: { cost: { cost: 20_000.01 } } }), 'output.cost.cost'],
    [element({ response: { status: 1_000 } }), 'response.status'],
    [element({ createdAt: '2001-01-01T00:00:00Z' }), 'createdAt'],
    [element({ createdAt: Date.now() + 3_600_000 }), 'createdAt'],
    [element({ output: { cost: { cost: -1 } } }), 'output.cost.cost'],
    [element({ output: { cost: { cost: 1, currency: 'EUR' } } }), 'output.cost.currency'],
    [[element(), 7], '[1]'],
  ])('refuses a wrong body by naming $1, and stores nothing', async ([body, param]) => {
    const before = log.records.length;
    const answer = await post(body);
    expect([answer.status, answer.json().error]).toMatchObject([400, { code: 'parameter_invalid', param }]);
    expect(answer.json().error.message).toContain(param);
    expect(log.records).toHaveLength(before);
  });

  test.for<readonly [string, () => string | Buffer, Readonly<Record<string, string>>, number]>([
    ['too many elements', () => JSON.stringify(Array.from({ length: 1_001 }, () => 1)), {}, 400],
    ['too much', () => JSON.stringify(element({ pad: 'x'.repeat(9 * 1024 * 1024) })), {}, 413],
    ['too much that is packed', () => gzipSync(Buffer.alloc(64 * 1024 * 1024)), { 'content-encoding': 'gzip' }, 413],
    ['broken gzip', () => 'no gzip', { 'content-encoding': 'gzip' }, 415],
    ['what is nested too deep', () => '['.repeat(10_000), {}, 400],
    ['no JSON', () => '{"request":', {}, 400],
    ['nothing', () => '', {}, 400],
    ['another type', () => '<a/>', { 'content-type': 'text/xml' }, 400],
  ])('refuses %s', async ([, body, headers, status]) => {
    const before = log.records.length;
    const answer = await world.send('/v1/logs', {
      method: 'POST',
      body: body(),
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect(answer.status, answer.text).toBe(status);
    expect(log.records).toHaveLength(before);
  });

  test('takes any JSON, or refuses all of it', async () => {
    const some = fc.oneof(fc.jsonValue(), fc.constant(null));
    const nearly = fc.record(
      {
        request: fc.record(
          { url: fc.oneof(fc.string(), some), headers: some, body: some, provider: some },
          { requiredKeys: [] },
        ),
        response: fc.record({ status: some, body: some, response_time: some }, { requiredKeys: [] }),
        metadata: fc.dictionary(fc.string(), some),
        createdAt: fc.oneof(fc.double(), fc.string()),
        output: some,
      },
      { requiredKeys: ['request'] },
    );
    const body = fc.oneof(nearly, fc.array(fc.oneof({ weight: 5, arbitrary: nearly }, some), { maxLength: 4 }), some);
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const before = log.records.length;
        const { status, text } = await post(given);
        const made = log.records.length - before;
        if (status === 200) taken += 1;
        if (status === 200) expect(made).toBe(Array.isArray(given) ? given.length : 1);
        else expect([status, made], text).toEqual([400, 0]);
      }),
      { numRuns: 150 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  test('keeps no credential of an element, of its call, or of the gateway', async () => {
    const body = {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `${CANARY} and gwk_canary_0123456789 and ${KEY}` }],
    };
    const records = await stored(
      element({
        trace_id: CANARY,
        metadata: { note: `key ${CANARY}`, api_key: 'sk-short' },
        request: {
          url: `https://ada:${CANARY}@api.openai.com/v1/chat/completions?key=${CANARY}`,
          headers: { Authorization: `Bearer ${CANARY}`, 'x-api-key': CANARY, 'x-gw-config': `{"api_key":"${CANARY}"}` },
          body,
        },
        response: { body: { error: `no such key ${CANARY}` }, headers: { 'set-cookie': [CANARY] } },
      }),
    );
    const text = JSON.stringify(records);
    for (const secret of [CANARY, 'gwk_canary', KEY, 'sk-short']) expect(text).not.toContain(secret);
    expect(contentOf(records[0]).request?.headers?.['authorization']).toMatch(/^hash:[0-9a-f]{16}$/);
  });

  test('has no price without a provider', async () => {
    const [record] = await stored(element({ request: { url: 'https://h.example/v1/chat/completions' } }));
    expect(record?.row).toMatchObject({ total_tokens: 1_100, cost_nano: 0, is_unpriced: true });
  });

  test('keeps no secret of an account that an element names', async () => {
    const [record] = await stored(
      element({
        request: { url: '/v1/chat/completions', provider: '@openai', body: { note: 'it is sk-openai-secret, no?' } },
        response: { body: 'plain sk-openai-secret' },
      }),
    );
    expect(record?.row.account).toBe('openai');
    expect(record?.content).toContain('it is [redacted], no?');
    expect(record?.content).not.toContain('sk-openai-secret');
  });

  test('takes each value of a header in a list out of what was said', async () => {
    const other = 'sk-another-0123456789abcdef';
    const [record] = await stored(
      element({
        request: {
          ...{ url: '/v1/chat/completions', body: `I sent ${CANARY} and ${other}` },
          headers: { 'X-Api-Key': [CANARY, other], 'x-plain': ['one', 'two'] },
        },
        response: { headers: { vary: ['a', 'b'] } },
      }),
    );
    expect(JSON.stringify(record)).not.toContain(CANARY);
    expect(JSON.stringify(record)).not.toContain(other);
    const { request, response } = contentOf(record);
    expect([request?.headers?.['x-plain'], response?.headers?.['vary']]).toEqual(['one, two', 'a, b']);
  });

  test('masks what the organisation names, and keeps of failed calls alone what it says', async () => {
    const own = memoryLog();
    await using gateway = await startGateway({
      requestLog: own,
      entries: [
        workspace(),
        key({ scopes: ['logs.write'] }),
        organisation({ headersToMask: ['x-case'], logging: { bodies: 'failed' } }),
      ],
    });
    const request = {
      url: '/v1/chat/completions',
      headers: { 'x-case': 'number-0815-of-ada' },
      body: { secret: 'said' },
    };
    const answer = await gateway.send('/v1/logs', {
      body: [
        element({ request }),
        element({ request, response: { status: 500, headers: { 'x-case': 'number-0815-of-ada' }, body: 'failed' } }),
      ],
    });
    expect(answer.status, answer.text).toBe(200);
    const [good, failed] = own.records.map(contentOf);
    expect(JSON.stringify(own.records)).not.toMatch(/0815|said/);
    expect(good?.response).not.toHaveProperty('body');
    expect(failed?.response?.body).toBe('failed');
  });

  test('is refused where there is no request log', async () => {
    await using gateway = await startGateway({ entries: [workspace(), key({ scopes: ['logs.write'] })] });
    const answer = await gateway.send('/v1/logs', { body: element() });
    expect([answer.status, answer.json().error.code]).toEqual([501, 'request_log_off']);
  });

  test.for([
    ['later', 503, 'request_log_busy'],
    ['never', 413, 'body_too_large'],
  ] as const)('waits where the queue has no room (%s)', async ([room, status, code]) => {
    const own = memoryLog();
    await using gateway = await startGateway({
      requestLog: { ...own, admits: () => room },
      entries: [workspace(), key({ scopes: ['logs.write'] })],
    });
    const answer = await gateway.send('/v1/logs', { body: element() });
    expect([answer.status, answer.json().error.code, own.records.length]).toEqual([status, code, 0]);
    if (room === 'later') expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('stays with the gateway where the management API is served, which reads the log', async () => {
    const own = memoryLog();
    await using gateway = await startGateway({
      requestLog: own,
      management: { socketPath: '/nonexistent/management' },
      entries: [workspace(), key({ scopes: ['logs.write', 'logs.list'] })],
    });
    expect((await gateway.send('/v1/logs', { body: element() })).status).toBe(200);
    expect(own.records).toHaveLength(1);
    expect((await gateway.send('/v1/logs')).json().error.code).toBe('management_unavailable');
  });
});

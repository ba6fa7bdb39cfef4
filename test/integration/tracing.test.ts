/** Spans of requests and attempts, as a collector gets them, and what becomes of requests when it does not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { lastRequest, startGateway, startWorld, type World } from '../kit/gateway.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../kit/otlp-receiver.ts';
import { guardrail, KEY, key, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
/** In every place where a prompt or a secret can be. */
const CANARY = 'canary-3f1c';
const NO_WAIT = { OTEL_BSP_SCHEDULE_DELAY: '1' };

const body = { model: 'mock-small', messages: [{ role: 'user', content: `hi ${CANARY}` }] };
const via = { 'x-gw-provider': '@openai' };
const chatWith = (world: World, headers: Record<string, string> = {}, more: object = {}) =>
  world.send('/v1/chat/completions', { headers: { ...via, ...headers }, body: { ...body, ...more } });

/** A trace id that no other test has. */
let traces = 0;
const newTrace = (): string => {
  traces += 1;
  return traces.toString(16).padStart(32, 'a');
};
const AZURE = '/openai/deployments/mock-small/chat/completions';
const parentOf = (trace: string, flags = '01'): string => `00-${trace}-${PARENT}-${flags}`;

describe('a gateway with a collector', () => {
  let collector: OtlpReceiver;
  let world: World;

  beforeAll(async () => {
    collector = await startOtlpReceiver();
    world = await startWorld({
      env: {
        ...NO_WAIT,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${CANARY}%20key`,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_RESOURCE_ATTRIBUTES: 'team=platform',
        OTEL_SERVICE_NAME: 'my-gateway',
      },
      entries: () => [key({ user: 'ada', metadata: { cost_centre: '42', token: CANARY } })],
    });
  });

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  test('names the route of the request, of several that its operation has', async () => {
    const trace = newTrace();
    const headers = { ...via, traceparent: parentOf(trace) };
    expect((await world.send(AZURE, { headers, body })).status).toBe(200);
    const spans = await collector.trace(trace, 2);
    expect(spans.find(({ kind }) => kind === 'server')).toMatchObject({
      name: 'POST /openai/deployments/:model/chat/completions',
      attributes: { 'http.route': '/openai/deployments/:model/chat/completions', 'url.path': AZURE },
    });
  });

  test('makes a span of the request and one of its attempt, in the trace of the client', async () => {
    const sent = { traceparent: parentOf(TRACE), tracestate: 'vendor=1' };
    expect((await chatWith(world, sent)).status).toBe(200);
    const spans = await collector.trace(TRACE, 2);
    const request = spans.find(({ kind }) => kind === 'server');
    const attempt = spans.find(({ kind }) => kind === 'client');
    expect(request).toMatchObject({
      parentId: PARENT,
      state: 'vendor=1',
      name: 'POST /v1/chat/completions',
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'http.response.status_code': 200,
        'user.id': 'ada',
        'gatehouse.operation': 'chatComplete',
        'gatehouse.workspace': 'team-a',
        'gatehouse.api_key': 'main',
        'gatehouse.attempts': 1,
        'gatehouse.stream': false,
        'gatehouse.metadata.cost_centre': '42',
      },
      resource: { 'service.name': 'my-gateway', team: 'platform', 'service.version': expect.any(String) },
    });
    expect(attempt).toMatchObject({
      parentId: request?.spanId,
      name: 'chat mock-small',
      failed: false,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'mock-small',
        'gen_ai.response.model': 'mock-small',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(world.mock.url).port),
        'http.response.status_code': 200,
        'gatehouse.calls': 1,
      },
    });
    expect(attempt?.startNs).toBeGreaterThanOrEqual(request?.startNs ?? 0n);
    expect(attempt?.endNs).toBeLessThanOrEqual(request?.endNs ?? 0n);
    expect(attempt?.endNs).toBeGreaterThan(attempt?.startNs ?? 0n);
  });

  test.for([
    { how: 'whole', stream: false },
    { how: 'as a stream', stream: true },
  ])('says what was asked and how the answer ended, $how', async ({ stream }) => {
    const trace = newTrace();
    const params = { max_tokens: 50, temperature: 0.25, seed: 7, stop: ['END', 'x sk-openai-secret', KEY], stream };
    expect((await chatWith(world, { traceparent: parentOf(trace) }, params)).status).toBe(200);
    const [, attempt] = await collector.trace(trace, 2);
    expect(attempt?.attributes).toMatchObject({
      'gen_ai.request.max_tokens': 50,
      'gen_ai.request.temperature': 0.25,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END', 'x [redacted]', '[redacted]'],
      'gen_ai.response.id': expect.any(String),
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(attempt?.attributes).not.toHaveProperty('gen_ai.input.messages');
  });

  test.for([
    { path: '/v1/messages', headers: { 'x-gw-provider': '@anthropic' } },
    { path: '/v1/messages', headers: via },
    { path: '/v1/chat/completions', headers: { 'x-gw-provider': '@anthropic' } },
  ])('says how an answer of $path ended at a provider with another format, too', async ({ path, headers }) => {
    for (const stream of [false, true]) {
      const trace = newTrace();
      const asked = { ...body, max_tokens: 50, stream };
      expect(
        (await world.send(path, { headers: { ...headers, traceparent: parentOf(trace) }, body: asked })).status,
      ).toBe(200);
      const [, attempt] = await collector.trace(trace, 2);
      expect(attempt?.attributes).toMatchObject({
        'gen_ai.response.id': expect.any(String),
        'gen_ai.response.finish_reasons': ['stop'],
      });
    }
  });

  test('tells the provider the span of the attempt', async () => {
    const trace = newTrace();
    await chatWith(world, { traceparent: parentOf(trace), tracestate: 'vendor=1' });
    const { headers } = lastRequest(world.mock);
    const [, attempt] = await collector.trace(trace, 2);
    expect(headers).toMatchObject({ traceparent: `00-${trace}-${attempt?.spanId}-01`, tracestate: 'vendor=1' });
  });

  test('names the request in the log by the ids of its span', async () => {
    const trace = newTrace();
    const answer = await chatWith(world, { 'x-gw-trace-id': trace });
    expect(answer.headers['x-gw-trace-id']).toBe(trace);
    const [request] = await collector.trace(trace, 2);
    const line = await waitFor(() => world.logs.find((each) => each['traceId'] === trace && each['status'] === 200));
    expect(line).toMatchObject({ spanId: request?.spanId });
    expect(request?.parentId).toBe('');
  });

  test('has a span for each target that was tried, with what became of it', async () => {
    const trace = newTrace();
    const fallback = {
      strategy: { mode: 'fallback' },
      targets: [
        {
          provider: '@anthropic',
          retry: { attempts: 1, on_status_codes: [503] },
          override_params: { model: 'mock-fail-503' },
        },
        { provider: '@openai' },
      ],
    };
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(fallback), traceparent: parentOf(trace) },
      body: { ...body, max_tokens: 10 },
    });
    expect(answer.status).toBe(200);
    const [request, failed, good] = await collector.trace(trace, 3);
    expect(failed).toMatchObject({
      kind: 'client',
      parentId: request?.spanId,
      failed: true,
      attributes: { 'gen_ai.provider.name': 'anthropic', 'http.response.status_code': 503, 'gatehouse.calls': 2 },
    });
    expect(failed?.attributes['error.type']).toEqual(expect.any(String));
    expect(good).toMatchObject({ kind: 'client', parentId: request?.spanId, failed: false });
    expect(request?.attributes).toMatchObject({ 'gatehouse.strategy': 'fallback', 'gatehouse.attempts': 2 });
    const told = world.mock.requests.map(({ headers }) => String(headers['traceparent']).split('-'));
    expect(told.filter(([, id]) => id === trace).map(([, , span]) => span)).toEqual([
      failed?.spanId,
      failed?.spanId,
      good?.spanId,
    ]);
  });

  test('ends the span of a stream with its last byte', async () => {
    const trace = newTrace();
    await chatWith(world, { traceparent: parentOf(trace) }, { stream: true });
    const [request, attempt] = await collector.trace(trace, 2);
    expect(attempt?.endNs).toBe(request?.endNs);
    expect(attempt?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
    expect(request?.attributes['gatehouse.stream']).toBe(true);
  });

  test('has a span for a request that was refused', async () => {
    const trace = newTrace();
    const headers = { 'x-gw-api-key': 'gwk_unknown', traceparent: parentOf(trace) };
    expect((await chatWith(world, headers)).status).toBe(401);
    const [request] = await collector.trace(trace, 1);
    expect(request).toMatchObject({
      failed: false,
      attributes: { 'http.response.status_code': 401, 'error.type': 'KEY_INVALID' },
    });
  });

  test('exports nothing of a trace that its client does not sample, and says so to the provider', async () => {
    const [quiet, loud] = [newTrace(), newTrace()];
    await chatWith(world, { traceparent: parentOf(quiet, '00') });
    expect(lastRequest(world.mock).headers['traceparent']).toMatch(new RegExp(`^00-${quiet}-[0-9a-f]{16}-00$`));
    await chatWith(world, { traceparent: parentOf(loud) });
    await collector.trace(loud, 2);
    expect(collector.spans.filter(({ traceId }) => traceId === quiet)).toEqual([]);
  });

  test('sends its headers to the collector, and no prompt and no secret in a span', async () => {
    await chatWith(world, { traceparent: parentOf(newTrace()), 'x-gw-trace-id': 'a run' });
    await waitFor(() => collector.spans.some(({ attributes }) => attributes['gatehouse.trace_id'] === 'a run'));
    for (const { path, headers, body: sent } of collector.requests) {
      expect(path).toBe('/v1/traces');
      expect(headers['x-collector-key']).toBe(`${CANARY} key`);
      for (const secret of [CANARY, 'sk-openai-secret', 'sk-anthropic-secret']) {
        expect(sent.includes(secret), secret).toBe(false);
      }
    }
    expect(JSON.stringify(world.logs)).not.toContain(`${CANARY} key`);
  });
});

describe('a gateway whose collector', () => {
  const withCollector = (url: string, env: Record<string, string> = {}) =>
    startWorld({ env: { ...NO_WAIT, OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env } });

  test('is away serves as ever, counts what it drops and says so once', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`;
    await using world = await withCollector(gone, { OTEL_EXPORTER_OTLP_TIMEOUT: '50' }); // no time to try again
    for (let i = 0; i < 5; i += 1) expect((await chatWith(world)).status).toBe(200);
    const dropped = () => world.metric('gatehouse_spans_dropped_total', { reason: 'export_failed' });
    await waitFor(async () => (await dropped()) === 10, { what: '10 spans dropped' });
    const saying = () => world.logs.filter(({ msg }) => msg === 'Spans were dropped');
    const lines = await waitFor(() => (saying().length > 0 ? saying() : undefined), { what: 'the line' });
    expect(lines).toMatchObject([{ level: 'warn', collector: new URL(gone).host }]);
    expect(await world.metric('gatehouse_record_sink_errors_total')).toBe(0);
  });

  test('answers errors serves as ever, and exports again when it can', async () => {
    await using collector = await startOtlpReceiver();
    collector.answerWith(500);
    await using world = await withCollector(collector.url);
    expect((await chatWith(world)).status).toBe(200);
    await waitFor(async () => (await world.metric('gatehouse_spans_dropped_total')) === 2);
    collector.answerWith(200);
    expect((await chatWith(world)).status).toBe(200);
    await waitFor(async () => (await world.metric('gatehouse_spans_exported_total')) === 2);
    expect(collector.spans).toHaveLength(2);
    await waitFor(() => world.logs.some(({ msg }) => msg === 'Spans are exported again'), { what: 'the line' });
    expect(world.logs.filter(({ msg }) => msg === 'Spans are exported again')).toHaveLength(1);
  });

  test('never answers holds nothing up: what finds no room is dropped', async () => {
    await using collector = await startOtlpReceiver();
    collector.answerWith('nothing');
    const env = {
      OTEL_BSP_MAX_QUEUE_SIZE: '4',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    };
    await using world = await withCollector(collector.url, env);
    for (let i = 0; i < 10; i += 1) expect((await chatWith(world)).status).toBe(200);
    const dropped = () => world.metric('gatehouse_spans_dropped_total', { reason: 'queue_full' });
    await waitFor(async () => (await dropped()) >= 14, { what: 'dropped spans' }); // 2 on their way, 4 wait
    await waitFor(() => collector.requests.length > 0, { what: 'the call without an answer' });
    expect(collector.requests).toHaveLength(1);
  });

  test('is reached at the end gets what still waits', async () => {
    await using collector = await startOtlpReceiver();
    const world = await withCollector(collector.url, { OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    await chatWith(world);
    expect(collector.requests).toEqual([]);
    await world[Symbol.asyncDispose]();
    expect(collector.spans.map(({ kind }) => kind)).toEqual(['server', 'client']);
  });
});

describe('a guardrail', () => {
  const entries = () => [
    workspace(TEAM, { defaults: { inputGuardrails: ['no-canary'], outputGuardrails: [] } }),
    guardrail('no-canary', [{ id: 'default.contains', parameters: { words: [CANARY], operator: 'none' } }]),
  ];
  const start = (url: string, flag: string) =>
    startWorld({
      env: { ...NO_WAIT, OTEL_EXPORTER_OTLP_ENDPOINT: url, EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: flag },
      entries,
    });

  test('that denies has a span with its checks, and is counted by check', async () => {
    await using collector = await startOtlpReceiver();
    await using world = await start(collector.url, 'true');
    const trace = newTrace();
    expect((await chatWith(world, { traceparent: parentOf(trace) })).status).toBe(446);
    const spans = await collector.trace(trace, 3);
    const request = spans.find(({ kind }) => kind === 'server');
    const [span, ...others] = spans.filter(({ name }) => name.startsWith('gw.guardrail.'));
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      parentId: request?.spanId,
      name: 'gw.guardrail.input',
      kind: 'internal',
      attributes: {
        'gw.guardrail.id': 'no-canary',
        'gw.guardrail.verdict': false,
        'gw.guardrail.action': 'deny',
        'gw.guardrail.deny': true,
        'gw.guardrail.mode': 'enforce',
      },
      events: [
        {
          name: 'gw.guardrail.check',
          attributes: { 'gw.guardrail.check.id': 'default.contains', 'gw.guardrail.check.verdict': false },
        },
      ],
    });
    expect(collector.requests.some(({ body: sent }) => sent.includes(CANARY))).toBe(false);
    const counted = { check: 'default.contains', phase: 'input', verdict: 'failed', mode: 'enforce' };
    expect(await world.metric('gatehouse_guardrail_checks_total', counted)).toBe(1);
    expect(await world.metric('gatehouse_guardrail_check_duration_seconds_count', { check: 'default.contains' })).toBe(
      1,
    );
  });

  test('has no span without the flag', async () => {
    await using collector = await startOtlpReceiver();
    const trace = newTrace();
    {
      await using world = await start(collector.url, 'false');
      expect((await chatWith(world, { traceparent: parentOf(trace) })).status).toBe(446);
    }
    const names = collector.spans.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => name.startsWith('gw.'))).toEqual([]);
  });
});

test.for([
  { rule: 'no address', env: {} },
  { rule: 'the SDK disabled', env: { OTEL_SDK_DISABLED: 'true' } },
  { rule: 'no exporter', env: { OTEL_TRACES_EXPORTER: 'none' } },
])('with $rule nothing is exported and no call is named', async ({ env, rule }) => {
  await using collector = await startOtlpReceiver();
  const given = rule === 'no address' ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await using world = await startWorld({ env: { ...NO_WAIT, ...given, ...env } });
  await chatWith(world, { traceparent: parentOf(TRACE) });
  expect(lastRequest(world.mock).headers['traceparent']).toBeUndefined();
  await world.gateway.close();
  expect(collector.requests).toEqual([]);
});

test('without tracecontext among the propagators spans are made and providers are told nothing', async () => {
  await using collector = await startOtlpReceiver();
  const env = { ...NO_WAIT, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_PROPAGATORS: 'none' };
  await using world = await startWorld({ env });
  await chatWith(world, { traceparent: parentOf(TRACE) });
  await collector.trace(TRACE, 2);
  expect(lastRequest(world.mock).headers['traceparent']).toBeUndefined();
});

test('an address that is none ends the start, without being quoted', async () => {
  const start = startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `grpc://${CANARY}` } });
  await expect(start).rejects.toThrow('OTEL_EXPORTER_OTLP_ENDPOINT: must be an address');
  await start.catch((error: Error) => expect(error.message).not.toContain(CANARY));
});

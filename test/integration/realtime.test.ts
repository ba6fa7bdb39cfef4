/** Realtime sessions over real sockets: docs/behaviour/realtime.md. */
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, connectRealtime } from '../kit/realtime-provider.ts';
import { DONE, expectNothingLeft, openRealtime, refusal, SECRET, startRealtime } from '../kit/realtime-world.ts';
import { config, type Entries, guardrail, KEY, key, organisation, workspace } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'] } }];
const GUARDRAILS = [
  guardrail('words', CHECKS),
  guardrail('watching', CHECKS, { mode: 'monitor' }),
  guardrail('later', CHECKS, { async: true }),
  guardrail('lenient', CHECKS, { deny: false }),
  guardrail('of-all', CHECKS, { workspace: null }),
];

describe('a session', () => {
  test('relays text and binary messages both ways, unmodified and in order', async () => {
    const { client, session, ...bench } = await openRealtime();
    const sent = Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? Buffer.from([i, 0, 255]) : `{"n":${i}}`));
    for (const message of sent) client.socket.send(message);
    for (const message of sent) session.socket.send(message);
    const want = sent.map((message) => ({ data: Buffer.from(message), isBinary: typeof message !== 'string' }));
    await waitFor(() => session.messages.length === 200 && client.messages.length === 200);
    expect(session.messages).toEqual(want);
    expect(client.messages).toEqual(want);
    client.socket.close(4321, 'done here');
    await waitFor(() => session.closed !== undefined && client.closed !== undefined);
    expect([session.closed, client.closed]).toEqual([
      { code: 4321, reason: 'done here' },
      { code: 4321, reason: 'done here' },
    ]);
    await expectNothingLeft(bench);
  });

  test('reaches the provider with its credential, the model without its prefix and the rest of the query', async () => {
    const { session } = await openRealtime(
      {},
      {
        query: 'model=%40openai%2Fgpt-realtime&intent=transcription',
        headers: { 'openai-beta': 'realtime=v1', cookie: 'c', 'x-gw-metadata': '{"a":"b"}' },
      },
    );
    expect(session.request.url).toBe('/v1/realtime?model=gpt-realtime&intent=transcription');
    const { headers } = session.request;
    expect(headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'openai-beta': 'realtime=v1' });
    expect(Object.keys(headers).filter((name) => name.startsWith('x-gw-') || name === 'cookie')).toEqual([]);
    expect(headers['sec-websocket-extensions']).toBeUndefined();
  });

  test.for([
    ['/openai/realtime', 'api-version=2025-04-01-preview&deployment=%40openai%2Fgpt-realtime'],
    ['/openai/v1/realtime', 'api-version=2025-04-01-preview&model=@openai/gpt-realtime'],
  ] as const)('is opened at the path of Azure, %s', async ([path, query]) => {
    const { session } = await openRealtime({}, { path, query });
    expect(session.request.url).toBe('/v1/realtime?api-version=2025-04-01-preview&model=gpt-realtime');
  });

  test('has one model: a deployment beside it is refused', async () => {
    const { world } = await startRealtime();
    const both = connectRealtime(world.url, { path: '/openai/realtime', query: 'model=a&deployment=b' });
    await expect(both).rejects.toThrow(/400/);
  });

  test.for<[rule: string, ...Entries]>([
    ['of its config', config('guarded', { before_request_hooks: [{ id: 'words' }] }), key({ config: 'guarded' })],
    ['of the answers of its workspace', workspace('team-a', { defaults: { outputGuardrails: ['words'] } })],
    ['that does not exist', workspace('team-a', { defaults: { inputGuardrails: ['gone'] } })],
    ['of the organisation', organisation({ inputGuardrails: ['of-all'] })],
  ])('says that a guardrail $0 does not look at it', async ([, ...entries]) => {
    const { client } = await openRealtime({ entries: [...GUARDRAILS, ...entries] });
    expect(client.headers['x-gw-guardrails']).toBe('NOT_APPLIED');
  });

  test.for<[rule: string, ...Entries]>([
    ['stand beside it', ...GUARDRAILS],
    ['only watch', workspace('team-a', { defaults: { inputGuardrails: ['watching', 'later'] } })],
    ['neither deny nor change', workspace('team-a', { defaults: { inputGuardrails: ['lenient'] } })],
  ])('says nothing of guardrails that $0', async ([, ...entries]) => {
    const { client } = await openRealtime({ entries: [...GUARDRAILS, ...entries] });
    expect(client.headers).not.toHaveProperty('x-gw-guardrails');
    expect(client.headers).toMatchObject({ 'x-gw-provider': 'openai' });
  });

  test('is opened through TLS', async () => {
    const { world, provider } = await startRealtime({ env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } });
    using client = await connectRealtime(world.url, { ca: LOOPBACK_PEM });
    (await provider.session()).socket.send('over TLS');
    await waitFor(() => String(client.messages[0]?.data) === 'over TLS');
  });

  test('mirrors a close of the provider, without a code where it has none', async () => {
    const { client, session } = await openRealtime();
    session.socket.close();
    await waitFor(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1005);
  });

  test('whose provider is cut ends with an error event and 1011', async () => {
    const { client, session, ...bench } = await openRealtime();
    session.socket.terminate();
    await waitFor(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1011);
    expect(client.events().at(-1)).toMatchObject({ type: 'error', error: { type: 'stream_error' } });
    await expectNothingLeft(bench);
  });

  test('whose client is cut closes the connection to the provider', async () => {
    const { client, session, ...bench } = await openRealtime();
    client.socket.terminate();
    await waitFor(() => session.closed !== undefined);
    expect(session.closed?.code).toBe(1001);
    await expectNothingLeft(bench);
  });

  test('offers the sub-protocols of the client, and chooses that of the provider', async () => {
    const { client, session } = await openRealtime({}, { protocols: ['realtime', 'openai-beta.realtime-v1'] });
    expect(session.request.headers['sec-websocket-protocol']).toBe('realtime, openai-beta.realtime-v1');
    expect(client.socket.protocol).toBe('realtime');
  });

  test('is opened by a browser, which has its key in a sub-protocol: it never reaches the provider', async () => {
    const { world, provider } = await startRealtime();
    using client = await connectRealtime(world.url, {
      headers: { 'x-gw-api-key': '' },
      protocols: ['realtime', `openai-insecure-api-key.${KEY}`, 'openai-organization.org-other'],
    });
    const session = await provider.session();
    const { request } = session;
    session.emit(DONE); // is logged, without the key
    await waitFor(() => client.messages.length === 1);
    expect(request.headers['sec-websocket-protocol']).toBe('realtime');
    expect(request.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(client.socket.protocol).toBe('realtime');
  });

  test('works with the official SDK', async () => {
    const { world } = await startRealtime({
      env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM },
      onSession: (session) => {
        session.emit({ type: 'session.created', event_id: 'e1', session: { model: 'gpt-realtime' } });
        session.socket.on('message', (data) => {
          if (JSON.parse(data.toString()).type === 'response.create') session.emit(DONE);
        });
      },
    });
    const sdk = new OpenAI({ apiKey: KEY, baseURL: `${world.url}/v1` });
    const realtime = new OpenAIRealtimeWS({ model: '@openai/gpt-realtime', options: { ca: LOOPBACK_PEM } }, sdk);
    onTestFinished(() => realtime.close());
    const done = new Promise((resolve, reject) => {
      realtime.on('response.done', ({ response }) => resolve(response.usage?.total_tokens));
      realtime.on('error', reject);
    });
    realtime.on('session.created', () => realtime.send({ type: 'response.create' }));
    expect(await done).toBe(30);
  });
});

describe('before a session is opened', () => {
  test.for<{ rule: string; given: ClientOptions; entries?: Entries; status: number; code: string }>([
    { rule: 'a key is needed', given: { headers: { 'x-gw-api-key': 'gwk_wrong' } }, status: 401, code: '03' },
    { rule: 'the scope is', given: {}, entries: [key({ scopes: ['logs.read'] })], status: 403, code: '' },
    { rule: 'a provider is', given: { query: 'model=gpt-realtime' }, status: 400, code: 'provider_required' },
    { rule: 'the provider must exist', given: { query: 'model=@other/m' }, status: 400, code: '' },
    { rule: 'one model is named', given: { query: 'model=@openai/a&model=b' }, status: 400, code: '' },
    {
      rule: 'the host of a request is checked',
      given: {
        query: 'model=m',
        headers: { 'x-gw-provider': 'openai', authorization: 'Bearer x', 'x-gw-custom-host': 'http://10.0.0.8/v1' },
      },
      status: 400,
      code: 'custom_host_refused',
    },
    {
      rule: 'a stored credential goes to no host of the request',
      given: { headers: { 'x-gw-custom-host': 'https://evil.example/v1' } },
      status: 400,
      code: 'custom_host_refused',
    },
  ])('$rule: $status', async ({ given, entries = [], status, code }) => {
    const { world, provider } = await startRealtime({ entries });
    const refused = await refusal(connectRealtime(world.url, given));
    expect(refused.status).toBe(status);
    expect(refused.headers['x-gw-trace-id']).toBeTypeOf('string');
    const { error } = JSON.parse(refused.text);
    expect(error.message).toBeTypeOf('string');
    if (code !== '') expect(error.code).toBe(code);
    expect(provider.sessions).toHaveLength(0);
    await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0);
  });

  test('a provider without the API is named', async () => {
    const { world } = await startRealtime({ provider: { provider: 'anthropic' } });
    const refused = await refusal(connectRealtime(world.url));
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, 'operation_unsupported']);
  });

  test('the refusal of a provider is an error as any other, without the credential in it', async () => {
    const { world } = await startRealtime({
      onUpgrade: (_request, socket) => {
        const body = JSON.stringify({ error: { message: `bad key ${SECRET}`, code: 'invalid_api_key' } });
        socket.end(
          `HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        return true;
      },
    });
    const refused = await refusal(connectRealtime(world.url));
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('bad key');
    expect(refused.text).not.toContain(SECRET);
    const counted = () => world.metric('gatehouse_requests_total', { operation: 'realtime', status: '401' });
    await waitFor(async () => (await counted()) === 1, { what: 'the refused request in the metrics' });
  });

  test.for([
    { rule: 'does not answer', answer: undefined, status: 503 },
    { rule: 'answers without a WebSocket', answer: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', status: 502 },
    {
      rule: 'cannot prove that it speaks the protocol',
      answer:
        'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n',
      status: 502,
    },
    { rule: 'closes at once', answer: '', status: 502 },
  ])('a provider that $rule: $status', async ({ answer, status }) => {
    const bench = await startRealtime({
      env: answer === undefined ? { GATEHOUSE_CONNECT_TIMEOUT_MS: '600' } : {},
      onUpgrade: (_request, socket) => {
        if (answer !== undefined) socket.end(answer);
        return true;
      },
    });
    const refused = await refusal(bench.connect());
    expect(refused.status).toBe(status);
    await expectNothingLeft(bench);
  });

  test('HTTP is told to upgrade', async () => {
    const { world } = await startRealtime();
    const answer = await world.send('/v1/realtime?model=@openai/gpt-realtime');
    expect([answer.status, answer.headers['upgrade'], answer.json().error.code]).toEqual([
      426,
      'websocket',
      'upgrade_required',
    ]);
  });
});

describe('events of the provider', () => {
  const CREATED = { type: 'session.created', event_id: 'e1', session: { model: 'gpt-realtime-2025' } };

  test('are recorded one by one, in the trace of the connection', async () => {
    const { client, session, world } = await openRealtime({}, { headers: { 'x-gw-trace-id': 'trace-1' } });
    session.emit(CREATED);
    session.emit({ type: 'response.created', event_id: 'e3' });
    session.emit({ type: 'response.audio.delta', delta: 'aaaa' });
    session.emit(DONE);
    session.emit({ type: 'error', error: { message: 'no' } });
    await waitFor(() => client.messages.length === 5);
    const records = () => world.logs.filter(({ traceId, msg }) => traceId === 'trace-1' && msg === 'Request finished');
    await waitFor(() => records().length >= 3, { what: 'the records' });
    expect(records()).toMatchObject([
      { spanName: 'session.created', status: 200 },
      {
        spanName: 'response.done',
        status: 200,
        tokens: { input: 10, output: 20, audio: { input: 6, output: 15 } },
        metadata: { _realtime_event_type: 'response.done', _category: 'realtime' },
        tries: [{ model: 'gpt-realtime', answeredModel: 'gpt-realtime-2025' }],
      },
      { spanName: 'error', status: 500 },
    ]);
    const labels = { operation: 'realtime', provider: 'openai' };
    expect(await world.metric('gatehouse_requests_total', labels)).toBe(3);
    expect(await world.metric('gatehouse_tokens_total', { type: 'input' })).toBe(10);
  });

  test('spend budgets while the session is open: the one that is used up ends it', async () => {
    const { client, session, world } = await openRealtime({
      entries: [key({ usageLimits: [{ name: 'main', type: 'tokens', limit: 40 }] })],
    });
    session.emit(DONE);
    session.emit(DONE);
    await waitFor(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1008);
    expect(client.events().at(-1)).toMatchObject({ type: 'error', error: { code: '04' } });
    expect((await refusal(connectRealtime(world.url))).status).toBe(412);
  });
});

/** Documents of the request log over sockets: what they show, and what they never show. */
import type { LogContent } from '@gatehouse/crds/logs';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { MockProvider } from '@gatehouse/standalone/mock-provider';
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import type { Received, SendOptions } from '../kit/http.ts';
import { type LogRecord, memoryLog } from '../kit/request-log.ts';
import { type Entries, KEY, key, organisation, provider, TEAM, workspace } from '../kit/snapshot.ts';

interface Logged extends AsyncDisposable {
  readonly world: World;
  /** Sends the request; resolves with its records too. */
  ask(
    path: string,
    options: SendOptions,
  ): Promise<{ readonly answer: Received; readonly records: readonly LogRecord[] }>;
}

async function start(
  entries: (mock: MockProvider) => Entries = () => [],
  env: Record<string, string> = {},
): Promise<Logged> {
  const log = memoryLog();
  const world = await startWorld({ requestLog: log, entries, env });
  return {
    world,
    ask: async (path, options) => {
      const answer = await world.send(path, options);
      return { answer, records: await log.next() };
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

type Said = NonNullable<EntryBody<'organisation'>['logging']>;

const contentOf = (record: LogRecord | undefined): LogContent => JSON.parse(record?.content ?? 'null');
const HASH = expect.stringMatching(/^hash:[0-9a-f]{16}$/);
const messages = (content: string) => [{ role: 'user', content }];
const OPENAI = { 'x-gw-provider': '@openai' };

describe('a document', () => {
  test('shows the request, what went to the provider, and the answer', async () => {
    await using logged = await start();
    const body = { model: 'mock-small', messages: messages('hello') };
    const { answer, records } = await logged.ask('/v1/chat/completions', {
      headers: { ...OPENAI, 'x-own': 'value', 'x-gw-metadata': '{"team":"a"}' },
      body,
    });
    expect(records).toHaveLength(1);
    expect(contentOf(records[0])).toEqual({
      request: {
        url: '/v1/chat/completions',
        method: 'POST',
        gwHeaders: { ...OPENAI, 'x-gw-metadata': '{"team":"a"}', 'x-gw-api-key': HASH },
        headers: expect.objectContaining({ 'x-own': 'value', 'content-type': 'application/json' }),
        body,
      },
      response: {
        ...{ status: 200, responseTime: records[0]?.row.response_ms, lastUsedOptionJsonPath: 'config' },
        headers: expect.objectContaining({ 'x-gw-provider': 'openai' }),
        body: answer.json(),
      },
      transformedRequest: { headers: expect.objectContaining({ authorization: HASH }), body },
    });
  });

  test('of another format shows parameters before they were mapped, and the answer of the provider', async () => {
    await using logged = await start();
    const config = JSON.stringify({ provider: '@anthropic', override_params: { max_tokens: 7 } });
    const { answer, records } = await logged.ask('/v1/chat/completions', {
      headers: { 'x-gw-config': config },
      body: { model: 'mock-small', messages: messages('hello') },
    });
    expect(answer.status).toBe(200);
    const { finalUntransformedRequest, transformedRequest, originalResponse, response } = contentOf(records[0]);
    expect(finalUntransformedRequest?.body).toMatchObject({ model: 'mock-small', max_tokens: 7 });
    expect(transformedRequest?.body).toMatchObject({ max_tokens: 7, messages: expect.any(Array) });
    expect(originalResponse?.body).toMatchObject({ type: 'message' });
    expect(response?.body).toMatchObject({ object: 'chat.completion' });
  });

  test('of each target of a fallback shows its own answer', async () => {
    await using logged = await start();
    const targets = ['mock-fail-503', 'mock-small'].map((model) => ({
      provider: '@openai',
      override_params: { model },
    }));
    const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets });
    const { records } = await logged.ask('/v1/chat/completions', {
      headers: { 'x-gw-config': config },
      body: { model: 'm', messages: messages('hello') },
    });
    expect(records.map(({ row }) => row.status)).toEqual([503, 200]);
    const [failed, good] = records.map(contentOf);
    expect(failed?.response).toMatchObject({ status: 503, body: { error: expect.anything() } });
    expect(failed?.transformedRequest?.body).toMatchObject({ model: 'mock-fail-503' });
    expect(good?.response).toMatchObject({ status: 200, lastUsedOptionJsonPath: 'config.targets[1]' });
  });

  test.for([
    { path: '/v1/chat/completions', headers: OPENAI, object: 'chat.completion' },
    { path: '/v1/chat/completions', headers: { 'x-gw-provider': '@anthropic' }, object: 'chat.completion' },
    { path: '/v1/messages', headers: { 'x-gw-provider': '@anthropic' }, object: undefined },
  ])('of a stream of $path has the answer that its events make', async ({ path, headers, object }) => {
    await using logged = await start();
    const body = { model: 'mock-small', max_tokens: 100, stream: true, messages: messages('hello stream') };
    const { answer, records } = await logged.ask(path, { headers, body });
    expect(answer.text).toContain('data: ');
    const { response } = contentOf(records[0]);
    expect(response).toMatchObject({ status: 200, body: { ...(object && { object }), model: 'mock-small' } });
    expect(response).not.toHaveProperty('truncated');
    expect(JSON.stringify(response?.body)).toContain('hello stream');
  });

  test('of a stream that is longer than what is kept has its beginning', async () => {
    await using logged = await start(undefined, { GATEHOUSE_LOGS_BODY_BYTES: '400' });
    const { answer, records } = await logged.ask('/v1/chat/completions', {
      headers: OPENAI,
      body: { model: 'mock-small', stream: true, messages: messages('word '.repeat(10_000)) },
    });
    const { response } = contentOf(records[0]);
    expect(response).toMatchObject({ truncated: true, body: { choices: [{ message: { role: 'assistant' } }] } });
    expect(answer.text.length).toBeGreaterThan(20 * JSON.stringify(response?.body).length);
  });

  test('of a stream in another format does not have it', async () => {
    await using logged = await start();
    const { answer, records } = await logged.ask('/v1/proxy/chat/completions', {
      headers: OPENAI,
      body: { model: 'mock-small', stream: true, messages: messages('hello') },
    });
    expect(answer.text).toContain('data: ');
    expect(records[0]?.row.source).toBe('proxy');
    expect(contentOf(records[0]).response).toMatchObject({ status: 200, truncated: true });
    expect(contentOf(records[0]).response).not.toHaveProperty('body');
  });

  test('of embeddings has no vectors', async () => {
    await using logged = await start();
    for (const more of [{}, { encoding_format: 'base64' }]) {
      const { answer, records } = await logged.ask('/v1/embeddings', {
        headers: OPENAI,
        body: { model: 'mock-embed', input: 'hello', dimensions: 256, ...more },
      });
      expect(answer.status).toBe(200);
      expect(contentOf(records[0]).response?.body).toMatchObject({ usage: expect.anything(), data: [{ index: 0 }] });
      expect(records[0]?.content?.length).toBeLessThan(3_000);
    }
  });

  test('of a long body has its beginning', async () => {
    await using logged = await start(undefined, { GATEHOUSE_LOGS_BODY_BYTES: '20000' });
    const { records } = await logged.ask('/v1/chat/completions', {
      headers: OPENAI,
      body: { model: 'mock-small', messages: messages('ä'.repeat(40_000)) },
    });
    const { request, transformedRequest } = contentOf(records[0]);
    for (const wire of [request, transformedRequest]) {
      expect(wire?.truncated).toBe(true);
      expect(wire?.body).toMatch(/^\{"model":"mock-small","messages":.*ää$/);
    }
  });

  test('of x-gw-debug: false has bodies of failures alone', async () => {
    await using logged = await start();
    const headers = { ...OPENAI, 'x-gw-debug': 'false' };
    const send = (model: string) =>
      logged.ask('/v1/chat/completions', { headers, body: { model, messages: messages('canary-7') } });
    const good = contentOf((await send('mock-small')).records[0]);
    expect(Object.keys(good).sort()).toEqual(['request', 'response']);
    expect(Object.keys(good.request ?? {}).sort()).toEqual(['gwHeaders', 'method', 'url']);
    expect(Object.keys(good.response ?? {}).sort()).toEqual(['lastUsedOptionJsonPath', 'responseTime', 'status']);
    const failed = await send('mock-fail-500');
    expect(contentOf(failed.records[0]).response).toMatchObject({ status: 500, headers: {}, body: { error: {} } });
    expect(failed.records[0]?.content).not.toContain('canary-7');
  });

  test.for<{ own?: Said; above?: Said; debug?: string; kept: string }>([
    { kept: 'all' },
    { above: { bodies: 'failed' }, kept: 'failed' },
    { above: { bodies: 'none' }, kept: 'none' },
    { own: { bodies: 'all' }, above: { bodies: 'none' }, kept: 'all' },
    { own: { bodies: 'failed' }, kept: 'failed' },
    { own: { bodies: 'failed' }, debug: 'true', kept: 'all' },
    { own: { bodies: 'all' }, debug: ' FALSE ', kept: 'failed' },
    { own: { bodies: 'none' }, debug: 'true', kept: 'none' },
    { own: { bodies: 'none' }, debug: 'false', kept: 'none' },
    { own: { bodies: 'all' }, above: { bodies: 'failed', enforced: true }, debug: 'true', kept: 'failed' },
    { own: { bodies: 'all' }, above: { bodies: 'none', enforced: true }, debug: 'true', kept: 'none' },
    { own: { bodies: 'none' }, above: { enforced: true }, debug: 'false', kept: 'all' },
  ])('is as they say: workspace $own, organisation $above, request $debug', async ({ own, above, debug, kept }) => {
    await using logged = await start(() => [
      organisation(above && { logging: above }),
      workspace(TEAM, own && { logging: own }),
    ]);
    const { records } = await logged.ask('/v1/chat/completions', {
      headers: { ...OPENAI, ...(debug && { 'x-gw-debug': debug }) },
      body: { model: 'mock-small', messages: messages('hello') },
    });
    const { content } = records[0] ?? {};
    if (content === undefined) expect(kept).toBe('none');
    else expect(content.includes('hello') ? 'all' : 'failed').toBe(kept);
  });

  test('is none where bodies are switched off', async () => {
    await using logged = await start(undefined, { GATEHOUSE_LOGS_BODY_BYTES: '0' });
    const { records } = await logged.ask('/v1/chat/completions', {
      headers: OPENAI,
      body: { model: 'mock-small', messages: messages('hello') },
    });
    expect(records).toEqual([{ row: expect.objectContaining({ status: 200 }), content: undefined }]);
  });

  test('of a refusal has what was asked', async () => {
    await using logged = await start();
    const body = { model: 'm', messages: messages('hello') };
    const { records } = await logged.ask('/v1/chat/completions', { headers: { 'x-gw-provider': '@nobody' }, body });
    expect(contentOf(records[0])).toMatchObject({ request: { body }, response: { status: 400, body: { error: {} } } });
  });
});

const SECRET = 'sk-canary/5f"3a+9b c7-0123456789';
const HEADER_SECRET = 'custom-header-canary-8842';
const CLIENT_SECRET = 'client-credential-canary-1177';
const WRITTEN: readonly (readonly [string, (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['in base64', (secret) => Buffer.from(`user:${secret}`).toString('base64')],
  ['in a URL', (secret) => encodeURIComponent(secret)],
  ['in JSON in JSON', (secret) => JSON.stringify({ key: secret })],
];

describe('a secret is in no document', () => {
  const entries = (mock: MockProvider): Entries => [
    provider('guarded', { secret: SECRET, headers: { 'x-tenant': HEADER_SECRET }, customHost: `${mock.url}/v1` }),
  ];

  test.for(WRITTEN)('written %s', async ([, write]) => {
    await using logged = await start(entries);
    const secrets = [SECRET, HEADER_SECRET, CLIENT_SECRET, KEY];
    const text = secrets.map(write).join(' and ');
    const requests: readonly Record<string, unknown>[] = [
      { model: '@guarded/mock-small', messages: messages(text) },
      { model: '@guarded/mock-fail-500', messages: messages(text) },
      { model: '@guarded/mock-small', stream: true, messages: messages(text) },
      { model: '@guarded/mock-small', messages: messages(`${'x'.repeat(300_000)}${text}${'y'.repeat(20_000)}`) },
    ];
    for (const body of requests) {
      const { records } = await logged.ask('/v1/chat/completions', {
        headers: { 'x-gw-metadata': JSON.stringify({ note: text }), 'x-auth-token': CLIENT_SECRET, 'x-note': text },
        body,
      });
      expect(records.length).toBeGreaterThan(0);
      for (const record of records) {
        expect(record.content).toBeDefined();
        for (const secret of secrets) {
          for (const form of [secret, write(secret), JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
            expect(record.content).not.toContain(form);
        }
      }
    }
  });

  test('at the place where a long body is cut', async () => {
    await using logged = await start(entries, { GATEHOUSE_LOGS_BODY_BYTES: '20000' });
    for (const before of [11_750, 11_760, 19_900, 19_930]) {
      const content = `${'x'.repeat(before)}${SECRET}${'y'.repeat(20_000)}`;
      const { records } = await logged.ask('/v1/chat/completions', {
        headers: {},
        body: { model: '@guarded/mock-small', messages: messages(content) },
      });
      expect(records[0]?.content).not.toContain('sk-canary');
    }
  });

  test('of an inline config', async () => {
    await using logged = await start();
    const config = {
      strategy: { mode: 'single' },
      targets: [{ provider: 'openai', api_key: CLIENT_SECRET, custom_host: 'https://example.com/v1?key=abcdef' }],
    };
    const { records } = await logged.ask('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config) },
      body: { model: 'm', messages: messages(CLIENT_SECRET) },
    });
    const { request } = contentOf(records[0]);
    expect(request?.gwHeaders?.['x-gw-config']).toEqual({
      strategy: { mode: 'single' },
      targets: [{ provider: 'openai', api_key: HASH, custom_host: 'https://example.com/v1' }],
    });
    expect(records[0]?.content).not.toContain(CLIENT_SECRET);
    expect(records[0]?.content).not.toContain('abcdef');
  });

  test('when the variable, the organisation, the workspace, the key or the request names its header', async () => {
    const other = 'gwk_other_0123456789abcdef0123456789abcdef';
    const mine = ['x-variable', 'x-organisation', 'x-workspace', 'x-key', 'x-request'];
    await using logged = await start(
      () => [
        organisation({ headersToMask: ['x-organisation'] }),
        workspace(TEAM, { headersToMask: ['x-workspace'] }),
        key({ headersToMask: ['x-key', 'x-workspace'], scopes: ['completions.write', 'logs.write'] }),
        key({ name: 'other', secret: other }),
      ],
      { ORGANISATION_HEADERS_TO_MASK: 'x-variable' },
    );
    const shownOf = async (secret: string) => {
      const own = Object.fromEntries(mine.map((name) => [name, 'jane-doe-1970']));
      const headers = { ...OPENAI, ...own, 'x-gw-api-key': secret, 'x-gw-sensitive-headers': 'X-Request' };
      const { records } = await logged.ask('/v1/chat/completions', {
        headers,
        body: { model: 'mock-small', messages: messages('hello') },
      });
      const shown = contentOf(records[0]).request?.headers;
      return mine.filter((name) => shown?.[name] !== 'jane-doe-1970');
    };
    expect(await shownOf(KEY)).toEqual(mine);
    expect(await shownOf(other)).toEqual(mine.filter((name) => name !== 'x-key'));
    const request = { url: '/v1/chat/completions', headers: Object.fromEntries(mine.map((name) => [name, 'jane'])) };
    const { records } = await logged.ask('/v1/logs', { body: [{ request }] });
    const shown = contentOf(records[0]).request?.headers;
    expect(mine.filter((name) => shown?.[name] === 'jane')).toEqual(['x-request']); // this call names none
  });

  test('when its header is named as sensitive', async () => {
    await using logged = await start();
    const { records } = await logged.ask('/v1/chat/completions', {
      headers: { ...OPENAI, 'x-patient': 'jane-doe-1970', 'x-gw-sensitive-headers': 'X-Patient' },
      body: { model: 'mock-small', messages: messages('hello') },
    });
    const { request } = contentOf(records[0]);
    expect(request?.headers?.['x-patient']).toEqual(HASH);
  });
});

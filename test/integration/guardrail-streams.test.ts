/** Guardrails on streams and soft denials over sockets: docs/behaviour/streams.md#guardrails. */
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { RequestRecord } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { guardrail, TEAM, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const PROTOCOLS = [
  {
    path: '/v1/chat/completions',
    provider: 'openai',
    body: (text: string) => ({ messages: [{ role: 'user', content: text }] }),
    end: 'data: [DONE]',
  },
  { path: '/v1/completions', provider: 'openai', body: (text: string) => ({ prompt: text }), end: 'data: [DONE]' },
  {
    path: '/v1/messages',
    provider: 'anthropic',
    body: (text: string) => ({ max_tokens: 500, messages: [{ role: 'user', content: text }] }),
    end: 'event: message_stop',
  },
  {
    path: '/v1/messages',
    provider: 'openai',
    body: (text: string) => ({ max_tokens: 500, messages: [{ role: 'user', content: text }] }),
    end: 'event: message_stop',
  },
  {
    path: '/v1/responses',
    provider: 'openai',
    body: (text: string) => ({ input: text }),
    end: 'event: response.completed',
  },
  {
    path: '/v1/responses',
    provider: 'anthropic',
    body: (text: string) => ({ input: text }),
    end: 'event: response.completed',
  },
] as const;

type Protocol = (typeof PROTOCOLS)[number];
type Guardrail = Partial<EntryBody<'guardrail'>>;

const noSecret = (over: Guardrail = {}) =>
  guardrail('no-secret', [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }], over);
const replace = (over: Guardrail = {}) =>
  guardrail('replace', [{ id: 'default.regexReplace', parameters: { rule: 'SECRET', redactText: '[gone]' } }], {
    deny: false,
    ...over,
  });
const redact = guardrail('redact', [{ id: 'default.pii', parameters: { redact: true, restore: true } }], {
  deny: false,
});

interface Slugs {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
}

/** Of the gateway that was started last. */
let records: RequestRecord[] = [];
const start = ({ input = [], output = [] }: Slugs, ...guardrails: readonly ReturnType<typeof guardrail>[]) => {
  const own: RequestRecord[] = []; // late records of the gateway before do not count
  records = own;
  return startWorld({
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void own.push(record) }],
    entries: () => [
      workspace(TEAM, { defaults: { inputGuardrails: [...input], outputGuardrails: [...output] } }),
      ...guardrails,
    ],
  });
};

interface Ask {
  readonly config?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: boolean;
}

const ask = (world: World, protocol: Protocol, text: string, { config, headers, stream = true }: Ask = {}) => {
  const { provider } = protocol;
  return world.send(protocol.path, {
    headers: { 'x-gw-config': JSON.stringify({ provider: `@${provider}`, ...config }), ...headers },
    body: { model: 'mock-small', stream, ...protocol.body(text) },
  });
};
const NOT_STRICT = { 'x-gw-strict-open-ai-compliance': 'false' };
/** All memory of requests has been given back. */
const nothingHeld = (world: World) => waitFor(async () => (await world.metric('gatehouse_buffered_bytes')) === 0);
const WORDS = 'word '.repeat(200);

describe.for(PROTOCOLS)('a stream of $path of $provider', (protocol) => {
  test('is not begun for a request that is denied', async () => {
    await using world = await start({ input: ['no-secret'] }, noSecret());
    const denied = await ask(world, protocol, 'SECRET');
    expect([denied.status, denied.json().error.message.length > 0]).toEqual([446, true]);
    expect(denied.headers['content-type']).toContain('application/json');
    expect(world.mock.requests).toEqual([]);
  });

  test('has the results of its request for clients that are not strict, and status 246 where one failed', async () => {
    await using world = await start({ input: ['no-secret'] }, noSecret({ deny: false }));
    const strict = await ask(world, protocol, 'SECRET');
    expect([strict.status, strict.text.includes('hook_results')]).toEqual([246, false]);
    const loose = await ask(world, protocol, 'SECRET', { headers: NOT_STRICT });
    expect([loose.status, loose.text.match(/"before_request_hooks":\[\{/g)?.length]).toEqual([246, 1]);
    expect(loose.text).toContain(protocol.end);
  });

  test('that is only watched is whole, and its verdicts are recorded', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret());
    const sent = await ask(world, protocol, 'SECRET', { headers: NOT_STRICT });
    expect([sent.status, sent.text.includes('"after_request_hooks":[{')]).toEqual([200, true]);
    await waitFor(() => records.length === 1);
    expect(records[0]?.decisions.guardrails).toMatchObject([{ id: 'no-secret', phase: 'output', verdict: false }]);
    expect(records[0]?.answeredBy?.usage?.output).toBeGreaterThan(0);
  });

  test('that is held is withheld before its first byte, and charged', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret({ buffer: true }));
    const denied = await ask(world, protocol, 'SECRET');
    expect([denied.status, denied.json().hook_results.after_request_hooks.length]).toEqual([446, 1]);
    const passed = await ask(world, protocol, 'fine');
    expect([passed.status, passed.text.includes(protocol.end)]).toEqual([200, true]);
    await waitFor(() => records.length === 2);
    for (const { answeredBy } of records) expect(answeredBy?.usage?.output).toBeGreaterThan(0);
  });

  test('that is held is tried again where its status is listed', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret({ buffer: true, deny: false }));
    const retry = { attempts: 1, on_status_codes: [246] };
    const failed = await ask(world, protocol, 'SECRET', { config: { retry } });
    expect([failed.status, world.mock.requests.length]).toEqual([246, 2]);
    await nothingHeld(world);
  });

  test('is cut at the first window that fails', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret({ window: 100 }));
    const cut = await ask(world, protocol, `${WORDS} SECRET ${WORDS}`);
    expect(cut.status).toBe(200);
    expect(cut.text).toContain('word');
    expect(cut.text).not.toContain('SECRET');
    expect(cut.text).not.toContain(protocol.end);
    expect(cut.text).toContain('hooks_failed');
    await waitFor(() => records.length === 1);
    expect(records[0]?.decisions.guardrails).toMatchObject([{ id: 'no-secret', denied: true }]);
  });

  test.for([{ buffer: true }, { window: 50 }])('is redacted with %o', async (over) => {
    await using world = await start({ output: ['replace'] }, replace(over));
    const sent = await ask(world, protocol, `${WORDS} SECRET ${WORDS}`);
    expect([sent.status, sent.text.includes('SECRET'), sent.text.includes('[gone]')]).toEqual([200, false, true]);
    expect(sent.text).toContain(protocol.end);
    await nothingHeld(world);
  });

  test('restores what was redacted in its request', async () => {
    await using world = await start({ input: ['redact'] }, redact);
    const sent = await ask(world, protocol, 'mail ada@example.com now');
    expect(lastRequest(world.mock).body.toString()).not.toContain('ada@example.com');
    expect(sent.text).toContain('ada@example.com');
  });

  test.for([{ stream: false }, { stream: true }])('is answered with the message of a soft denial: %o', async (over) => {
    const soft = noSecret({ softDeny200: true, message: 'I cannot say that', buffer: true });
    await using world = await start({ output: ['no-secret'] }, soft);
    for (const headers of [{}, NOT_STRICT]) {
      const denied = await ask(world, protocol, 'SECRET', { ...over, headers });
      expect([denied.status, denied.text.includes('"type":"hooks_failed"')]).toEqual([200, false]);
      expect(denied.text).toContain('I cannot say that');
      expect(denied.text).not.toContain('Mock answer');
      expect(denied.text.includes('"after_request_hooks":[{')).toBe(headers === NOT_STRICT);
      expect(denied.text.includes(protocol.end)).toBe(over.stream);
    }
    await waitFor(() => records.length === 2);
    for (const { answeredBy, answer } of records) {
      expect([answer.status, answeredBy?.error?.code]).toEqual([200, 'GUARDRAIL_DENIED']);
      expect(answeredBy?.usage?.output).toBeGreaterThan(0);
    }
  });
});

test('a soft denial moves a fallback on before it becomes an answer', async () => {
  const onlyLarge = guardrail(
    'only-large',
    [{ id: 'default.modelWhitelist', parameters: { models: ['mock-large'] } }],
    { softDeny200: true },
  );
  await using world = await start({ input: ['only-large'] }, onlyLarge);
  const [chat] = PROTOCOLS;
  const targets = ['mock-small', 'mock-large'].map((model) => ({ provider: '@openai', override_params: { model } }));
  const config = { provider: undefined, strategy: { mode: 'fallback' }, targets };
  const answer = await ask(world, chat, 'hi', { config, stream: false });
  expect([answer.status, answer.json().model]).toEqual([200, 'mock-large']);
});

test('a soft denial without a message names nothing that a strict client does not get', async () => {
  await using world = await start({ input: ['no-secret'] }, noSecret({ softDeny200: true }));
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'SECRET' }] },
  });
  expect([answer.status, answer.json().choices[0].message.content]).toEqual([
    200,
    'The guardrail checks defined in the config failed.',
  ]);
});

test('embeddings are denied with 446 though the guardrail is soft', async () => {
  await using world = await start({ input: ['no-secret'] }, noSecret({ softDeny200: true }));
  const headers = { 'x-gw-provider': '@openai' };
  const denied = await world.send('/v1/embeddings', { headers, body: { model: 'mock-embedding', input: 'SECRET' } });
  expect([denied.status, denied.json().error.type]).toEqual([446, 'hooks_failed']);
});

describe('a stream that may be cached', () => {
  const [chat] = PROTOCOLS;
  const config = { cache: { mode: 'simple' } };

  test('is stored when its checks passed', async () => {
    await using world = await start({ output: ['no-secret'] }, noSecret());
    const first = await ask(world, chat, 'fine', { config });
    const hit = await ask(world, chat, 'fine', { config });
    expect([first.headers['x-gw-cache-status'], hit.headers['x-gw-cache-status']]).toEqual(['MISS', 'HIT']);
    expect(hit.text).toContain('Mock answer to: fine');
    await ask(world, chat, 'SECRET', { config });
    expect((await ask(world, chat, 'SECRET', { config })).headers['x-gw-cache-status']).toBe('MISS');
  });

  test('is not stored with what was restored for one client', async () => {
    await using world = await start({ input: ['redact'] }, redact);
    await ask(world, chat, 'mail ada@example.com', { config });
    const other = await ask(world, chat, 'mail bob@example.com', { config });
    expect([other.headers['x-gw-cache-status'], other.text.includes('ada@')]).toEqual(['MISS', false]);
    expect(other.text).toContain('bob@example.com');
  });
});

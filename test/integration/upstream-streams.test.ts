import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { eventsOf } from '../kit/http.ts';
import { config, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
/** Ends streams that are silent; on a busy machine others are so for a moment, too, which is why they are not asked of it. */
let impatient: World;

beforeAll(async () => {
  impatient = await startWorld({ env: { GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: '300' } });
  world = await startWorld({
    entries: ({ url }) => [
      provider('peeking', {
        provider: 'anthropic',
        customHost: `${url}/v1`,
        inspectStreamForOverload: true,
      }),
      config('peek', {
        strategy: { mode: 'fallback', on_status_codes: [529] },
        targets: [
          { provider: '@peeking', override_params: { model: 'mock-overloaded' } },
          { provider: '@peeking', override_params: { model: 'mock-small' } },
        ],
      }),
    ],
  });
});

afterEach(async () => {
  await expectNothingLeft(world);
  await expectNothingLeft(impatient);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await impatient[Symbol.asyncDispose]();
});

// Long enough for a stream that can be cut in the middle in every format.
const question = 'a question that comes back in the answer '.repeat(6);
const messages = [{ role: 'user', content: question }];
const FORMATS = {
  chat: { path: '/v1/chat/completions', provider: '@openai', body: { messages } },
  completion: { path: '/v1/completions', provider: '@openai', body: { prompt: question } },
  messages: { path: '/v1/messages', provider: '@anthropic', body: { messages, max_tokens: 50 } },
  responses: { path: '/v1/responses', provider: '@openai', body: { input: 'hi' } },
  translated: { path: '/v1/chat/completions', provider: '@anthropic', body: { messages, max_tokens: 50 } },
} as const;

type Format = keyof typeof FORMATS;

const ask = (format: Format, model: string, headers: Record<string, string> = {}, of = world) => {
  const { path, provider: slug, body } = FORMATS[format];
  return of.send(path, { headers: { 'x-gw-provider': slug, ...headers }, body: { ...body, model, stream: true } });
};

/** The last event is an error in the format of the client, and nothing comes after it. */
function expectLastWords(format: Format, text: string, type: string): void {
  const events = eventsOf(text);
  for (const { data: whole } of events) JSON.parse(whole); // no half events
  const last = events.at(-1);
  const data = JSON.parse(last?.data ?? '');
  switch (format) {
    case 'messages':
      expect(last?.event).toBe('error');
      expect(data).toEqual({ type: 'error', error: { type, message: expect.any(String) } });
      return;
    case 'responses':
      expect(last?.event).toBe('response.failed');
      expect(data).toMatchObject({
        type: 'response.failed',
        sequence_number: events.length - 1,
        response: { status: 'failed', error: { code: type, message: expect.any(String) } },
      });
      expect(data.response.id).toBe(JSON.parse(events[0]?.data ?? '').response.id);
      return;
    default:
      expect(last?.event).toBeUndefined();
      expect(data).toMatchObject({ error: { type, message: expect.any(String), param: null, code: null } });
  }
}

const ALL = Object.keys(FORMATS) as Format[];
const RELAYED = ALL.filter((format) => format !== 'translated');

/** What a stream that ended well has at its end. */
const TERMINALS: Readonly<Record<Format, string>> = {
  chat: '[DONE]',
  completion: '[DONE]',
  translated: '[DONE]',
  messages: 'message_stop',
  responses: 'response.completed',
};

describe('a stream that the provider', () => {
  test.for(ALL)('cuts ends with an error event: %s', async (format) => {
    const { text, status } = await ask(format, 'mock-cut-2000');
    expect(status).toBe(200);
    expect(eventsOf(text).length).toBeGreaterThan(1);
    expectLastWords(format, text, 'stream_error');
  });

  test.for(ALL)('leaves silent ends with an error event: %s', async (format) => {
    const { text } = await ask(format, 'mock-stall-2000', {}, impatient);
    expectLastWords(format, text, 'stream_error');
    await waitFor(() => impatient.mock.requests.at(-1)?.outcome === 'broken');
  });

  test.for(ALL)('ends with an error event of its own ends there: %s', async (format) => {
    const headers = { 'x-gw-forward-headers': 'x-mock-error-event-after', 'x-mock-error-event-after': '2' };
    const { text, status } = await ask(format, 'mock-error-event', headers);
    expect(status).toBe(200);
    expect(text).toContain('Mock error event');
    expect(text).not.toContain('message_stop');
  });

  test.for(ALL)('sends byte by byte stays whole: %s', async (format) => {
    const whole = await ask(format, 'mock-small');
    const sliced = await ask(format, 'mock-small', {
      'x-gw-forward-headers': 'x-mock-chunk-bytes',
      'x-mock-chunk-bytes': '1',
    });
    expect(withoutTime(sliced.text)).toBe(withoutTime(whole.text));
  });

  test.for(['chat', 'completion', 'translated'] as const)(
    'forgets to terminate gets its [DONE]: %s',
    async (format) => {
      const { text } = await ask(format, 'mock-small', {
        'x-gw-forward-headers': 'x-mock-no-done',
        'x-mock-no-done': '1',
      });
      expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    },
  );

  test.for([
    ...RELAYED.map((format) => ({ format, malformed: 'json' })),
    ...RELAYED.map((format) => ({ format, malformed: 'sse' })),
    ...ALL.map((format) => ({ format, malformed: 'utf8' })),
  ])('breaks the syntax of ($malformed) is relayed to its end: $format', async ({ format, malformed }) => {
    const { status, text } = await ask(format, `mock-malformed-${malformed}`);
    expect(status).toBe(200);
    expect(text).toContain(TERMINALS[format]);
  });

  test.for(['json', 'sse'])(
    'breaks the syntax of (%s) ends with an error event where it is read',
    async (malformed) => {
      const { text } = await ask('translated', `mock-malformed-${malformed}`);
      expectLastWords('translated', text, 'stream_error');
      expect(text).not.toContain('[DONE]');
    },
  );

  test.for(ALL)('sends slowly stays whole: %s', async (format) => {
    const whole = await ask(format, 'mock-small');
    const slow = await ask(format, 'mock-small', {
      'x-gw-forward-headers': 'x-mock-token-delay-ms',
      'x-mock-token-delay-ms': '5',
      'x-gw-request-timeout': '60000',
    });
    expect(withoutTime(slow.text)).toBe(withoutTime(whole.text));
  });

  test('does not begin counts as a failure: the fallback goes on', async () => {
    // The answer of the next target may stand still for a moment, too.
    await using waiting = await startWorld({ env: { GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: '2000' } });
    for (const [of, model] of [
      [world, 'mock-cut-0'],
      [waiting, 'mock-stall-0'],
    ] as const) {
      const answer = await of.send('/v1/chat/completions', {
        headers: {
          'x-gw-config': JSON.stringify({
            strategy: { mode: 'fallback' },
            targets: [{ provider: '@openai', override_params: { model } }, { provider: '@openai' }],
          }),
        },
        body: { model: 'mock-small', stream: true, messages },
      });
      expect(answer.headers['x-gw-last-used-option-index'], model).toBe('config.targets[1]');
      expect(answer.text).toContain('[DONE]');
    }
  });
});

const withoutTime = (text: string): string => text.replace(/"created":\d+/g, '').replace(/"obfuscation":"[^"]*"/g, '');

describe('an overload in the first event', () => {
  test('is 529 where the provider is looked at, and moves the fallback on', async () => {
    const answer = await world.send('/v1/messages', {
      headers: { 'x-gw-config': 'peek' },
      body: { messages, max_tokens: 20, stream: true },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[1]');
    expect(answer.text).toContain('message_stop');
  });

  test.for(['messages', 'translated'] as const)('is answered as 529 without a fallback: %s', async (format) => {
    const answer = await ask(format, 'mock-overloaded', { 'x-gw-provider': '@peeking' });
    expect(answer.status).toBe(529);
    expect(answer.json()).toMatchObject({ error: { type: 'overloaded_error', message: 'Overloaded' } });
  });

  test.for(['messages', 'translated'] as const)('is an event that the relay does not read: %s', async (format) => {
    const answer = await ask(format, 'mock-overloaded');
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('overloaded_error');
  });

  test('looked for in vain changes no byte of a stream', async () => {
    const plain = await ask('messages', 'mock-small');
    const looked = await ask('messages', 'mock-small', { 'x-gw-provider': '@peeking' });
    expect(looked.text).toBe(plain.text);
  });
});

describe('an overload in the first event, with the switch of the gateway on', () => {
  let watching: World;
  beforeAll(async () => {
    watching = await startWorld({
      env: { GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD: 'true' },
      entries: ({ url }) => [
        provider('blind', { provider: 'anthropic', customHost: `${url}/v1`, inspectStreamForOverload: false }),
      ],
    });
  });
  afterAll(() => watching[Symbol.asyncDispose]());

  const stream = (headers: Record<string, string>) =>
    watching.send('/v1/messages', {
      headers,
      body: { model: 'mock-overloaded', messages, max_tokens: 20, stream: true },
    });

  test('is 529 for accounts that do not say', async () => {
    expect((await stream({ 'x-gw-provider': '@anthropic' })).status).toBe(529);
  });

  test('is 529 for calls with the credential of the caller', async () => {
    const own = { 'x-gw-provider': 'anthropic', 'x-gw-custom-host': `${watching.mock.url}/v1`, 'x-api-key': 'sk-own' };
    expect((await stream(own)).status).toBe(529);
  });

  test('is an event for accounts that switch it off', async () => {
    const answer = await stream({ 'x-gw-provider': '@blind' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('overloaded_error');
  });
});

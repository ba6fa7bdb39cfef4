/** The Gemini API over Google: what Google alone has goes there and comes back. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, guardrail, key, provider, workspace } from '../kit/snapshot.ts';

const PNG = 'iVBORw0KGgo=';
const CANDIDATE = {
  content: {
    role: 'model',
    parts: [
      { text: 'I draw it.', thought: true },
      { executableCode: { language: 'PYTHON', code: 'print("a@example.com")' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'a@example.com\n4111\n' } },
      { text: 'Write to a@example.com', thoughtSignature: 'c2ln' },
      { inlineData: { mimeType: 'image/png', data: PNG }, thoughtSignature: 'c2lnMg==' },
    ],
  },
  finishReason: 'STOP',
  index: 0,
  groundingMetadata: { webSearchQueries: ['q'] },
  urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://example.com' }] },
  safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
};
const USAGE = { promptTokenCount: 3, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 10 };
const ANSWER = { candidates: [CANDIDATE], usageMetadata: USAGE, modelVersion: 'gemini-2.5-flash-image' };

const GUARDRAILS = [
  ...['no-mail', 'no-mail-held', 'no-mail-windows', 'denied'],
  ...['no-card', 'no-card-held', 'no-card-windows', 'denied-card', 'denied-card-windows'],
];
const NO_CARD = [{ id: 'default.regexReplace', parameters: { rule: '4\\d{3}', redactText: '[card]' } }];
const DENIED_CARD = [{ id: 'default.contains', parameters: { words: ['4111'], operator: 'none' } }];
const NO_MAIL = [{ id: 'default.regexReplace', parameters: { rule: 'a@example.com', redactText: '[mail]' } }];

let upstream: RawUpstream;
let said: object = ANSWER;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await startRawUpstream(async ({ request, answer }) => {
    await request.body;
    const json = JSON.stringify(said);
    if (request.target.includes(':stream'))
      await answer(200, `data: ${json}\r\n\r\n`, { 'content-type': 'text/event-stream' });
    else if (request.target.includes('/chat/completions'))
      await answer(
        200,
        JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }),
        {
          'content-type': 'application/json',
        },
      );
    else await answer(200, json, { 'content-type': 'application/json' });
  });
  gateway = await startGateway({
    entries: [
      workspace(),
      key(),
      provider('gemini', { provider: 'google', customHost: upstream.url }),
      provider('openai', { customHost: `${upstream.url}/v1` }),
      guardrail('no-mail', NO_MAIL),
      guardrail('no-mail-held', NO_MAIL, { buffer: true }),
      guardrail('no-mail-windows', NO_MAIL, { window: 50 }),
      guardrail('denied', [{ id: 'default.contains', parameters: { words: ['example'], operator: 'none' } }], {
        buffer: true,
      }),
      guardrail('no-card', NO_CARD),
      guardrail('no-card-held', NO_CARD, { buffer: true }),
      guardrail('no-card-windows', NO_CARD, { window: 50 }),
      guardrail('denied-card', DENIED_CARD, { buffer: true }),
      guardrail('denied-card-windows', DENIED_CARD, { window: 50 }),
      ...GUARDRAILS.map((name) => config(name, { provider: '@gemini', output_guardrails: [name] })),
      config('cached', { provider: '@gemini', cache: { mode: 'simple' } }),
    ],
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
let seen = 0;
beforeEach(() => {
  seen = upstream.requests.length;
  said = ANSWER;
});

const ask = (call: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  gateway.send(`/v1beta/models/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const sent = async () => JSON.parse(String(await upstream.requests.at(-1)?.body));
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Draw' }] }] };
const MODEL = '@gemini/gemini-2.5-flash-image';
const { finishReason, index, content, ...beside } = CANDIDATE;

test('an answer has all that Google says', async () => {
  const { status, json, text } = await ask(`${MODEL}:generateContent`, HELLO);
  expect(status, text).toBe(200);
  expect(json()).toEqual({ ...ANSWER, responseId: expect.any(String) });
});

test('a stream has all that Google says', async () => {
  const { text } = await ask(`${MODEL}:streamGenerateContent?alt=sse`, HELLO);
  const [first, last] = text
    .trim()
    .split('\n\n')
    .map((event) => JSON.parse(event.slice('data: '.length)));
  expect(first).toMatchObject({ candidates: [{ content, index, ...beside }] });
  expect(last).toMatchObject({ candidates: [{ finishReason, index }], usageMetadata: USAGE });
});

test.for(['generateContent', 'streamGenerateContent?alt=sse'])(
  'a call of a function has its signature: %s',
  async (call) => {
    const part = { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' };
    said = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }] };
    const { text } = await ask(`${MODEL}:${call}`, HELLO);
    const { candidates } = JSON.parse(
      text
        .trim()
        .split('\n\n')
        .at(-1)
        ?.replace(/^data: /, '') ?? '',
    );
    expect(candidates).toMatchObject([{ content: { parts: [part] } }]);
  },
);

test('a request says all that Google reads, and the next turn gives it back', async () => {
  const { headers } = await ask(`${MODEL}:generateContent`, {
    contents: [...HELLO.contents, CANDIDATE.content, { role: 'user', parts: [{ text: 'More' }] }],
    tools: [{ codeExecution: {} }, { urlContext: {} }, { googleSearch: {} }],
    toolConfig: { retrievalConfig: { languageCode: 'en' } },
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      speechConfig: { languageCode: 'en-US' },
      thinkingConfig: { includeThoughts: true },
    },
  });
  expect(headers['x-gw-dropped-params']).toBeUndefined();
  const [, ...parts] = CANDIDATE.content.parts;
  expect(await sent()).toEqual({
    contents: [...HELLO.contents, { role: 'model', parts }, { role: 'user', parts: [{ text: 'More' }] }],
    tools: [{ codeExecution: {} }, { urlContext: {} }, { googleSearch: {} }],
    toolConfig: { retrievalConfig: { languageCode: 'en' } },
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      speechConfig: { languageCode: 'en-US' },
      thinkingConfig: { includeThoughts: true },
    },
  });
});

test('another vendor gets none of it, and the client is told', async () => {
  const { status, headers, text } = await ask('@openai/gpt-4o:generateContent', {
    contents: [
      ...HELLO.contents,
      { role: 'model', parts: [{ text: 'Done', thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ text: 'More' }] },
    ],
    tools: [{ codeExecution: {} }],
    generationConfig: { speechConfig: {}, thinkingConfig: { includeThoughts: true } },
    serviceTier: 'flex',
  });
  expect(status, text).toBe(200);
  expect(headers['x-gw-dropped-params']).toBe('serviceTier, speech_config, google_tools');
  expect(await sent()).toEqual({
    model: 'gpt-4o',
    messages: [
      { role: 'user', content: 'Draw' },
      { role: 'assistant', content: 'Done' },
      { role: 'user', content: 'More' },
    ],
  });
});

describe('a guardrail', () => {
  test('that changes the answer leaves no other copy of it', async () => {
    const headers = { 'x-gw-config': 'no-mail' };
    const { status, text, json } = await ask('gemini-2.5-flash-image:generateContent', HELLO, headers);
    expect(status, text).toBe(200);
    expect(text).not.toContain('a@example.com');
    expect(json()).toMatchObject({
      candidates: [
        {
          content: {
            parts: expect.arrayContaining([
              { text: 'Write to [mail]' },
              { inlineData: { mimeType: 'image/png', data: PNG }, thoughtSignature: 'c2lnMg==' },
            ]),
          },
        },
      ],
    });
  });

  test.for(['no-mail-held', 'no-mail-windows'])(
    'that changes a stream leaves no other copy of a text: %s',
    async (name) => {
      const headers = { 'x-gw-config': name };
      const { text } = await ask('gemini-2.5-flash-image:streamGenerateContent?alt=sse', HELLO, headers);
      expect(text).toContain('Write to [mail]');
      expect(text).not.toContain('Write to a@example.com');
    },
  );

  test.for(['generateContent', 'streamGenerateContent?alt=sse'])('that denies lets nothing out: %s', async (call) => {
    const { status, text } = await ask(`gemini-2.5-flash-image:${call}`, HELLO, { 'x-gw-config': 'denied' });
    expect(status).toBe(446);
    for (const said of ['example.com', PNG, 'executableCode', 'I draw it']) expect(text).not.toContain(said);
  });
});

describe('a guardrail of what stands in the output of code alone', () => {
  const RELAXED = { 'x-gw-strict-open-ai-compliance': 'false' };

  test.for([
    ['generateContent', 'no-card'],
    ['streamGenerateContent?alt=sse', 'no-card-held'],
    ['streamGenerateContent?alt=sse', 'no-card-windows'],
  ] as const)('changes it: %s, %s', async ([call, name]) => {
    const headers = { ...RELAXED, 'x-gw-config': name };
    const { text } = await ask(`gemini-2.5-flash-image:${call}`, HELLO, headers);
    expect(text).toContain('"output":"a@example.com\\n[card]\\n"');
    expect(text).toContain('Write to a@example.com');
    expect(text).not.toContain('4111');
  });

  test.for(['generateContent', 'streamGenerateContent?alt=sse'])('denies it: %s', async (call) => {
    const headers = { 'x-gw-config': 'denied-card' };
    const { status, text } = await ask(`gemini-2.5-flash-image:${call}`, HELLO, headers);
    expect([status, text]).toEqual([446, expect.not.stringContaining('4111')]);
  });

  test.for([{}, RELAXED])('denies it in windows: %j', async (relaxed) => {
    const headers = { ...relaxed, 'x-gw-config': 'denied-card-windows' };
    const { text } = await ask('gemini-2.5-flash-image:streamGenerateContent?alt=sse', HELLO, headers);
    expect(text).not.toContain('4111');
  });

  test.for([false, true])(
    'changes it for clients of chat completions that are not strict (stream: %s)',
    async (stream) => {
      const { text } = await gateway.send('/v1/chat/completions', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...RELAXED,
          'x-gw-config': stream ? 'no-card-windows' : 'no-card',
        },
        body: JSON.stringify({
          model: 'gemini-2.5-flash-image',
          messages: [{ role: 'user', content: 'Draw' }],
          stream,
        }),
      });
      expect(text).toContain('[card]');
      expect(text).not.toContain('4111');
    },
  );
});

test.for(['generateContent', 'streamGenerateContent?alt=sse'])('a stored answer is the same: %s', async (call) => {
  const headers = { 'x-gw-config': 'cached' };
  const first = await ask(`gemini-2.5-flash-image:${call}`, HELLO, headers);
  const second = await ask(`gemini-2.5-flash-image:${call}`, HELLO, headers);
  expect([first, second].map(({ headers: got }) => got['x-gw-cache-status'])).toEqual(['MISS', 'HIT']);
  expect(upstream.requests.length - seen).toBe(1);
  for (const part of ['executableCode', 'codeExecutionResult', PNG, 'c2lnMg==', 'webSearchQueries'])
    expect(second.text).toContain(part);
});

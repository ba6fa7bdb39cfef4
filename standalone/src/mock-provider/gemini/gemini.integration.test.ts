import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, MOCK_MODELS, type MockProvider } from '../index.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const contents = [{ role: 'user', parts: [{ text: 'Say ' }, { text: 'hello' }] }];
const parameters = { type: 'OBJECT', properties: { city: { type: 'STRING' } } };
const tools = [{ functionDeclarations: [{ name: 'get_weather', parameters }] }];

function post(verb: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const request = { method: 'POST', body: JSON.stringify(body), headers };
  return fetch(`${mock.url}/v1beta/models/gemini-mock:${verb}`, request);
}

async function generate(body: object): Promise<unknown> {
  return (await post('generateContent', body)).json();
}

function parseEvents(text: string): unknown[] {
  return text.split('\r\n\r\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.replace(/^data: /, ''))]));
}

function textOf(fragments: readonly unknown[], thought: boolean): string {
  const parts = JSON.stringify(fragments).matchAll(/\{"text":"([^"]*)"(,"thought":true)?\}/g);
  return Array.from(parts, ([, text, mark]) => ((mark !== undefined) === thought ? text : '')).join('');
}

describe('generateContent', () => {
  test('repeats the user and counts tokens', async () => {
    expect(await generate({ contents })).toMatchObject({
      candidates: [
        { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Mock answer to: Say hello' }] } },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 7, totalTokenCount: 10 },
      modelVersion: 'gemini-mock',
    });
  });

  const text = (answer: string) => ({ candidates: [{ content: { parts: [{ text: answer }] } }] });
  test.for([
    {
      rule: 'a cut',
      more: { generationConfig: { maxOutputTokens: 2 } },
      want: { candidates: [{ finishReason: 'MAX_TOKENS' }] },
    },
    { rule: 'snake case', more: { generation_config: { stop_sequences: [' to'] } }, want: text('Mock answer') },
    {
      rule: 'several candidates',
      more: { generationConfig: { candidateCount: 2 } },
      want: { candidates: [{ index: 0 }, { index: 1 }] },
    },
    {
      rule: 'JSON of a schema',
      more: {
        generationConfig: {
          responseMimeType: 'application/json',
          responseSchema: { type: 'OBJECT', properties: { n: { type: 'INTEGER' } } },
        },
      },
      want: text('{"n":1}'),
    },
    {
      rule: 'thoughts',
      more: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
      want: {
        candidates: [{ content: { parts: [{ thought: true }, { text: 'Mock answer to: Say hello' }] } }],
        usageMetadata: { candidatesTokenCount: 7, thoughtsTokenCount: 15, totalTokenCount: 25 },
      },
    },
    {
      rule: 'images and instructions',
      more: {
        systemInstruction: { parts: [{ text: 'Be brief' }] },
        contents: [{ role: 'user', parts: [{ inlineData: { data: '' } }] }],
      },
      want: { ...text('Mock answer to:  [1 image]'), usageMetadata: { promptTokenCount: 2 } },
    },
    {
      rule: 'a function call',
      more: { tools },
      want: {
        candidates: [
          {
            finishReason: 'STOP',
            content: { parts: [{ functionCall: { name: 'get_weather', args: { city: 'Paris' } } }] },
          },
        ],
      },
    },
    {
      rule: 'functions that are not allowed',
      more: { tools, toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['other'] } } },
      want: text('Mock answer to: Say hello'),
    },
    {
      rule: 'mode NONE',
      more: { tools, tool_config: { function_calling_config: { mode: 'NONE' } } },
      want: text('Mock answer to: Say hello'),
    },
    {
      rule: 'a function response',
      more: {
        tools,
        contents: [
          ...contents,
          { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { t: 18 } } }] },
        ],
      },
      want: text('Mock answer from the tool result: {"t":18}'),
    },
  ])('knows $rule', async ({ more, want }) => {
    expect(await generate({ contents, ...more })).toMatchObject(want);
  });

  test('is found under the project path of the cloud edition', async () => {
    const path = '/v1/projects/p/locations/l/publishers/google/models/gemini-mock:generateContent';
    const response = await fetch(`${mock.url}${path}`, { method: 'POST', body: JSON.stringify({ contents }) });
    expect(await response.json()).toMatchObject({ modelVersion: 'gemini-mock' });
  });

  test('reads controls from the model in the path', async () => {
    const path = '/v1beta/models/mock-delay-1%2Bfail-429:generateContent';
    const response = await fetch(`${mock.url}${path}`, { method: 'POST', body: JSON.stringify({ contents }) });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
  });
});

describe('streamGenerateContent', () => {
  const thinking = { contents, generationConfig: { thinkingConfig: { includeThoughts: true } } };

  test.for([
    { rule: 'as SSE', verb: 'streamGenerateContent?alt=sse', type: 'text/event-stream', parse: parseEvents },
    { rule: 'as a JSON array', verb: 'streamGenerateContent', type: 'application/json', parse: JSON.parse },
  ])('adds up to the whole answer $rule', async ({ verb, type, parse }) => {
    const response = await post(verb, thinking);
    expect(response.headers.get('content-type')).toContain(type);
    const fragments: unknown[] = parse(await response.text());
    const whole = [await generate(thinking)];
    expect(fragments.length).toBeGreaterThan(5);
    expect(textOf(fragments, false)).toBe(textOf(whole, false));
    expect(textOf(fragments, true)).toBe(textOf(whole, true));
    const counted = fragments.map(
      (item) => isObject(item) && isObject(item['usageMetadata']) && 'candidatesTokenCount' in item['usageMetadata'],
    );
    expect(counted.indexOf(true)).toBe(fragments.length - 1);
    expect(fragments.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { totalTokenCount: 25 },
    });
  });

  test.for([
    { rule: 'SSE', verb: 'streamGenerateContent?alt=sse', parse: parseEvents },
    { rule: 'JSON array', verb: 'streamGenerateContent', parse: JSON.parse },
  ])('can end with an error in a stream of $rule', async ({ verb, parse }) => {
    const response = await post(
      verb,
      { contents },
      { 'x-mock-error-event': 'overloaded', 'x-mock-error-event-after': '1' },
    );
    const fragments: unknown[] = parse(await response.text());
    expect(fragments).toMatchObject([{ candidates: [{}] }, { error: { code: 503, status: 'UNAVAILABLE' } }]);
  });

  test('sends its headers before the first slow token', async () => {
    const response = await post('streamGenerateContent?alt=sse', { contents }, { 'x-mock-token-delay-ms': '60000' });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  test('answers an error as an array unless it is SSE', async () => {
    expect(await (await post('streamGenerateContent', {})).json()).toMatchObject([
      { error: { status: 'INVALID_ARGUMENT' } },
    ]);
    expect(await (await post('streamGenerateContent?alt=sse', {})).json()).toMatchObject({ error: { code: 400 } });
  });
});

describe('embeddings', () => {
  const content = { parts: [{ text: 'A text' }] };

  test('are the same alone and in a batch', async () => {
    const response = await post('embedContent', { content, outputDimensionality: 4 });
    const alone: { embedding: object } = JSON.parse(await response.text());
    const request = { model: 'models/gemini-mock', content, output_dimensionality: 4 };
    const batch = await (await post('batchEmbedContents', { requests: [request, request] })).json();
    expect(alone).toMatchObject({
      embedding: { values: [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)] },
    });
    expect(batch).toEqual({ embeddings: [alone.embedding, alone.embedding] });
  });

  test.for([
    { rule: 'no content', verb: 'embedContent', body: {} },
    { rule: 'too many dimensions', verb: 'embedContent', body: { content, outputDimensionality: 9_999 } },
    { rule: 'no requests', verb: 'batchEmbedContents', body: {} },
    { rule: 'an empty request', verb: 'batchEmbedContents', body: { requests: [{ content }, {}] } },
  ])('refuse $rule', async ({ verb, body }) => {
    expect((await post(verb, body)).status).toBe(400);
  });
});

interface ModelPage {
  readonly models: readonly { readonly name: string }[];
  readonly nextPageToken?: string;
}

test('models are listed in pages', async () => {
  const list = async (query: string): Promise<ModelPage> => {
    const response = await fetch(`${mock.url}/v1beta/models?${query}`);
    return JSON.parse(await response.text());
  };
  const first = await list('pageSize=3');
  const second = await list(`pageSize=3&pageToken=${first.nextPageToken}`);
  const names = [...first.models, ...second.models].map((entry) => entry.name);
  expect(names).toEqual(MOCK_MODELS.map((id) => `models/${id}`));
  expect(second.nextPageToken).toBeUndefined();
});

test('a model is found by its name', async () => {
  const [name] = MOCK_MODELS;
  expect(await (await fetch(`${mock.url}/v1beta/models/${name}`)).json()).toMatchObject({ name: `models/${name}` });
  expect((await fetch(`${mock.url}/v1beta/models/no-such`)).status).toBe(404);
});

test('tokens are counted, of contents or of a whole request', async () => {
  const asked = { contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }] };
  expect(await (await post('countTokens', asked)).json()).toMatchObject({ totalTokens: 3 });
  expect(await (await post('countTokens', { generateContentRequest: asked })).json()).toMatchObject({ totalTokens: 3 });
  expect((await post('countTokens', {})).status).toBe(400);
});

test('a file is uploaded in two steps, and read until it is deleted', async () => {
  const begun = await fetch(`${mock.url}/upload/v1beta/files`, {
    method: 'POST',
    headers: { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' },
    body: JSON.stringify({ file: { displayName: 'notes', mimeType: 'text/plain' } }),
  });
  const place = begun.headers.get('x-goog-upload-url') ?? '';
  const bring = (): Promise<Response> =>
    fetch(place, { method: 'POST', headers: { 'x-goog-upload-command': 'upload, finalize' }, body: 'Hello' });
  const ended: { file: { name: string } } = JSON.parse(await (await bring()).text());
  expect(ended.file).toMatchObject({ displayName: 'notes', mimeType: 'text/plain', sizeBytes: '5', state: 'ACTIVE' });
  expect((await bring()).status).toBe(404); // an upload ends once
  const { name } = ended.file;
  const at = `${mock.url}/v1beta/${name}`;
  expect(await (await fetch(at)).json()).toMatchObject({ name });
  expect(await (await fetch(`${at}:download?alt=media`)).text()).toBe('Hello');
  expect(await (await fetch(`${mock.url}/v1beta/files`)).json()).toMatchObject({ files: [{ name }] });
  await fetch(at, { method: 'DELETE' });
  expect((await fetch(at)).status).toBe(404);
});

const announce = (file: object): Promise<Response> =>
  fetch(`${mock.url}/upload/v1beta/files`, {
    method: 'POST',
    headers: { 'x-goog-upload-command': 'start' },
    body: JSON.stringify({ file }),
  });

test.for([
  { rule: 'a second header', mimeType: 'text/plain\r\nx: y' },
  { rule: 'letters that no header carries', mimeType: 'text/простой' },
  { rule: 'a length that no header has', mimeType: `text/${'x'.repeat(100_000)}` },
])('a file whose MIME type has $rule is read without it', async ({ mimeType }) => {
  const place = (await announce({ displayName: 'notes', mimeType })).headers.get('x-goog-upload-url') ?? '';
  const headers = { 'x-goog-upload-command': 'upload, finalize' };
  const uploaded = await fetch(place, { method: 'POST', headers, body: mimeType });
  const { file }: { file: { name: string } } = JSON.parse(await uploaded.text());
  expect(file).toMatchObject({ mimeType: 'application/octet-stream' });
  const read = await fetch(`${mock.url}/v1beta/${file.name}:download?alt=media`);
  expect([read.status, read.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  expect(await read.text()).toBe(mimeType);
});

test('a file with an endless name is refused before it is uploaded', async () => {
  const refused = await announce({ displayName: 'x'.repeat(513), mimeType: 'text/plain' });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
});

test('paths that OpenAI has too answer in the format of Gemini to a Google key', async () => {
  const [name] = MOCK_MODELS;
  const headers = { 'x-goog-api-key': 'k' };
  const [first] = JSON.parse(await (await fetch(`${mock.url}/v1/models`, { headers })).text()).models;
  expect(first).toMatchObject({ name: `models/${name}` });
  expect(await (await fetch(`${mock.url}/v1/models/${name}?key=k`)).json()).toMatchObject({ name: `models/${name}` });
  expect(await (await fetch(`${mock.url}/v1/models`)).json()).toMatchObject({ object: 'list' });
});

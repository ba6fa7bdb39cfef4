import type { CheckPhase } from '@gatehouse/crds/guardrails';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_JSON_LIMITS, readJson, writeJson } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { RequestType } from '../contract.ts';
import { placesOf, requestText, responseText, withTexts } from './index.ts';

interface Case {
  readonly name: string;
  readonly type: RequestType;
  readonly phase: CheckPhase;
  readonly body: JsonObject;
  readonly want: readonly string[];
}

const image = { type: 'image_url', image_url: { url: 'https://x.test/a.png' } };
const user = (content: unknown): object => ({ role: 'user', content });

const CASES: readonly Case[] = [
  {
    name: 'the last message alone',
    type: 'chatComplete',
    phase: 'input',
    body: { messages: [user('a'), user('b')] },
    want: ['b'],
  },
  {
    name: 'its items, with nothing for an image',
    type: 'chatComplete',
    phase: 'input',
    body: { messages: [user([{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }])] },
    want: ['a', '', 'b'],
  },
  {
    name: 'code that a provider has run, and what came of it',
    type: 'chatComplete',
    phase: 'input',
    body: {
      messages: [
        user([
          { type: 'executable_code', executable_code: { code: 'a' } },
          { type: 'code_execution_result', code_execution_result: { output: 'b' } },
          { type: 'code_execution_result' },
        ]),
      ],
    },
    want: ['a', 'b', ''],
  },
  {
    name: 'texts of what is embedded, with images or not',
    type: 'embed',
    phase: 'input',
    body: { input: ['a', { text: 'b', image: { base64: 'x' } }, { image: { base64: 'x' } }] },
    want: ['a', 'b', ''],
  },
  {
    name: 'the text of one thing that is embedded',
    type: 'embed',
    phase: 'input',
    body: { input: { text: 'a', image: { base64: 'x' } } },
    want: ['a'],
  },
  {
    name: 'the result of a tool',
    type: 'chatComplete',
    phase: 'input',
    body: { messages: [user('a'), { role: 'tool', content: 'b' }] },
    want: ['b'],
  },
  { name: 'no message', type: 'chatComplete', phase: 'input', body: {}, want: [] },
  {
    name: 'messages that are none',
    type: 'chatComplete',
    phase: 'input',
    body: { messages: ['a', 7, null] },
    want: [],
  },
  {
    name: 'the first choice alone',
    type: 'chatComplete',
    phase: 'output',
    body: { choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] },
    want: ['a'],
  },
  {
    name: 'an answer of tool calls',
    type: 'chatComplete',
    phase: 'output',
    body: { choices: [{ message: { content: null, tool_calls: [{ function: { arguments: '{"a":1}' } }] } }] },
    want: [],
  },
  {
    name: 'the blocks of a message',
    type: 'messages',
    phase: 'input',
    body: { system: 's', messages: [user([{ type: 'text', text: 'a' }])] },
    want: ['a'],
  },
  {
    name: 'results of tools among the blocks',
    type: 'messages',
    phase: 'input',
    body: {
      messages: [
        user([
          { type: 'tool_result', content: 'a' },
          { type: 'tool_result', content: [{ type: 'text', text: 'b' }, image] },
          { type: 'text', text: 'c' },
        ]),
      ],
    },
    want: ['a', 'b', '', 'c'],
  },
  {
    name: 'documents that are written out, and search results',
    type: 'messages',
    phase: 'input',
    body: {
      messages: [
        user([
          { type: 'document', title: 'a', context: 'b', source: { type: 'text', media_type: 'text/plain', data: 'c' } },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'd' }] } },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
          { type: 'search_result', title: 'e', source: 'f', content: [{ type: 'text', text: 'g' }] },
          { type: 'tool_result', content: [{ type: 'document', source: { type: 'text', data: 'h' } }] },
        ]),
      ],
    },
    want: ['a', 'b', 'c', 'd', '', 'e', 'f', 'g', 'h'],
  },
  {
    name: 'the blocks of an answer',
    type: 'messages',
    phase: 'output',
    body: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool_use', input: {} },
      ],
    },
    want: ['a', ''],
  },
  { name: 'a prompt', type: 'complete', phase: 'input', body: { prompt: 'a' }, want: ['a'] },
  { name: 'several prompts', type: 'complete', phase: 'input', body: { prompt: ['a', 'b'] }, want: ['a', 'b'] },
  { name: 'a prompt of tokens', type: 'complete', phase: 'input', body: { prompt: [1, 2] }, want: ['', ''] },
  {
    name: 'the text of the first choice',
    type: 'complete',
    phase: 'output',
    body: { choices: [{ text: 'a' }, { text: 'b' }] },
    want: ['a'],
  },
  { name: 'an input for vectors', type: 'embed', phase: 'input', body: { input: 'a' }, want: ['a'] },
  { name: 'several inputs for vectors', type: 'embed', phase: 'input', body: { input: ['a', 'b'] }, want: ['a', 'b'] },
  { name: 'no texts in vectors', type: 'embed', phase: 'output', body: { data: [{ text: 'a' }] }, want: [] },
  {
    name: 'the input of a response',
    type: 'createModelResponse',
    phase: 'input',
    body: { instructions: 'i', input: 'a' },
    want: ['a'],
  },
  {
    name: 'all items of an input',
    type: 'createModelResponse',
    phase: 'input',
    body: {
      input: [
        user('a'),
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'b' }, { type: 'input_image' }] },
        { type: 'function_call', arguments: '{}' },
        { type: 'function_call_output', output: 'c' },
      ],
    },
    want: ['a', 'b', '', 'c'],
  },
  {
    name: 'outputs of all tools that a client runs itself',
    type: 'createModelResponse',
    phase: 'input',
    body: {
      input: [
        { type: 'custom_tool_call_output', call_id: '1', output: 'a' },
        { type: 'custom_tool_call_output', call_id: '2', output: [{ type: 'input_text', text: 'b' }] },
        { type: 'local_shell_call_output', id: '3', output: 'c' },
        { type: 'computer_call_output', call_id: '4', output: { type: 'computer_screenshot', image_url: 'data:' } },
        { type: 7, output: 'd' },
      ],
    },
    want: ['a', 'b', 'c'],
  },
  {
    name: 'messages, refusals and reasoning of a response',
    type: 'createModelResponse',
    phase: 'output',
    body: {
      output: [
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 's' }, null],
          content: [{ type: 'reasoning_text', text: 'r' }],
          encrypted_content: 'x',
        },
        {
          type: 'message',
          content: [
            { type: 'output_text', text: 'a' },
            { type: 'refusal', refusal: 'b' },
          ],
        },
        { type: 'function_call', arguments: '{}' },
      ],
    },
    want: ['s', '', 'r', 'a', 'b'],
  },
  {
    name: 'the query and the documents to rank',
    type: 'rerank',
    phase: 'input',
    body: { query: 'q', documents: ['a', { text: 'b', id: 1 }, { title: 'c' }, 7] },
    want: ['q', 'a', 'b', '', ''],
  },
  { name: 'nothing of ranked documents', type: 'rerank', phase: 'output', body: { results: [] }, want: [] },
  { name: 'the prompt of an image', type: 'imageGenerate', phase: 'input', body: { prompt: 'a' }, want: ['a'] },
  { name: 'a text to speak', type: 'createSpeech', phase: 'input', body: { input: 'a', voice: 'b' }, want: ['a'] },
  { name: 'no images', type: 'imageGenerate', phase: 'output', body: { data: [{ revised_prompt: 'a' }] }, want: [] },
  { name: 'nothing to moderate', type: 'moderate', phase: 'input', body: { input: 'a' }, want: [] },
  { name: 'no texts of a batch', type: 'createBatch', phase: 'input', body: { input: 'a' }, want: [] },
];

describe('texts are found', () => {
  test.each(CASES)('$type $phase: $name', ({ type, phase, body, want }) => {
    expect(placesOf(type, phase, body).map(({ text }) => text)).toEqual(want);
  });
});

describe('texts are written back', () => {
  test.each(CASES)('$type $phase: $name, where they were found', ({ type, phase, body }) => {
    const places = placesOf(type, phase, body);
    const before = structuredClone(body);
    const marked = places.map(({ text }) => `<${text}>`);
    const changed = withTexts(body, places, marked);
    expect(placesOf(type, phase, changed).map(({ text }) => text)).toEqual(
      places.map(({ text, path }) => (path === undefined ? text : `<${text}>`)),
    );
    expect(body).toEqual(before);
    const texts = placesOf(type, phase, changed);
    expect(
      withTexts(
        changed,
        texts,
        places.map(({ text }) => text),
      ),
    ).toEqual(
      withTexts(
        body,
        places,
        places.map(({ text }) => text),
      ),
    );
  });

  test('items and blocks keep all their other members', () => {
    const body = { content: [{ type: 'text', text: 'a', citations: [1] }], usage: { input_tokens: 1 } };
    const changed = withTexts(body, placesOf('messages', 'output', body), ['b']);
    expect(changed).toEqual({ content: [{ type: 'text', text: 'b', citations: [1] }], usage: { input_tokens: 1 } });
  });

  test('empty and missing texts stay, and nothing is copied for them', () => {
    const body = { messages: [user([{ type: 'text', text: 'a' }, image])] };
    expect(withTexts(body, placesOf('chatComplete', 'input', body), ['', 'x'])).toBe(body);
    expect(withTexts(body, placesOf('chatComplete', 'input', body), [undefined])).toBe(body);
    expect(withTexts(body, placesOf('chatComplete', 'input', body), ['a'])).toBe(body);
  });

  test('large members that are not concerned are not read', () => {
    const text = JSON.stringify({ messages: [user('a')], metadata: { blob: 'x'.repeat(10_000) } });
    const body = readJson(Buffer.from(text), DEFAULT_JSON_LIMITS) as JsonObject;
    const changed = withTexts(body, placesOf('chatComplete', 'input', body), ['b']);
    expect(JSON.parse(writeJson(changed).toString())).toEqual({ ...JSON.parse(text), messages: [user('b')] });
  });

  test('members named like those of prototypes are members', () => {
    const body = JSON.parse('{"messages":[{"role":"user","content":"a","__proto__":{"x":1}}]}') as JsonObject;
    const changed = withTexts(body, placesOf('chatComplete', 'input', body), ['b']);
    expect(JSON.stringify(changed)).toBe('{"messages":[{"role":"user","content":"b","__proto__":{"x":1}}]}');
  });
});

const TYPES: readonly RequestType[] = ['chatComplete', 'messages', 'complete', 'embed', 'createModelResponse'];
const anyBody = fc.object({
  key: fc.constantFrom(
    'messages',
    'content',
    'type',
    'text',
    'input',
    'output',
    'choices',
    'message',
    'prompt',
    'role',
  ),
  values: [
    fc.string(),
    fc.constantFrom('message', 'tool_result', 'function_call_output', 'reasoning'),
    fc.integer(),
    fc.constant(null),
  ],
  maxDepth: 6,
});

test('whatever a body is, texts that are found are written where they are found again', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...TYPES),
      fc.constantFrom<CheckPhase>('input', 'output'),
      anyBody,
      (type, phase, body) => {
        const given = body as JsonObject;
        const places = placesOf(type, phase, given);
        const changed = withTexts(
          given,
          places,
          places.map(({ text }) => `${text}!`),
        );
        expect(placesOf(type, phase, changed).map(({ text }) => text)).toEqual(
          places.map(({ text, path }) => (path === undefined ? text : `${text}!`)),
        );
        const back = withTexts(
          changed,
          placesOf(type, phase, changed),
          places.map(({ text }) => text),
        );
        const kept = placesOf(type, phase, back).map(({ text }) => text);
        // An empty text is not written back.
        expect(kept).toEqual(places.map(({ text, path }) => (text === '' && path !== undefined ? '!' : text)));
      },
    ),
  );
});

describe('whole texts', () => {
  test.each<{ name: string; body: JsonObject; want: string }>([
    { name: 'a prompt', body: { prompt: 'a' }, want: 'a' },
    { name: 'several prompts', body: { prompt: ['a', 'b'] }, want: 'a\nb' },
    {
      name: 'the last message',
      body: { messages: [user('a'), user([{ type: 'text', text: 'b' }, image, { type: 'text', text: 'c' }])] },
      want: 'b\nc',
    },
    { name: 'an input', body: { input: 'a' }, want: 'a' },
    { name: 'the items of an input', body: { input: [user('a'), user('b')] }, want: 'a\nb' },
    { name: 'nothing', body: {}, want: '' },
  ])('of a request: $name', ({ body, want }) => {
    expect(requestText(body)).toBe(want);
  });

  test.each<{ name: string; body: JsonObject; want: string }>([
    { name: 'the first choice', body: { choices: [{ message: { content: 'a' } }] }, want: 'a' },
    { name: 'the text of the first choice', body: { choices: [{ text: 'a' }] }, want: 'a' },
    {
      name: 'the blocks of a message',
      body: {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      want: 'a\nb',
    },
    {
      name: 'the output of a response',
      body: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }] },
      want: 'a',
    },
    { name: 'nothing', body: {}, want: '' },
  ])('of an answer: $name', ({ body, want }) => {
    expect(responseText(body)).toBe(want);
  });
});

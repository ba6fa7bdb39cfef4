/** What Google has beyond a chat completion. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../wire/contract.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import { DoorTransform } from '../transform.ts';
import { geminiChat, geminiChatStream } from './index.ts';

const CONTEXT = { query: 'alt=sse', now: () => 0, elapsedMs: () => 2 };
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };

describe('a request', () => {
  const paramsOf = (given: JsonObject): JsonObject => geminiChat.enter(given, CONTEXT).params;
  const HISTORY = {
    contents: [
      {
        role: 'user',
        parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' }, mediaResolution: { level: 'L' } }],
      },
      {
        role: 'model',
        parts: [
          { text: 'no use', thought: true },
          { executableCode: { language: 'PYTHON', code: 'print(1)' }, thoughtSignature: 's1' },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
          { text: 'One', thoughtSignature: 's2' },
          { functionCall: { name: 'f', args: {} }, thoughtSignature: 's3' },
        ],
      },
      { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 's4' }] },
    ],
    generationConfig: { thinkingConfig: { includeThoughts: true }, speechConfig: { voiceConfig: {} } },
  };
  const called = { name: 'f', arguments: '{}' };
  const image = { url: 'data:image/png;base64,AA==' };

  test('has what a model of Google has said and done, with its signatures', () => {
    expect(paramsOf(HISTORY)).toEqual({
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { ...image, media_resolution: { level: 'L' } } }] },
        {
          role: 'assistant',
          content: [
            {
              type: 'executable_code',
              executable_code: { language: 'PYTHON', code: 'print(1)' },
              thought_signature: 's1',
            },
            { type: 'code_execution_result', code_execution_result: { outcome: 'OUTCOME_OK', output: '1' } },
            { type: 'text', text: 'One', thought_signature: 's2' },
          ],
          tool_calls: [{ id: 'call_1', type: 'function', function: { ...called, thought_signature: 's3' } }],
        },
        { role: 'assistant', content: [{ type: 'image_url', image_url: image, thought_signature: 's4' }] },
      ],
      thinking_config: { include_thoughts: true },
      speech_config: { voiceConfig: {} },
    });
  });

  test('is said to other vendors without what they do not know', () => {
    expect(geminiChat.forOthers?.params(paramsOf(HISTORY))).toEqual({
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: image }] },
        {
          role: 'assistant',
          content: '\n```\nprint(1)\n```\n\n```\n1\n```\nOne',
          tool_calls: [{ id: 'call_1', type: 'function', function: called }],
        },
        { role: 'assistant', content: [{ type: 'image_url', image_url: image }] },
      ],
      speech_config: { voiceConfig: {} },
    });
  });
});

const SAID = [
  { type: 'thinking', thinking: 'Hm', signature: 'a' },
  { type: 'executable_code', executable_code: { language: 'PYTHON', code: 'print(1)' } },
  { type: 'code_execution_result', code_execution_result: { outcome: 'OUTCOME_OK', output: '1' } },
  { type: 'text', text: 'One', thought_signature: 'b' },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, thought_signature: 'c' },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,BB==' }, thought: true },
];
const PARTS = [
  { text: 'Hm', thought: true, thoughtSignature: 'a' },
  { executableCode: { language: 'PYTHON', code: 'print(1)' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  { text: 'One', thoughtSignature: 'b' },
  { inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 'c' },
  { inlineData: { mimeType: 'image/png', data: 'BB==' }, thought: true },
];
const OWN = {
  groundingMetadata: { webSearchQueries: ['q'] },
  urlContextMetadata: { urlMetadata: [] },
  safetyRatings: [{ category: 'c' }],
};

describe('an answer of Google', () => {
  const answer = (message: object, more: object = {}) =>
    geminiChat.enter(HELLO, CONTEXT).toClient({ id: 'r', model: 'm', choices: [{ message, ...more }] });

  test('has all its parts in their order, and what stands beside them', () => {
    const logprobs = { content: [{ token: 'One', logprob: -1, top_logprobs: [{ token: 'Two', logprob: -2 }] }] };
    const message = { role: 'assistant', content: 'One', content_blocks: SAID };
    expect(answer(message, { finish_reason: 'MAX_TOKENS', ...OWN, logprobs })).toMatchObject({
      candidates: [
        {
          content: { role: 'model', parts: PARTS },
          finishReason: 'MAX_TOKENS',
          ...OWN,
          logprobsResult: {
            chosenCandidates: [{ token: 'One', logProbability: -1 }],
            topCandidates: [{ candidates: [{ token: 'Two', logProbability: -2 }] }],
          },
        },
      ],
    });
  });

  test('says what its content says where blocks say another thing', () => {
    expect(answer({ content: '1', content_blocks: SAID.filter(({ type }) => type !== 'image_url') })).toMatchObject({
      candidates: [{ content: { parts: [...PARTS.slice(0, 3), { text: '1' }] } }],
    });
  });

  test('to a prompt that is blocked has no candidate', () => {
    const promptFeedback = { blockReason: 'SAFETY' };
    expect(answer({ content: '' }, { finish_reason: 'content_filter', promptFeedback })).toEqual({
      promptFeedback,
      ...{ modelVersion: 'm', responseId: 'r' },
    });
  });

  test.for([
    ['COMPLETE', 'STOP'],
    ['max_tokens', 'MAX_TOKENS'],
    ['refusal', 'SAFETY'],
    ['IMAGE_SAFETY', 'IMAGE_SAFETY'],
  ])('ends for a reason that Google has: %s', ([reason, said]) => {
    expect(answer({ content: 'x' }, { finish_reason: reason })).toMatchObject({ candidates: [{ finishReason: said }] });
  });
});

describe('a stream', () => {
  function eventsOf(chunks: readonly object[]): readonly JsonObject[] {
    const { stream } = geminiChatStream.enter(HELLO, CONTEXT);
    if (stream === undefined) throw new Error('chats have streams');
    const made = new DoorTransform(createRelayTransform('chat'), stream.open(), undefined);
    const sse = chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('');
    const text = (made.push(Buffer.from(sse)) ?? '') + made.end();
    return text
      .trim()
      .split('\n\n')
      .map((event) => JSON.parse(event.slice('data: '.length)));
  }

  test('has the parts of Google and what stands beside them', () => {
    const deltas = SAID.map(({ type, ...delta }, index) => ({
      index,
      delta: type === 'text' || type === 'thinking' ? delta : { type, ...delta },
    }));
    const piece = { delta: { content: 'One', content_blocks: deltas }, finish_reason: null, ...OWN };
    const end = { delta: {}, finish_reason: 'STOP' };
    const events = eventsOf([{ choices: [piece] }, { choices: [end] }]);
    expect(events).toMatchObject([
      { candidates: [{ content: { parts: PARTS }, ...OWN }] },
      { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] },
    ]);
  });

  test('has the signature of each call, once it is whole', () => {
    const piece = (index: number, called: object, id?: string) => ({
      choices: [{ delta: { tool_calls: [{ index, id, function: called }] } }],
    });
    const events = eventsOf([
      piece(0, { name: 'f', arguments: '{"a"', thought_signature: 's1' }, 'one'),
      piece(0, { arguments: ':1}', thought_signature: 'later' }),
      piece(1, { name: 'g', arguments: '{}' }, 'two'),
      piece(1, { thought_signature: 's2' }),
      piece(2, { name: 'h', arguments: '{}' }, 'three'),
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ]);
    expect(events.flatMap(({ candidates }) => candidates)).toMatchObject([
      {
        content: {
          parts: [
            { functionCall: { id: 'one', name: 'f', args: { a: 1 } }, thoughtSignature: 's1' },
            { functionCall: { id: 'two', name: 'g', args: {} }, thoughtSignature: 's2' },
            { functionCall: { id: 'three', name: 'h', args: {} } },
          ],
        },
      },
    ]);
  });

  test('of a prompt that is blocked says why', () => {
    const promptFeedback = { blockReason: 'SAFETY' };
    const blocked = { delta: { content: '' }, finish_reason: 'content_filter', promptFeedback };
    const events = eventsOf([{ choices: [blocked] }]);
    expect(events).toMatchObject([{ promptFeedback }]);
    expect(events[0]).not.toHaveProperty('candidates');
  });
});

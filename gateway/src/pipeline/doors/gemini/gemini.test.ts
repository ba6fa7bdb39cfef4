import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import type { Entered } from '../door.ts';
import { DoorTransform } from '../transform.ts';
import { geminiChat, geminiChatStream, geminiEmbed, geminiEmbedBatch } from './index.ts';

const contextOf = (query = '') => ({ query, now: () => 0, elapsedMs: () => 2 });
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const paramsOf = (given: JsonObject): JsonObject => geminiChat.enter({ ...HELLO, ...given }, contextOf()).params;

describe('a request', () => {
  test('has its settings under the names of a chat', () => {
    expect(
      paramsOf({
        systemInstruction: { parts: [{ text: 'Be kind' }, { text: 'and brief' }] },
        generationConfig: {
          ...{ temperature: 0.5, topP: 0.9, topK: 3, maxOutputTokens: 9, stopSequences: ['x'], seed: 1 },
          ...{ responseMimeType: 'application/json', responseModalities: ['TEXT'] },
          responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } }, required: ['a'] },
          thinkingConfig: { thinkingBudget: 100 },
        },
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      }),
    ).toEqual({
      messages: [
        { role: 'system', content: 'Be kind\nand brief' },
        { role: 'user', content: 'Hello' },
      ],
      ...{
        temperature: 0.5,
        top_p: 0.9,
        top_k: 3,
        max_completion_tokens: 9,
        stop: ['x'],
        seed: 1,
        modalities: ['text'],
      },
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'response',
          schema: { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] },
        },
      },
      thinking: { type: 'enabled', budget_tokens: 100 },
      safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    });
  });

  test('may have its members in snake case', () => {
    const { messages, max_completion_tokens: most } = paramsOf({
      system_instruction: 'Be kind',
      contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }, { text: 'What is it?' }] }],
      generation_config: { max_output_tokens: 5 },
    });
    expect([messages, most]).toEqual([
      [
        { role: 'system', content: 'Be kind' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
      5,
    ]);
  });

  test('has media as the parts that chats have', () => {
    const parts = [
      { inlineData: { mimeType: 'audio/wav', data: 'AA==' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AA==' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.jpg' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' } },
    ];
    expect(paramsOf({ contents: [{ role: 'user', parts }] })['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'file', file: { filename: 'document', file_data: 'data:application/pdf;base64,AA==' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.jpg', mime_type: 'image/jpeg' } },
          { type: 'file', file: { file_url: 'https://example.com/a.pdf', mime_type: 'application/pdf' } },
        ],
      },
    ]);
  });

  test('joins results of tools with their calls, by id or by name, in order', () => {
    const call = (name: string, id?: string) => ({ functionCall: { name, args: { n: 1 }, ...(id ? { id } : {}) } });
    const result = (name: string, id?: string) => ({
      functionResponse: { name, response: { ok: true }, ...(id ? { id } : {}) },
    });
    const { messages } = paramsOf({
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        {
          role: 'model',
          parts: [
            { text: 'a thought', thought: true },
            { ...call('f'), thoughtSignature: 's' },
            call('f'),
            call('g', 'own'),
          ],
        },
        { role: 'user', parts: [result('g', 'own'), result('f'), result('f'), { text: 'and now?' }] },
      ],
    });
    expect(messages).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"n":1}', thought_signature: 's' } },
          { id: 'call_2', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
          { id: 'own', type: 'function', function: { name: 'g', arguments: '{"n":1}' } },
        ],
      },
      ...['own', 'call_1', 'call_2'].map((id) => ({ role: 'tool', tool_call_id: id, content: '{"ok":true}' })),
      { role: 'user', content: 'and now?' },
    ]);
  });

  test('has tools of its own as functions, its choice, and what Google itself does', () => {
    const {
      tools,
      tool_choice: choice,
      google_tools: own,
    } = paramsOf({
      tools: [
        { functionDeclarations: [{ name: 'f', description: 'd', parameters: { type: 'OBJECT', properties: {} } }] },
        { google_search: {}, codeExecution: {}, fileSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
    expect([tools, choice, own]).toEqual([
      [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } }],
      { type: 'function', function: { name: 'f' } },
      [{ googleSearch: {}, codeExecution: {} }],
    ]);
  });

  test('has no function where Google alone does something', () => {
    expect(paramsOf({ tools: [{ urlContext: {} }] })).not.toHaveProperty('tools');
  });

  test.for<[JsonObject, JsonObject]>([
    [{ includeThoughts: true }, { thinking_config: { include_thoughts: true } }],
    [
      { includeThoughts: true, thinkingBudget: -1 },
      { thinking_config: { include_thoughts: true, thinking_budget: -1 } },
    ],
    [
      { include_thoughts: false, thinking_level: 'LOW' },
      { reasoning_effort: 'low', thinking_config: { include_thoughts: false } },
    ],
    [{ thinkingBudget: 0 }, { thinking: { type: 'disabled' } }],
  ])('says how a model thinks: %j', ([thinkingConfig, said]) => {
    const { messages: _, ...params } = paramsOf({ generationConfig: { thinkingConfig } });
    expect(params).toEqual(said);
  });

  test('names what nobody reads, where it stands', () => {
    const { dropped } = geminiChat.enter(
      {
        contents: [
          { role: 'user', parts: [{ text: 'Hi', partMetadata: {} }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: {}, willContinue: true } }] },
        ],
        generation_config: { candidate_count: 2, routing_config: {}, top_k: 3, thinking_config: { other: 1 } },
        toolConfig: {
          functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
          includeServerSideToolInvocations: true,
        },
        tools: [{ fileSearch: {}, functionDeclarations: [{ name: 'f', behavior: 'BLOCKING' }] }, { url_context: {} }],
        serviceTier: 'flex',
        'odd\nname': 1,
        absent: null,
      },
      contextOf(),
    );
    expect(dropped).toEqual([
      'generationConfig.candidateCount',
      'serviceTier',
      'generationConfig.routing_config',
      'generationConfig.thinkingConfig.other',
      'toolConfig.includeServerSideToolInvocations',
      'toolConfig.functionCallingConfig.allowedFunctionNames',
      'tools.fileSearch',
      'tools.functionDeclarations.behavior',
      'contents.parts.partMetadata',
      'contents.parts.functionResponse.willContinue',
    ]);
  });

  test.for<[JsonObject, string]>([
    [{ contents: 'Hello' }, 'contents'],
    [{ contents: [{ role: 'system', parts: [{ text: 'x' }] }] }, 'contents[0].role'],
    [{ contents: [{ role: 'user' }] }, 'contents[0].parts'],
    [{ contents: [{ role: 'user', parts: [{ executableCode: {} }] }] }, 'contents[0].parts[0]'],
    [
      { contents: [{ role: 'user', parts: [{ inlineData: { data: 'AA==' } }] }] },
      'contents[0].parts[0].inlineData.mimeType',
    ],
    [{ generationConfig: { responseMimeType: 'text/x.enum' } }, 'generationConfig.responseMimeType'],
    [{ tools: {} }, 'tools'],
  ])('is refused with the name of what cannot be said: %j', ([given, param]) => {
    expect(() => paramsOf(given)).toThrow(AppError);
    expect(() => paramsOf(given)).toThrow(expect.objectContaining({ param }));
  });
});

test('an answer has texts, thoughts, calls and usage', () => {
  const { toClient } = geminiChat.enter(HELLO, contextOf());
  const message = {
    role: 'assistant',
    reasoning_content: 'Hm',
    content: 'Hi',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}', thought_signature: 's' } }],
  };
  const usage = {
    ...{ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, prompt_tokens_details: { cached_tokens: 2 } },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  expect(toClient({ id: 'r', model: 'm', choices: [{ index: 0, message, finish_reason: 'length' }], usage })).toEqual({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: 'Hi' },
            { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 's' },
          ],
        },
        finishReason: 'MAX_TOKENS',
        index: 0,
      },
    ],
    usageMetadata: {
      ...{ promptTokenCount: 5, candidatesTokenCount: 4, thoughtsTokenCount: 3, cachedContentTokenCount: 2 },
      totalTokenCount: 12,
    },
    modelVersion: 'm',
    responseId: 'r',
  });
  expect(() => toClient({ choices: [] })).toThrow(expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }));
});

const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] },
});
const CHUNKS = [
  chunk({ reasoning_content: 'Hm' }),
  chunk({ content: 'Grüße ' }),
  chunk({ content: 'Welt' }),
  chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
];
const sseOf = (chunks: readonly object[]): Buffer =>
  Buffer.from(chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(''));

function read(pieces: readonly Buffer[], query: string): string {
  const { stream }: Entered = geminiChatStream.enter(HELLO, contextOf(query));
  if (stream === undefined) throw new Error('chats have streams');
  const made = new DoorTransform(createRelayTransform('chat'), stream.open(), undefined);
  return pieces.map((piece) => made.push(piece) ?? '').join('') + made.end();
}
const eventsOf = (text: string): readonly JsonObject[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)));

describe('a stream', () => {
  const PIECES = [
    [{ text: 'Hm', thought: true }],
    [{ text: 'Grüße ' }],
    [{ text: 'Welt' }],
    [{ functionCall: { id: 'a', name: 'f', args: { x: 1 } } }],
  ];
  const partsOf = (pieces: readonly JsonObject[]) =>
    pieces.map(({ candidates }) => (candidates as { content: { parts: unknown } }[])[0]?.content.parts); // one each

  test('is the same events wherever its bytes are cut', () => {
    const sse = sseOf(CHUNKS);
    const whole = read([sse], 'alt=sse');
    const events = eventsOf(whole);
    expect(partsOf(events)).toEqual(PIECES);
    expect(events.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
      ...{ modelVersion: 'm', responseId: 'c' },
    });
    for (let at = 0; at <= sse.length; at += 1) {
      expect(read([sse.subarray(0, at), sse.subarray(at)], 'alt=sse')).toBe(whole);
    }
  });

  test('is one array without alt=sse', () => {
    expect(partsOf(JSON.parse(read([sseOf(CHUNKS)], '')))).toEqual(PIECES);
  });

  test.for(['alt=sse', ''])('that breaks off ends with an error (%s)', (query) => {
    const text = read([sseOf(CHUNKS.slice(0, 2))], query);
    const last = query === '' ? JSON.parse(text).at(-1) : eventsOf(text).at(-1);
    expect(last).toEqual({ error: { code: 500, message: expect.any(String), status: 'INTERNAL' } });
  });
});

describe('vectors', () => {
  const content = (text: string) => ({ parts: [{ text }] });
  const answer = { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] };

  test('are those of one content', () => {
    const { params, toClient } = geminiEmbed.enter(
      { content: content('one'), taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 },
      contextOf(),
    );
    expect(params).toEqual({ input: 'one', dimensions: 2, task_type: 'RETRIEVAL_QUERY', encoding_format: 'float' });
    expect(toClient(answer)).toEqual({ embedding: { values: [1, 2] } });
  });

  test('are those of an image, with a text or not', () => {
    const inlineData = { mimeType: 'image/png', data: 'AA==' };
    const image = { base64: 'data:image/png;base64,AA==' };
    const inputOf = (...parts: object[]) => geminiEmbed.enter({ content: { parts } }, contextOf()).params['input'];
    expect(inputOf({ inlineData })).toEqual({ image });
    expect(inputOf({ text: 'a' }, { inline_data: inlineData }, { text: 'b' })).toEqual({ text: 'a\nb', image });
    for (const parts of [[{ inlineData }, { inlineData }], [{ inlineData: { ...inlineData, mimeType: 'audio/wav' } }]])
      expect(() => inputOf(...parts)).toThrow(expect.objectContaining({ code: 'PARAMETER_UNSUPPORTED' }));
    const { toClient } = geminiEmbed.enter({ content: { parts: [{ inlineData }] } }, contextOf());
    expect(toClient({ data: [{ image_embedding: [1] }] })).toEqual({ embedding: { values: [1] } });
    expect(() => inputOf({ text: 'a', inlineData })).toThrow(expect.objectContaining({ param: 'content.parts[0]' }));
    expect(() => toClient({ data: [{ embedding: [1], image_embedding: [2] }] })).toThrow(/two vectors of one input/);
  });

  test('name what nobody reads', () => {
    const requests = [{ content: content('one'), output_dimensionality: 2, autoTruncate: true }];
    expect(geminiEmbedBatch.enter({ requests }, contextOf()).dropped).toEqual(['autoTruncate']);
  });

  test('are those of several, which have the same settings', () => {
    const requests = [{ content: content('one') }, { content: content('two') }];
    const { params, toClient } = geminiEmbedBatch.enter({ requests }, contextOf());
    expect(params['input']).toEqual(['one', 'two']);
    expect(toClient(answer)).toEqual({ embeddings: [{ values: [1, 2] }, { values: [3, 4] }] });
    const mixed = [requests[0], { ...requests[1], taskType: 'RETRIEVAL_QUERY' }];
    expect(() => geminiEmbedBatch.enter({ requests: mixed }, contextOf())).toThrow(
      expect.objectContaining({ param: 'requests[1]' }),
    );
  });
});

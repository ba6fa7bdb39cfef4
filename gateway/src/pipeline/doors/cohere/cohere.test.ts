import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { toCohereBody } from '../../../wire/cohere/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import type { Entered } from '../door.ts';
import { DoorTransform } from '../transform.ts';
import { cohereChat, cohereEmbed, cohereRerank } from './index.ts';

const context = { query: '', now: () => 0, elapsedMs: () => 2 };
const enter = (given: JsonObject): Entered => cohereChat.enter({ model: 'm', messages: [], ...given }, context);

const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] },
});
const SSE = Buffer.from(
  [
    chunk({ reasoning_content: 'Hm' }),
    chunk({ content: 'Grüße ' }),
    chunk({ content: 'Welt' }),
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
  ]
    .map((data) => `data: ${JSON.stringify(data)}\n\n`)
    .join(''),
);
function transform(): DoorTransform {
  const { stream } = enter({});
  if (stream === undefined) throw new Error('chats have streams');
  return new DoorTransform(createRelayTransform('chat'), stream.open(), undefined);
}
function read(pieces: readonly Buffer[]): string {
  const made = transform();
  return pieces.map((piece) => made.push(piece) ?? '').join('') + made.end();
}
const eventsOf = (text: string): readonly JsonObject[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
const typesOf = (text: string): readonly unknown[] => eventsOf(text).map(({ type }) => type);

describe('a stream', () => {
  test('is the same events wherever its bytes are cut', () => {
    const whole = read([SSE]);
    expect(typesOf(whole)).toEqual([
      ...['message-start', 'content-start', 'content-delta', 'content-end'],
      ...['content-start', 'content-delta', 'content-delta', 'content-end'],
      ...['tool-call-start', 'tool-call-delta', 'tool-call-end', 'message-end'],
    ]);
    const events = eventsOf(whole);
    expect(events.map(({ index }) => index)).toEqual([undefined, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, undefined]);
    expect(events[8]).toMatchObject({ delta: { message: { tool_calls: { id: 'a', function: { name: 'f' } } } } });
    expect(events[9]).toMatchObject({ delta: { message: { tool_calls: { function: { arguments: '{"x":1}' } } } } });
    expect(events.at(-1)).toMatchObject({
      delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 3, output_tokens: 5 } } },
    });
    for (let at = 0; at <= SSE.length; at += 1) {
      expect(read([SSE.subarray(0, at), SSE.subarray(at)])).toBe(whole);
    }
  });

  test('that breaks, or ends without a reason, ends with an error', () => {
    const last = { type: 'message-end', delta: { finish_reason: 'ERROR', error: expect.any(String) } };
    const made = transform();
    made.push(SSE.subarray(0, 300));
    expect(eventsOf(made.fail(new AppError('UPSTREAM_STREAM_BROKEN'))).at(-1)).toEqual(last);
    const text = read([Buffer.from(`data: ${JSON.stringify(chunk({ content: 'Hel' }))}\n\n`)]);
    expect(eventsOf(text).at(-1)).toEqual(last);
  });
});

describe('a request', () => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
  const given = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: 'data:,a' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        tool_plan: 'I look it up',
      },
      { role: 'tool', tool_call_id: 'a', content: 'found' },
    ],
    tools: [tool],
    tool_choice: 'REQUIRED',
    strict_tools: true,
    max_tokens: 9,
    stop_sequences: ['x'],
    p: 0.5,
    k: 3,
    temperature: 0.1,
    seed: 1,
    response_format: { type: 'json_object', json_schema: { type: 'object' } },
    thinking: { type: 'enabled', token_budget: 100 },
    documents: ['one'],
    safety_mode: 'OFF',
  };

  test('is the same again for a model of Cohere', () => {
    expect(toCohereBody(enter(given).params, 'm')).toEqual(given);
  });

  test('has no plan for models of others, and names what nobody reads', () => {
    const { params, dropped } = enter({ ...given, priority: 1, raw_prompting: false, other: null });
    expect(dropped).toEqual(['priority', 'raw_prompting']);
    expect(JSON.stringify(params)).toContain('tool_plan');
    expect(JSON.stringify(cohereChat.forOthers?.params(params))).not.toContain('tool_plan');
  });

  test('has results of tools as texts', () => {
    const content = [{ type: 'document', document: { data: { a: 1 } } }];
    const { params } = enter({ messages: [{ role: 'tool', tool_call_id: 'a', content }] });
    expect(params['messages']).toEqual([{ role: 'tool', tool_call_id: 'a', content: '{"a":1}' }]);
  });

  test.for<[param: string, given: JsonObject]>([
    ['messages', { messages: 7 }],
    ['messages[0]', { messages: ['Hi'] }],
    ['messages[0].role', { messages: [{ role: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 7 }] }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'x' }] }] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: '' }] }],
    ['tool_choice', { tools: [tool], tool_choice: 'x' }],
    ['tools', { tools: 7 }],
    ['response_format', { response_format: 7 }],
    ['stream', { stream: 'yes' }],
    ['tool_choice', { tool_choice: 'nope' }],
    ['strict_tools', { strict_tools: 'x' }],
    ['logprobs', { logprobs: 'x' }],
    ['thinking', { thinking: 'x' }],
    ['thinking.type', { thinking: { token_budget: 5 } }],
    ['thinking.token_budget', { thinking: { type: 'enabled', token_budget: '5' } }],
    ['response_format.json_schema', { response_format: { type: 'json_object', json_schema: 'x' } }],
    ['messages[0].tool_calls', { messages: [{ role: 'assistant', tool_calls: 'x' }] }],
    ['messages[0].tool_calls[0]', { messages: [{ role: 'assistant', tool_calls: ['x'] }] }],
    ['messages[0].tool_calls[0].function', { messages: [{ role: 'assistant', tool_calls: [{ function: 'x' }] }] }],
    [
      'messages[0].tool_calls[0].function.name',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 5 } }] }] },
    ],
    [
      'messages[0].tool_calls[0].function.arguments',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: {} } }] }] },
    ],
    ['messages[0].tool_plan', { messages: [{ role: 'assistant', tool_plan: {} }] }],
  ])('of the wrong shape is refused by name: %s', ([param, wrong]) => {
    expect(() => enter(wrong)).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param }));
  });
});

describe('vectors', () => {
  const vectors = (given: JsonObject): Entered => cohereEmbed.enter({ model: 'm', ...given }, context);
  const url = 'data:image/png;base64,AA==';
  const image = { base64: url };

  test.for<[JsonObject, unknown]>([
    [{ texts: ['a', 'b'] }, ['a', 'b']],
    [{ images: [url] }, [{ image }]],
    [
      {
        inputs: [
          { content: [{ type: 'text', text: 'a' }] },
          { content: [{ type: 'image_url', image_url: { url } }] },
          {
            content: [
              { type: 'text', text: 'a' },
              { type: 'image_url', image_url: { url } },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      },
      ['a', { image }, { text: 'a\nb', image }],
    ],
  ])('are made of texts, images or both: %j', ([given, input]) => {
    expect(vectors(given).params['input']).toEqual(input);
  });

  test('are those of images where a provider names them so, and never one of two', () => {
    const { toClient } = vectors({ images: [url] });
    expect(toClient({ data: [{ image_embedding: [1] }] })).toMatchObject({ embeddings: { float: [[1]] } });
    expect(() => toClient({ data: [{ embedding: [1], image_embedding: [2] }] })).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    );
  });

  test('are of types that Cohere alone has', () => {
    const { params, toClient } = vectors({ texts: ['a'], embedding_types: ['int8', 'float'] });
    expect(params).toMatchObject({ encoding_format: 'float', embedding_types: ['int8', 'float'] });
    const embeddings = { int8: [[1]], float: [[0.5]] };
    const usage = { prompt_tokens: 1, total_tokens: 1, billed_units: { input_tokens: 1, images: 2 } };
    expect(toClient({ data: [{ embedding: [1] }], embeddings_by_type: embeddings, usage })).toMatchObject({
      embeddings,
      meta: { billed_units: { input_tokens: 1, images: 2 } },
    });
    expect(() => cohereEmbed.forOthers?.params(params)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_UNSUPPORTED', param: 'embedding_types' }),
    );
    expect(vectors({ texts: ['a'], embedding_types: ['float'] }).params).not.toHaveProperty('embedding_types');
  });

  test.for<[param: string, given: JsonObject]>([
    ['texts', {}],
    ['texts', { texts: 'a' }],
    ['images', { images: [1] }],
    ['images', { texts: ['a'], images: [url] }],
    ['inputs', { inputs: {} }],
    ['inputs[0].content', { inputs: ['a'] }],
    ['inputs[0].content', { inputs: [{ content: [] }] }],
    ['inputs[0].content[0]', { inputs: [{ content: [{ type: 'x' }] }] }],
    ['embedding_types', { texts: ['a'], embedding_types: 'int8' }],
  ])('of the wrong shape are refused by name: %s', ([param, given]) => {
    expect(() => vectors(given)).toThrow(expect.objectContaining({ param }));
  });

  test('name what nobody reads', () => {
    expect(vectors({ texts: ['a'], max_tokens: 4, priority: 0, other: null }).dropped).toEqual([
      'max_tokens',
      'priority',
    ]);
  });
});

describe('what Cohere alone says', () => {
  const citation = { start: 0, end: 2, text: 'Hi', sources: [{ type: 'document', id: 'd' }] };
  const usage = { prompt_tokens: 9, completion_tokens: 5, billed_units: { input_tokens: 3, output_tokens: 5 } };
  const logprobs = {
    content: [
      { token: 'Hi', logprob: -3, token_ids: [7, 8], token_logprobs: [-1, -2] },
      { token: '!', logprob: -1 },
    ],
  };
  const plan = { type: 'thinking', tool_plan: true, thinking: 'I look it up' };
  const own = [
    { text: 'Hi', token_ids: [7, 8], logprobs: [-1, -2] },
    { text: '!', token_ids: [], logprobs: [-1] },
  ];

  test('is in an answer', () => {
    const message = {
      content: 'Hi!',
      content_blocks: [plan, { type: 'thinking', thinking: 'Hm' }, { type: 'text', text: 'Hi!' }],
    };
    const choices = [{ message, logprobs, finish_reason: 'STOP_SEQUENCE' }];
    expect(enter({}).toClient({ id: 'i', choices, citations: [citation], usage })).toEqual({
      id: 'i',
      finish_reason: 'STOP_SEQUENCE',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'Hi!' },
        ],
        tool_plan: 'I look it up',
        citations: [citation],
      },
      logprobs: own,
      usage: { billed_units: usage.billed_units, tokens: { input_tokens: 9, output_tokens: 5 } },
    });
  });

  test('is in a stream', () => {
    const block = (index: number, delta: object): object => ({ content_blocks: [{ index, delta }] });
    const said = { choices: [{ index: 0, delta: { content: 'Hi!', ...block(2, { text: 'Hi!' }) }, logprobs }] };
    const chunks = [
      { ...chunk(block(0, { type: 'thinking', tool_plan: true })), citations: [citation] },
      chunk(block(0, { thinking: 'I look it up' })),
      chunk(block(1, { thinking: 'Hm' })),
      said,
      { ...chunk({}), citations: [citation] },
      chunk({}, 'MAX_TOKENS'),
      { choices: [], usage },
    ];
    const text = read([Buffer.from(chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(''))]);
    expect(typesOf(text)).toEqual([
      ...['message-start', 'tool-plan-delta', 'content-start', 'content-delta', 'content-end'],
      ...['content-start', 'content-delta', 'citation-start', 'citation-end', 'citation-start', 'citation-end'],
      ...['content-end', 'message-end'],
    ]);
    const events = eventsOf(text);
    expect(events[1]).toMatchObject({ delta: { message: { tool_plan: 'I look it up' } } });
    expect(events[6]).toMatchObject({ logprobs: { text: 'Hi!', token_ids: [7, 8], logprobs: [-1, -2, -1] } });
    expect(events[9]).toMatchObject({ index: 1, delta: { message: { citations: citation } } });
    expect(events.at(-1)).toMatchObject({
      delta: { finish_reason: 'MAX_TOKENS', usage: { billed_units: usage.billed_units } },
    });
  });
});

test('ranked documents are as Cohere has them', () => {
  const { toClient } = cohereRerank.enter({ model: 'm', query: 'q', documents: ['a'] }, context);
  expect(
    toClient({ id: 'r', results: [{ index: 0, relevance_score: 0.5, document: {} }], usage: { search_units: 1 } }),
  ).toEqual({
    id: 'r',
    results: [{ index: 0, relevance_score: 0.5 }],
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  });
});

import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamItem, WireContext } from '../contract.ts';
import { createFrameReader } from '../framing/index.ts';
import { createOllamaDecoder, fromOllamaChat, fromOllamaEmbed, toOllamaChat, toOllamaEmbed } from './index.ts';

const ctx: WireContext = {
  provider: 'ollama',
  model: 'm',
  strict: false,
  params: {},
  now: () => 0,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};
const body = (params: JsonObject): JsonObject => toOllamaChat({ messages: [], ...params }, 'm');

describe('a chat', () => {
  test.for<[rule: string, params: JsonObject, want: JsonObject]>([
    ['that says nothing does not stream', {}, {}],
    ['streams', { stream: true }, { stream: true }],
    [
      'has its settings among the options',
      { temperature: 0.5, top_k: 3, stop: 'a', max_completion_tokens: 9, options: { num_ctx: 4096 } },
      { options: { num_predict: 9, temperature: 0.5, top_k: 3, stop: ['a'], num_ctx: 4096 } },
    ],
    ['has the options of a config', { temperature: 0.5, options: { temperature: 0 } }, { options: { temperature: 0 } }],
    ['has the limit of a config', { max_tokens: 5, max_completion_tokens: 9 }, { options: { num_predict: 5 } }],
    ['has no limit where the client wants none', { num_predict: -1 }, { options: { num_predict: -1 } }],
    ['has a limit whatever the client wants', { max_tokens: 5, num_predict: -1 }, { options: { num_predict: 5 } }],
    ['may ask for an object', { response_format: { type: 'json_object' } }, { format: 'json' }],
    ['may ask for text', { response_format: { type: 'text' } }, {}],
    [
      'may ask for a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } } },
      { format: { type: 'object' } },
    ],
    ['thinks', { think: true, reasoning_effort: 'medium' }, { think: true }],
    ['thinks at a level', { think: 'medium', reasoning_effort: 'medium' }, { think: 'medium' }],
    ['thinks as a config says', { think: true, reasoning_effort: 'low' }, { think: 'low' }],
    ['does not think where a config says so', { think: true, reasoning_effort: 'none' }, { think: false }],
    ['does not think where a config disables it', { thinking: { type: 'disabled' } }, { think: false }],
    ['does not think', { think: false }, { think: false }],
    [
      'has functions for its tools, and no others',
      { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'x' }, 7] },
      { tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    ['has no tools without functions', { tools: [{ type: 'x' }] }, {}],
    ['may not call its tools', { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'none' }, {}],
    [
      'has what only the server does',
      { keep_alive: 0, truncate: false, shift: true, logprobs: true, top_logprobs: 2 },
      { keep_alive: 0, truncate: false, shift: true, logprobs: true, top_logprobs: 2 },
    ],
  ])('%s', ([, params, want]) => {
    expect(body(params)).toEqual({ model: 'm', messages: [], stream: false, ...want });
  });

  test('has messages with images and the names of tools', () => {
    const messages = [
      { role: 'developer', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        thinking: 'Hm',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_name: 'g', content: 'two' },
    ];
    expect(body({ messages })['messages']).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Look', images: ['AAAA'] },
      {
        role: 'assistant',
        content: '',
        thinking: 'Hm',
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
      },
      { role: 'tool', content: 'one', tool_name: 'f', tool_call_id: 'a' },
      { role: 'tool', content: 'two', tool_name: 'g' },
    ]);
  });

  test.for([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, { type: 'input_audio' }])(
    'cannot have the part %j',
    (part) => {
      expect(() => body({ messages: [{ role: 'user', content: [part] }] })).toThrow(expect.objectContaining({ part }));
    },
  );
});

test('a call for vectors has what the server can do', () => {
  const params = { input: ['a'], dimensions: 2, truncate: false, options: { num_ctx: 1 }, keep_alive: '1m' };
  expect(toOllamaEmbed({ ...params, encoding_format: 'float' }, 'm')).toEqual({ model: 'm', ...params });
});

const said = (message: object, more: object = {}): JsonObject => ({ model: 'x', message, done: true, ...more });

describe('an answer', () => {
  test('has what was said and thought, calls, log probabilities and durations', () => {
    const message = {
      ...{ role: 'assistant', content: 'Hi', thinking: 'Hm' },
      tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }],
    };
    const counts = { prompt_eval_count: 3, eval_count: 5, total_duration: 7, load_duration: 2 };
    const logprobs = [{ token: 'Hi', logprob: -1 }];
    const made = fromOllamaChat(said(message, { done_reason: 'stop', logprobs, ...counts }), ctx);
    expect(made).toMatchObject({
      value: {
        model: 'm',
        choices: [
          {
            message: {
              content: 'Hi',
              reasoning_content: 'Hm',
              tool_calls: [{ id: `call_${'0'.repeat(24)}`, function: { name: 'f', arguments: '{"x":1}' } }],
            },
            logprobs: { content: [{ token: 'Hi', logprob: -1, top_logprobs: [] }] },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
        durations: { total_duration: 7, load_duration: 2 },
      },
    });
    expect(fromOllamaChat(said(message, counts), { ...ctx, strict: true })).not.toHaveProperty('value.durations');
  });

  test.for<[more: object, reason: string, usage: unknown]>([
    [{ done_reason: 'length', eval_count: 2 }, 'length', { prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 }],
    [
      { prompt_eval_count: 9, prompt_eval_cached_count: 4, eval_count: 2 },
      'stop',
      { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, prompt_tokens_details: { cached_tokens: 4 } },
    ],
    [{ done_reason: 'unload' }, 'unload', undefined],
    [{}, 'stop', undefined],
    [{ prompt_eval_count: 9 }, 'stop', { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }],
    [{ prompt_eval_count: -9, eval_count: 1.5 }, 'stop', undefined],
    [
      { prompt_eval_count: 9, prompt_eval_cached_count: -4, eval_count: 2 },
      'stop',
      { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    ],
  ])('ends for a reason: %j', ([more, reason, usage]) => {
    const made = fromOllamaChat(said({ content: '' }, more), ctx);
    expect(made).toMatchObject({ value: { choices: [{ finish_reason: reason }] } });
    expect(made.ok && made.value.usage).toEqual(usage);
  });

  test.for([{ content: 'a' }, { thinking: 'a' }, { tool_calls: [{ function: { name: 'f' } }] }])(
    'that is not counted has no usage: %j',
    (message) => {
      const made = fromOllamaChat(said(message, { prompt_eval_count: 9, eval_count: -2 }), ctx);
      expect(made).toMatchObject({ ok: true });
      expect(made.ok && made.value.usage).toBeUndefined();
    },
  );

  test('without a message or without vectors is none', () => {
    expect(fromOllamaChat({ done: true }, ctx)).toMatchObject({ ok: false });
    expect(fromOllamaEmbed({}, ctx)).toMatchObject({ ok: false });
  });

  test.for<[embeddings: unknown, input: unknown]>([
    [['x'], 'a'],
    [[[1, null]], 'a'],
    [
      [[1], {}],
      ['a', 'b'],
    ],
    [[], 'a'],
    [[], ['a']],
  ])('with vectors that cannot be read is none: %j', ([embeddings, input]) => {
    expect(fromOllamaEmbed({ embeddings }, { ...ctx, params: { input } })).toMatchObject({ ok: false });
  });

  test.for(['', [], undefined])('has no vectors where there is no input: %j', (input) => {
    const made = fromOllamaEmbed({ embeddings: [] }, { ...ctx, params: { input } });
    expect(made).toMatchObject({ value: { data: [] } });
  });

  test('has vectors', () => {
    expect(fromOllamaEmbed({ embeddings: [[1], [2]], prompt_eval_count: 4, total_duration: 7 }, ctx)).toMatchObject({
      value: {
        data: [{ embedding: [1] }, { index: 1, embedding: [2] }],
        usage: { prompt_tokens: 4, total_tokens: 4 },
        durations: { total_duration: 7 },
      },
    });
  });
});

describe('a stream', () => {
  const line = (message: object, more: object = {}): string => `${JSON.stringify({ message, done: false, ...more })}\n`;
  const LAST = line({ content: '' }, { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 5 });
  const LINES = [
    line({ role: 'assistant', content: '', thinking: 'Hm' }),
    line({ content: 'Grüße' }, { logprobs: [{ token: 'Grüße', logprob: -1 }] }),
    line({ content: '', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] }),
    line({ content: '', tool_calls: [{ id: 'b', function: { name: 'g', arguments: { x: 1 } } }] }),
    LAST,
  ];
  const decode = (pieces: readonly Buffer[]): readonly StreamItem[] => {
    const reader = createFrameReader('json-lines');
    const decoder = createOllamaDecoder(ctx);
    const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
    return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  };
  const read = (text: string): readonly StreamItem[] => decode([Buffer.from(text)]);

  test('has the same items wherever its bytes are cut', () => {
    const bytes = Buffer.from(LINES.join(''));
    const want = decode([bytes]);
    expect(want).toMatchObject([
      { data: { choices: [{ delta: { role: 'assistant', content: '', reasoning_content: 'Hm' } }] } },
      { data: { choices: [{ delta: { content: 'Grüße' }, logprobs: { content: [{ token: 'Grüße' }] } }] } },
      { data: { choices: [{ delta: { tool_calls: [{ index: 0, id: 'a' }] } }] } },
      { data: { choices: [{ delta: { tool_calls: [{ index: 1, id: 'b', function: { arguments: '{"x":1}' } }] } }] } },
      { data: { choices: [{ delta: {}, finish_reason: 'tool_calls' }] } },
      { kind: 'usage', usage: { total_tokens: 8 } },
    ]);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(want);
    }
  });

  test.for<[rule: string, text: string, message: string]>([
    ['ends too early', line({ content: 'a' }), 'ended before it was complete'],
    ['has an error', `${line({ content: 'a' })}{"error":"No room"}\n${LAST}`, 'ollama error: No room'],
    ['has a broken line', `${line({ content: 'a' })}{"mess\n${LAST}`, 'not JSON'],
  ])('that %s says so, once', ([, text, message]) => {
    const items = read(text);
    expect(items).toMatchObject([{ kind: 'chunk' }, { kind: 'error' }]);
    expect(items.at(-1)).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });

  test('that is not counted has no usage', () => {
    const last = line({ content: '' }, { done: true, prompt_eval_count: 3 });
    expect(read(line({ content: 'a' }) + last).map(({ kind }) => kind)).toEqual(['chunk', 'chunk']);
    expect(read(last).at(-1)).toMatchObject({ kind: 'usage', usage: { total_tokens: 3 } });
  });

  test('has nothing behind its last line', () => {
    expect(read(LAST + line({ content: 'more' }))).toEqual(read(LAST));
  });

  test('with a line that does not end is broken', () => {
    const reader = createFrameReader('json-lines');
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    expect(() => {
      for (let i = 0; i < 9; i += 1) reader.push(megabyte);
    }).toThrow(expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' }));
  });
});

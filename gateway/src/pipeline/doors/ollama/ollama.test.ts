import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { toOllamaChat } from '../../../wire/ollama/index.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import type { Door, Entered } from '../door.ts';
import { DoorTransform } from '../transform.ts';
import { ollamaChat, ollamaEmbed, ollamaEmbeddings, ollamaGenerate } from './index.ts';

const context = { query: '', now: () => 0, elapsedMs: () => 2 };
const enter = (given: JsonObject): Entered => ollamaChat.enter({ model: 'm', messages: [], ...given }, context);

const chunk = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const CHUNKS = [
  chunk({ role: 'assistant', reasoning_content: 'Hm' }),
  chunk({ content: 'Grüße ' }),
  chunk({ content: 'Welt' }),
  chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] }),
  chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
];
const SSE = Buffer.from(`${CHUNKS.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')}data: [DONE]\n\n`);
function transform(): DoorTransform {
  const { stream } = enter({});
  if (stream === undefined) throw new Error('chats have streams');
  return new DoorTransform(createRelayTransform('chat'), stream.open(), undefined);
}
const read = (pieces: readonly Buffer[]): string => {
  const made = transform();
  return pieces.map((piece) => made.push(piece) ?? '').join('') + made.end();
};
const linesOf = (text: string): readonly JsonObject[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a stream', () => {
  test('is the same lines wherever its bytes are cut', () => {
    const whole = read([SSE]);
    expect(linesOf(whole)).toMatchObject([
      { message: { role: 'assistant', content: '', thinking: 'Hm' }, done: false },
      { message: { content: 'Grüße ' } },
      { message: { content: 'Welt' } },
      {
        message: {
          tool_calls: [
            { id: 'a', function: { name: 'f', arguments: { x: 1 } } },
            { id: 'b', function: { name: 'g', arguments: {} } },
          ],
        },
        done: false,
      },
      { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 5, total_duration: 2_000_000 },
    ]);
    for (let at = 0; at <= SSE.length; at += 1) {
      expect(read([SSE.subarray(0, at), SSE.subarray(at)])).toBe(whole);
    }
  });

  test('that breaks ends with an error line, once', () => {
    const made = transform();
    made.push(SSE.subarray(0, 200));
    expect(linesOf(made.fail(new AppError('UPSTREAM_STREAM_BROKEN')))).toEqual([{ error: expect.any(String) }]);
    expect(made.fail(new AppError('UPSTREAM_STREAM_BROKEN'))).toBe('');
  });

  test('in which the provider reports an error says nothing more', () => {
    const text = read([Buffer.from('data: {"error":{"message":"No room"}}\n\n'), SSE]);
    expect(linesOf(text)).toEqual([{ error: 'No room' }]);
  });

  test('that ends without a reason is an error', () => {
    const text = read([Buffer.from(`data: ${JSON.stringify(chunk({ content: 'Hel' }))}\n\n`)]);
    expect(linesOf(text)).toMatchObject([{ message: { content: 'Hel' } }, { error: expect.any(String) }]);
  });

  test('with more calls than one answer may have is an error', () => {
    const long = chunk({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: 'x'.repeat(5_000_000) } }],
    });
    expect(linesOf(read([Buffer.from(`data: ${JSON.stringify(long)}\n\n`)]))).toEqual([{ error: expect.any(String) }]);
  });
});

test('a streamed answer says what the same answer says whole', () => {
  const call = fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), args: fc.dictionary(fc.string(), fc.jsonValue()) });
  fc.assert(
    fc.property(fc.string(), fc.uniqueArray(call, { maxLength: 3, selector: ({ name }) => name }), (text, calls) => {
      const tool_calls = calls.map(({ name, args }, index) => ({
        ...{ index, id: `c${index}`, type: 'function' },
        function: { name, arguments: JSON.stringify(args) },
      }));
      const whole = enter({}).toClient({
        choices: [{ message: { content: text, tool_calls }, finish_reason: 'stop' }],
      }) as { message: { content: string; tool_calls?: object[] } };
      const sent = [...text].map((content) => chunk({ content })).concat(chunk({ tool_calls }, 'stop'));
      const lines = linesOf(read(sent.map((data) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`))));
      const messages = lines.map(({ message }) => message as { content: string; tool_calls?: object[] });
      expect(messages.map(({ content }) => content).join('')).toBe(whole.message.content);
      expect(messages.flatMap(({ tool_calls: some }) => some ?? [])).toEqual(whole.message.tool_calls ?? []);
    }),
  );
});

test('log probabilities and durations of a server are told, whole and in a stream', () => {
  const durations = { total_duration: 9, eval_duration: 7 };
  const logprobs = { content: [{ token: 'Hi', logprob: -1, top_logprobs: [] }] };
  const choice = { index: 0, logprobs, finish_reason: 'load' };
  const beside = { durations, usage: { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } } };
  const ending = { done_reason: 'load', prompt_eval_count: 9, prompt_eval_cached_count: 4, ...durations };
  const answer = enter({}).toClient({ choices: [{ ...choice, message: { content: 'Hi' } }], ...beside });
  expect(answer).toMatchObject({ logprobs: logprobs.content, ...ending });
  const chunk = JSON.stringify({ choices: [{ ...choice, delta: { content: 'Hi' } }], ...beside });
  const [first, last] = linesOf(read([Buffer.from(`data: ${chunk}\n\n`)]));
  expect(first).toMatchObject({ logprobs: logprobs.content, done: false });
  expect(last).toMatchObject({ done: true, ...ending });
});

describe('a request', () => {
  test('says its options in words of a chat, and the others as what only Ollama has', () => {
    const { params, dropped } = enter({
      options: { num_predict: 9, temperature: 0.5, top_k: 3, stop: ['a'], num_ctx: 4096, 'odd\nname': 1, seed: null },
      format: { type: 'object' },
      think: 'high',
      keep_alive: '5m',
      logprobs: true,
      top_logprobs: 2,
    });
    expect(params).toEqual({
      ...{ model: 'm', messages: [], stream: true, stream_options: { include_usage: true } },
      ...{ max_completion_tokens: 9, temperature: 0.5, top_k: 3, stop: ['a'], reasoning_effort: 'high' },
      ...{
        think: 'high',
        keep_alive: '5m',
        logprobs: true,
        top_logprobs: 2,
        options: { num_ctx: 4096, 'odd\nname': 1 },
      },
      response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } },
    });
    expect(dropped).toEqual([]);
  });

  test('names what nobody reads, and not what asks for nothing', () => {
    const given = { template: '', context: [1], keep_alive: 0, logprobs: false, other: { a: 1 }, 'odd\nname': 1 };
    expect(ollamaGenerate.enter({ model: 'm', prompt: 'Hi', ...given }, context).dropped).toEqual(['context', 'other']);
    expect(ollamaEmbed.enter({ model: 'm', input: 'a', dimensions: 2, other: 1 }, context).dropped).toEqual(['other']);
    expect(ollamaEmbeddings.enter({ prompt: 'a', options: {}, truncate: true }, context).dropped).toEqual(['truncate']);
  });

  test.for<[rule: string, door: Door, given: JsonObject, params: JsonObject, leftOut: readonly string[]]>([
    [
      'what only the server does',
      ollamaChat,
      {
        ...{ messages: [], stream: false, think: true, keep_alive: '5m', truncate: true, shift: false },
        options: { num_ctx: 1, num_predict: -1, mirostat: 2, 'odd\nname': 1 },
      },
      { model: 'm', messages: [], reasoning_effort: 'medium' },
      ['options.num_ctx', 'options.mirostat', 'keep_alive', 'truncate', 'shift'],
    ],
    [
      'what only it reads of messages',
      ollamaChat,
      {
        ...{ stream: false, keep_alive: 0 },
        messages: [
          { role: 'assistant', thinking: 'Hm', content: 'a' },
          { role: 'tool', tool_call_id: 'c', tool_name: 'f', content: 'b' },
        ],
      },
      {
        model: 'm',
        messages: [
          { role: 'assistant', content: 'a' },
          { role: 'tool', tool_call_id: 'c', content: 'b' },
        ],
      },
      [],
    ],
    [
      'a prompt that loads a model',
      ollamaGenerate,
      { stream: false },
      { model: 'm', messages: [{ role: 'user', content: '' }] },
      [],
    ],
    [
      'how vectors are made',
      ollamaEmbed,
      { input: 'a', truncate: false, options: { num_ctx: 1 }, keep_alive: 1 },
      { model: 'm', input: 'a', encoding_format: 'float' },
      ['options.num_ctx', 'keep_alive', 'truncate'],
    ],
  ])('for others has not %s', ([, door, given, params, leftOut]) => {
    const entered = door.enter({ model: 'm', ...given }, context);
    expect(door.forOthers?.params(entered.params)).toEqual(params);
    expect(door.forOthers?.leftOut?.(entered.params)).toEqual(leftOut);
  });

  test('has no thoughts in its last message, whose content alone guardrails see', () => {
    const said = { role: 'assistant', content: 'a', thinking: 'Hm' };
    expect(enter({ messages: [said, said] }).params['messages']).toEqual([said, { role: 'assistant', content: 'a' }]);
  });

  test.for<[door: Door, given: JsonObject]>([
    [ollamaChat, {}],
    [ollamaChat, { messages: null }],
    [ollamaGenerate, {}],
    [ollamaGenerate, { prompt: '', system: 'Be short.' }],
    [ollamaGenerate, { prompt: null, system: 'Be short.' }],
  ])('without anything to say has no messages, and is not for the cache: %#', ([door, given]) => {
    const { params } = door.enter({ model: 'm', stream: false, ...given }, context);
    expect(params).toEqual({ model: 'm', messages: [] });
    expect(door.isCacheable?.(params)).toBe(false);
  });

  test.for<[door: Door, given: JsonObject, input: unknown, answer: object]>([
    [ollamaEmbed, {}, [], { embeddings: [] }],
    [ollamaEmbed, { input: null }, [], { embeddings: [] }],
    [ollamaEmbed, { input: '' }, '', { embeddings: [] }],
    [ollamaEmbed, { input: [] }, [], { embeddings: [] }],
    [ollamaEmbeddings, {}, '', { embedding: [] }],
    [ollamaEmbeddings, { prompt: '' }, '', { embedding: [] }],
  ])('without texts has no vectors, and is not for the cache: %#', ([door, given, input, answer]) => {
    const entered = door.enter({ model: 'm', ...given }, context);
    expect(entered.params['input']).toEqual(input);
    expect(door.isCacheable?.(entered.params)).toBe(false);
    expect(entered.toClient({ data: [] })).toMatchObject(answer);
  });

  test.for<[door: Door, given: JsonObject, param: string]>([
    [ollamaEmbed, { input: 7 }, 'input'],
    [ollamaEmbed, { input: { a: 1 } }, 'input'],
    [ollamaEmbed, { input: ['a', 7] }, 'input[1]'],
    [ollamaEmbeddings, { prompt: ['a'] }, 'prompt'],
    [ollamaEmbed, { input: 'a', dimensions: '2' }, 'dimensions'],
    [ollamaEmbed, { input: 'a', options: { num_ctx: Infinity } }, 'options.num_ctx'],
  ])('for vectors of the wrong shape is refused by name: %#', ([door, given, param]) => {
    expect(() => door.enter({ model: 'm', ...given }, context)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_INVALID', param }),
    );
  });

  test('with texts has vectors, and is for the cache', () => {
    const entered = ollamaEmbed.enter({ model: 'm', input: ['a'] }, context);
    expect(ollamaEmbed.isCacheable?.(entered.params)).toBe(true);
    expect(() => entered.toClient({ data: [] })).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    );
  });

  test('may name its options as anything', () => {
    const options = JSON.parse('{"__proto__":{"num_ctx":1},"constructor":2,"num_gpu":null}');
    const { params } = enter({ options, stream: false });
    expect(JSON.stringify(params['options'])).toBe('{"__proto__":{"num_ctx":1},"constructor":2}');
    expect(JSON.stringify(toOllamaChat(params, 'm')['options'])).toBe('{"__proto__":{"num_ctx":1},"constructor":2}');
    expect(ollamaChat.forOthers?.leftOut?.(params)).toEqual(['options.__proto__', 'options.constructor']);
  });

  test('not to think stays what it is', () => {
    expect(enter({ think: false, stream: false }).params).toEqual({ model: 'm', messages: [], think: false });
    expect(enter({ think: null, stream: false }).params).toEqual({ model: 'm', messages: [] });
  });

  test('without a limit has none, and JSON is asked for by name', () => {
    const { params } = enter({ options: { num_predict: -1 }, format: 'json', stream: false });
    expect(params).toEqual({ model: 'm', messages: [], num_predict: -1, response_format: { type: 'json_object' } });
  });

  test.for<[param: string, given: JsonObject]>([
    ['messages', { messages: 7 }],
    ['messages[0]', { messages: ['Hi'] }],
    ['messages[0].role', { messages: [{ role: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: [] }] }],
    ['messages[0].images', { messages: [{ role: 'user', images: 'x' }] }],
    ['messages[0].images[0]', { messages: [{ role: 'user', images: ['http://a'] }] }],
    ['options', { options: [] }],
    ['options.num_predict', { options: { num_predict: '5' } }],
    ['options.num_predict', { options: { num_predict: -1.5 } }],
    ['options.num_predict', { options: { num_predict: -Infinity } }],
    ['options.temperature', { options: { temperature: 'hot' } }],
    ['options.top_p', { options: { top_p: [1] } }],
    ['options.top_k', { options: { top_k: '3' } }],
    ['options.seed', { options: { seed: '7' } }],
    ['options.presence_penalty', { options: { presence_penalty: true } }],
    ['options.frequency_penalty', { options: { frequency_penalty: Infinity } }],
    ['options.stop', { options: { stop: 5 } }],
    ['options.stop[2]', { options: { stop: ['a', 'b', 5] } }],
    ['options.num_keep', { options: { num_keep: Infinity } }],
    ['format', { format: 7 }],
    ['think', { think: 'very' }],
    ['stream', { stream: 'yes' }],
    ['logprobs', { logprobs: 'yes' }],
    ['top_logprobs', { top_logprobs: 'x' }],
    ['messages[0].thinking', { messages: [{ role: 'assistant', thinking: 5 }] }],
    ['tools', { tools: [7] }],
    ['messages[0].tool_calls', { messages: [{ role: 'assistant', tool_calls: 'x' }] }],
    ['messages[0].tool_calls[0]', { messages: [{ role: 'assistant', tool_calls: ['x'] }] }],
    ['messages[0].tool_calls[0].function', { messages: [{ role: 'assistant', tool_calls: [{ function: 'x' }] }] }],
    [
      'messages[0].tool_calls[0].function.name',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 5 } }] }] },
    ],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', tool_call_id: 5 }] }],
    ['messages[0].tool_name', { messages: [{ role: 'tool', tool_name: 5 }] }],
  ])('of the wrong shape is refused by name: %s', ([param, given]) => {
    expect(() => enter(given)).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param }));
  });

  test.for(['suffix', 'raw'])('for a completion that no chat can make is refused: %s', (param) => {
    expect(() => ollamaGenerate.enter({ prompt: 'a', [param]: 'b' }, context)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_UNSUPPORTED', param }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import type { StreamProtocol } from '../protocol.ts';
import { createAssembler } from './index.ts';

function assemble(protocol: StreamProtocol, text: string, maxBytes = 100_000): object | undefined {
  const assembler = createAssembler(protocol, maxBytes);
  assembler.push(Buffer.from(text));
  return assembler.finish();
}

const sse = (...events: readonly (object | string)[]): string =>
  events.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join('');

const chunk = (delta: object, over: object = {}, root: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...over }],
  ...root,
});
const END = chunk({}, { finish_reason: 'stop' });
const answer = (message: object, over: object = {}, root: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion',
  created: 7,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: 'stop', ...over }],
  ...root,
});

describe('a chat stream', () => {
  test('becomes text, the last reason and the usage', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const stream = sse(
      chunk({ role: 'assistant', content: '' }, {}, { usage: null, obfuscation: 'xy' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }, {}, { system_fingerprint: 'fp' }),
      END,
      { ...chunk({}), choices: [], usage },
      '[DONE]',
    );
    expect(assemble('chat', stream)).toEqual(
      answer({ role: 'assistant', content: 'Hello' }, {}, { usage, system_fingerprint: 'fp' }),
    );
  });

  test('merges tool calls by index: id and name once, arguments joined', () => {
    const call = (index: number, fn: object, over: object = {}) =>
      chunk({ tool_calls: [{ index, ...over, function: fn }] });
    const stream = sse(
      chunk({ role: 'assistant', content: null }),
      call(1, { name: 'b', arguments: '' }, { id: 't2', type: 'function' }),
      call(0, { name: 'a', arguments: '{"x"' }, { id: 't1', type: 'function' }),
      call(1, { arguments: '{}' }, { id: 't2' }),
      call(0, { name: '', arguments: ':1}' }, { id: '' }),
      END,
      '[DONE]',
    );
    expect(assemble('chat', stream)).toEqual(
      answer({
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
          { id: 't2', type: 'function', function: { name: 'b', arguments: '{}' } },
        ],
      }),
    );
  });

  test('keeps choices apart and in order, with their log probabilities joined', () => {
    const piece = (index: number, content: string, logprob: number) => ({
      index,
      delta: { content },
      logprobs: { content: [{ logprob }], refusal: null },
      finish_reason: null,
    });
    const stream = sse(
      { ...chunk({}), choices: [piece(1, 'b', 1), piece(0, 'a', 2)] },
      { ...chunk({}), choices: [piece(0, 'A', 3)] },
      { ...chunk({}), choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
      END,
      '[DONE]',
    );
    expect(assemble('chat', stream)).toMatchObject({
      choices: [
        {
          index: 0,
          message: { content: 'aA' },
          logprobs: { content: [{ logprob: 2 }, { logprob: 3 }], refusal: null },
        },
        { index: 1, message: { content: 'b' }, logprobs: { content: [{ logprob: 1 }] }, finish_reason: 'length' },
      ],
    });
  });

  test('rebuilds content blocks, whose indexes may have gaps', () => {
    const block = (index: number, delta: object) => chunk({ content_blocks: [{ index, delta }] });
    const stream = sse(
      block(0, { thinking: 'h' }),
      block(0, { thinking: 'm' }),
      block(0, { signature: 's' }),
      block(2, { text: 'hi' }),
      END,
      '[DONE]',
    );
    expect(assemble('chat', stream)).toMatchObject({
      choices: [
        {
          message: {
            content_blocks: [
              { type: 'thinking', thinking: 'hm', signature: 's' },
              { type: 'text', text: 'hi' },
            ],
          },
        },
      ],
    });
  });

  test('gathers the citations of a block, which come one by one', () => {
    const block = (index: number, delta: object) => chunk({ content_blocks: [{ index, delta }] });
    const stream = sse(
      block(0, { text: 'a' }),
      block(0, { citation: { cited_text: 'b' } }),
      block(0, { citation: { cited_text: 'c' } }),
      END,
      '[DONE]',
    );
    const citations = [{ cited_text: 'b' }, { cited_text: 'c' }];
    expect(assemble('chat', stream)).toMatchObject({
      choices: [{ message: { content_blocks: [{ type: 'text', text: 'a', citations }] } }],
    });
  });

  test('takes the id and model from the first chunk that has them', () => {
    const stream = sse(
      { id: '', created: 0, model: '', choices: [], prompt_filter_results: [1] },
      chunk({ content: 'a' }),
      END,
      '[DONE]',
    );
    expect(assemble('chat', stream)).toEqual(answer({ content: 'a' }, {}, { prompt_filter_results: [1] }));
  });

  test('leaves hook results, comments and what follows the terminator out', () => {
    const stream = [
      'event: hook_results\ndata: {"hook_results":{"before_request_hooks":[]}}\n\n',
      ': ping\n\n',
      sse(chunk({ content: 'a' }, {}, { hook_results: {} }), END, '[DONE]'),
      sse({ hook_results: {} }, { error: { message: 'late' } }),
    ].join('');
    expect(assemble('chat', stream)).toEqual(answer({ content: 'a' }));
  });

  test('does not change the prototype of the answer', () => {
    const stream = `${sse(chunk({ content: 'a' })).replace('"m"', '"m","__proto__":{"x":1}')}${sse(END, '[DONE]')}`;
    const result = assemble('chat', stream);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result)).toContain('"__proto__":{"x":1}');
  });

  const a = chunk({ content: 'a' });
  test.for([
    { rule: 'the terminator is missing', stream: sse(a, END) },
    { rule: 'no reason came', stream: sse(a, '[DONE]') },
    { rule: 'one choice has no reason', stream: sse(a, END, chunk({ content: 'b' }, { index: 1 }), '[DONE]') },
    { rule: 'there is no choice', stream: sse({ id: 'c1', choices: [] }, '[DONE]') },
    { rule: 'an error came', stream: sse(a, { error: { message: 'x' } }, END, '[DONE]') },
    { rule: 'an error event came', stream: `${sse(a)}event: error\ndata: {"message":"x"}\n\n${sse(END, '[DONE]')}` },
    { rule: 'an event is not JSON', stream: sse(a, '{"id":', END, '[DONE]') },
    { rule: 'an event is no object', stream: sse(a, '[]', END, '[DONE]') },
    {
      rule: 'content parts came in pieces',
      stream: sse(chunk({ content: [{ text: 'a' }] }), chunk({ content: [{ text: 'b' }] }), END, '[DONE]'),
    },
    {
      rule: 'tool calls had no index of their own',
      stream: sse(chunk({ tool_calls: [{ id: 't1' }] }), chunk({ tool_calls: [{ id: 't2' }] }), END, '[DONE]'),
    },
  ])('gives nothing when $rule', ({ stream }) => {
    expect(assemble('chat', stream)).toBeUndefined();
  });

  test.for([
    { rule: 'text', events: Array.from({ length: 200 }, () => chunk({ content: 'x'.repeat(10) })) },
    { rule: 'choices', events: Array.from({ length: 200 }, (_, index) => chunk({}, { index })) },
    { rule: 'members', events: Array.from({ length: 200 }, (_, i) => chunk({}, { [`key${i}`]: i })) },
    { rule: 'tool calls', events: Array.from({ length: 200 }, (_, index) => chunk({ tool_calls: [{ index }] })) },
    {
      rule: 'log probabilities',
      events: Array.from({ length: 200 }, () => chunk({}, { logprobs: { content: ['abcd'] } })),
    },
  ])('gives nothing when it has more $rule than fits', ({ events }) => {
    expect(assemble('chat', sse(...events, END, '[DONE]'), 1_000)).toBeUndefined();
  });

  test('counts what is kept, not what is repeated', () => {
    const events = Array.from({ length: 1_000 }, () =>
      chunk({ content: 'x' }, { logprobs: null }, { usage: { n: 1 } }),
    );
    expect(assemble('chat', sse(...events, END, '[DONE]'), 2_000)).toBeDefined();
  });
});

test('a text completion stream becomes text and log probabilities', () => {
  const piece = (text: string, over: object = {}) => ({
    id: 'c1',
    object: 'text_completion',
    created: 7,
    model: 'm',
    choices: [{ index: 0, text, logprobs: { tokens: [text] }, finish_reason: null, ...over }],
  });
  const stream = sse(piece('a'), piece('b'), piece('', { logprobs: null, finish_reason: 'stop' }), '[DONE]');
  expect(assemble('completion', stream)).toEqual({
    id: 'c1',
    object: 'text_completion',
    created: 7,
    model: 'm',
    choices: [{ index: 0, text: 'ab', logprobs: { tokens: ['a', 'b'] }, finish_reason: 'stop' }],
  });
});

describe('a messages stream', () => {
  const MESSAGE = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
  const START = { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 3, output_tokens: 1 } } };
  const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
  const close = (index: number) => ({ type: 'content_block_stop', index });
  const CHANGE = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { input_tokens: null, output_tokens: 9 },
  };
  const STOP = { type: 'message_stop' };
  const text = [open(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'hi' }), close(0)];

  test('becomes its blocks and the usage of start and end', () => {
    const stream = sse(
      START,
      { type: 'ping' },
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: 's' }),
      close(0),
      open(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'h' }),
      delta(1, { type: 'citations_delta', citation: { url: 'u' } }),
      delta(1, { type: 'text_delta', text: 'i' }),
      close(1),
      open(2, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"a":' }),
      delta(2, { type: 'input_json_delta', partial_json: '1}' }),
      close(2),
      CHANGE,
      STOP,
    );
    expect(assemble('messages', stream)).toEqual({
      ...MESSAGE,
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'hi', citations: [{ url: 'u' }] },
        { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 9 },
    });
  });

  test('keeps the input of a tool without arguments', () => {
    const stream = sse(START, open(0, { type: 'tool_use', id: 't1', name: 'f', input: {} }), close(0), CHANGE, STOP);
    expect(assemble('messages', stream)).toMatchObject({ content: [{ input: {} }] });
  });

  test.for([
    { rule: 'it does not stop', events: [START, ...text, CHANGE] },
    { rule: 'it has no stop reason', events: [START, ...text, STOP] },
    { rule: 'a block stays open', events: [START, ...text.slice(0, 2), CHANGE, STOP] },
    { rule: 'an error came', events: [START, ...text, { type: 'error', error: {} }, CHANGE, STOP] },
    { rule: 'it does not start', events: [...text, CHANGE, STOP] },
    { rule: 'it starts twice', events: [START, START, ...text, CHANGE, STOP] },
    { rule: 'a block starts twice', events: [START, ...text, ...text, CHANGE, STOP] },
    { rule: 'a delta has no block', events: [START, delta(0, { type: 'text_delta', text: 'x' }), CHANGE, STOP] },
    { rule: 'a stop has no block', events: [START, close(0), CHANGE, STOP] },
    {
      rule: 'a delta is of an unknown kind',
      events: [START, open(0, { type: 'text', text: '' }), delta(0, { type: 'new_delta' }), close(0), CHANGE, STOP],
    },
    {
      rule: 'the input of a tool is not JSON',
      events: [
        START,
        open(0, { type: 'tool_use', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{"a"' }),
        close(0),
        CHANGE,
        STOP,
      ],
    },
  ])('gives nothing when $rule', ({ events }) => {
    expect(assemble('messages', sse(...events))).toBeUndefined();
  });
});

describe('a responses stream', () => {
  const response = { id: 'r1', object: 'response', status: 'completed', output: [{ id: 'i1' }] };
  const named = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const CREATED = named('response.created', { response: { ...response, output: [] } });

  test.for([
    { rule: 'completed', type: 'response.completed' },
    { rule: 'incomplete', type: 'response.incomplete' },
  ])('becomes the body of the event that ends it: $rule', ({ type }) => {
    expect(assemble('responses', CREATED + named(type, { response }))).toEqual(response);
    expect(assemble('responses', sse({ type: 'response.created' }, { type, response }))).toEqual(response);
  });

  test.for([
    { rule: 'it does not end', stream: CREATED },
    { rule: 'it failed', stream: CREATED + named('response.failed', { response }) },
    { rule: 'an error came first', stream: named('error', {}) + named('response.completed', { response }) },
    { rule: 'the last event has no body', stream: CREATED + named('response.completed', {}) },
    { rule: 'the last event is not JSON', stream: 'event: response.completed\ndata: {\n\n' },
  ])('gives nothing when $rule', ({ stream }) => {
    expect(assemble('responses', stream)).toBeUndefined();
  });

  test('gives nothing when it is larger than the bound', () => {
    expect(assemble('responses', named('response.completed', { response }), 20)).toBeUndefined();
  });
});

test('an event larger than any frame may be ends the assembly without throwing', () => {
  const assembler = createAssembler('chat', 100_000_000);
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  assembler.push(Buffer.from('data: '));
  for (let i = 0; i < 10; i += 1) assembler.push(megabyte);
  expect(assembler.finish()).toBeUndefined();
});

describe('the part of a stream that is not whole', () => {
  const partOf = (protocol: StreamProtocol, text: string, maxBytes = 100_000, keepsPart = true): object | undefined => {
    const assembler = createAssembler(protocol, maxBytes, { keepsPart });
    assembler.push(Buffer.from(text));
    expect(assembler.finish()).toBeUndefined();
    return assembler.soFar();
  };

  test('of chat is what came before it was cut, or failed, or grew too large', () => {
    const begun = sse(chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' }));
    const part = answer({ role: 'assistant', content: 'Hello' }, { finish_reason: null });
    expect(partOf('chat', begun)).toEqual(part);
    expect(partOf('chat', begun + sse({ error: { message: 'm' } }))).toEqual(part);
    const long = begun + sse(...Array.from({ length: 1_000 }, () => chunk({ content: 'x'.repeat(100) })));
    expect(JSON.stringify(partOf('chat', long, 1_000)).length).toBeLessThan(1_500);
  });

  test('of messages is what came before', () => {
    const begun = sse(
      { type: 'message_start', message: { id: 'm1', role: 'assistant', content: [], usage: { input_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    );
    expect(partOf('messages', begun)).toMatchObject({ id: 'm1', content: [{ type: 'text', text: 'Hello' }] });
  });

  test('is not kept unless it is asked for', () => {
    expect(partOf('chat', sse(chunk({ content: 'Hello' })), 100_000, false)).toBeUndefined();
    expect(partOf('chat', '')).toBeUndefined();
  });
});

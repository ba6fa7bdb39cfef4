import { describe, expect, test } from 'vitest';
import type { StreamProtocol } from '../protocol.ts';
import { replayAsStream } from './index.ts';

interface Event {
  readonly event?: string;
  readonly data: unknown;
}

/** The events of a replay as name and parsed data. */
function events(protocol: StreamProtocol, stored: object, includeUsage = false): Event[] {
  return replayAsStream(protocol, stored, { includeUsage }).map((text) => {
    const match = /^(?:event: (?<event>\S+)\n)?data: (?<data>[^\n]*)\n\n$/.exec(text);
    const { event, data = '' } = match?.groups ?? {};
    return { ...(event === undefined ? {} : { event }), data: data === '[DONE]' ? data : JSON.parse(data) };
  });
}

const dataOf = (list: readonly Event[]): unknown[] => list.map(({ data }) => data);

const HEAD = { id: 'c1', created: 7, model: 'm' };
const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

const chat = (message: object, over: object = {}): object => ({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason: 'stop' }],
  usage: USAGE,
  ...over,
});

/** The deltas of the first choice, without the chunks around them. */
const deltas = (message: object): unknown[] =>
  replayAsStream('chat', chat(message), { includeUsage: false })
    .slice(0, -2)
    .map((text) => JSON.parse(text.slice('data: '.length)).choices[0].delta);

describe('a replayed chat completion', () => {
  test('has text and an end with the usage, or the usage in a chunk of its own where it was requested', () => {
    const base = { ...HEAD, object: 'chat.completion.chunk' };
    const piece = { index: 0, delta: { role: 'assistant', content: 'hi' }, logprobs: null, finish_reason: null };
    const end = { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' };
    expect(dataOf(events('chat', chat({ content: 'hi' })))).toEqual([
      { ...base, choices: [piece] },
      { ...base, choices: [end], usage: USAGE },
      '[DONE]',
    ]);
    expect(dataOf(events('chat', chat({ content: 'hi' }), true))).toEqual([
      { ...base, choices: [piece], usage: null },
      { ...base, choices: [end], usage: null },
      { ...base, choices: [], usage: USAGE },
      '[DONE]',
    ]);
  });

  test('has no usage chunk when the stored answer has no usage', () => {
    const stored = chat({ content: 'hi' }, { usage: undefined });
    expect(events('chat', stored, true)).toHaveLength(3);
  });

  test.for([
    { rule: 'cuts after 500 characters', content: 'x'.repeat(1_001), lengths: [500, 500, 1] },
    { rule: 'has no empty last piece', content: 'x'.repeat(500), lengths: [500] },
    { rule: 'keeps surrogate pairs whole', content: `${'x'.repeat(499)}😀y`, lengths: [499, 3] },
    { rule: 'cuts between pairs', content: '😀'.repeat(300), lengths: [500, 100] },
    { rule: 'cuts after a lone high half', content: `${'x'.repeat(499)}\ud83dy`, lengths: [500, 1] },
    { rule: 'cuts before a lone low half', content: `${'x'.repeat(500)}\ude00`, lengths: [500, 1] },
  ])('$rule', ({ content, lengths }) => {
    const pieces = deltas({ content }) as { role: string; content: string }[]; // as the row's message makes them
    expect(pieces.map((piece) => piece.content.length)).toEqual(lengths);
    expect(pieces.every((piece) => piece.role === 'assistant')).toBe(true);
    expect(pieces.map((piece) => piece.content).join('')).toBe(content);
  });

  test.for([
    { rule: 'keeps content that is null', message: { content: null }, want: [{ role: 'assistant', content: null }] },
    { rule: 'sends empty content', message: { content: '' }, want: [{ role: 'assistant', content: '' }] },
    {
      rule: 'sends reasoning before content, and what is not text with the role',
      message: { content: 'hi', refusal: null, annotations: [{ a: 1 }], reasoning_content: 'hm' },
      want: [
        { role: 'assistant', refusal: null, annotations: [{ a: 1 }] },
        { role: 'assistant', reasoning_content: 'hm' },
        { role: 'assistant', content: 'hi' },
      ],
    },
    {
      rule: 'sends a tool call with its name first, then its arguments',
      message: {
        content: null,
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      want: [
        { role: 'assistant', content: null },
        { tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'f', arguments: '' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
      ],
    },
    {
      rule: 'sends content blocks with the content they spell',
      message: {
        content: 'ab',
        content_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'ab' },
        ],
      },
      want: [
        { role: 'assistant', content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] },
        { role: 'assistant', content_blocks: [{ index: 0, delta: { signature: 's' } }] },
        { role: 'assistant', content: 'ab', content_blocks: [{ index: 1, delta: { text: 'ab' } }] },
      ],
    },
    {
      rule: 'sends citations one by one',
      message: {
        content: 'a',
        content_blocks: [{ type: 'text', text: 'a', citations: [{ title: 'b' }, { title: 'c' }] }],
      },
      want: [
        { role: 'assistant', content: 'a', content_blocks: [{ index: 0, delta: { text: 'a' } }] },
        { role: 'assistant', content_blocks: [{ index: 0, delta: { citation: { title: 'b' } } }] },
        { role: 'assistant', content_blocks: [{ index: 0, delta: { citation: { title: 'c' } } }] },
      ],
    },
    {
      rule: 'sends content apart from blocks that spell something else',
      message: { content: 'ab', content_blocks: [{ type: 'image_url', image_url: { url: 'u' } }] },
      want: [
        { role: 'assistant', content: 'ab' },
        { role: 'assistant', content_blocks: [{ index: 0, delta: { type: 'image_url', image_url: { url: 'u' } } }] },
      ],
    },
  ])('$rule', ({ message, want }) => {
    expect(deltas(message)).toEqual(want);
  });

  test('has all choices, one after the other, and sends rare members once', () => {
    const choice = (index: number) => ({
      index,
      message: { role: 'assistant', content: 'hi' },
      logprobs: { content: [index] },
      finish_reason: 'stop',
      safetyRatings: [index],
    });
    const stored = chat({}, { choices: [choice(0), choice(1)], citations: ['u'], system_fingerprint: 'fp' });
    const chunks = events('chat', stored).slice(0, -1) as { data: { choices: object[] } }[]; // chunks before [DONE]
    expect(chunks.map(({ data }) => data.choices[0])).toMatchObject([
      { index: 0, logprobs: { content: [0] } },
      { index: 0, logprobs: null, finish_reason: 'stop', safetyRatings: [0] },
      { index: 1, logprobs: { content: [1] } },
      { index: 1, logprobs: null, finish_reason: 'stop', safetyRatings: [1] },
    ]);
    expect(chunks.map(({ data }) => 'citations' in data)).toEqual([true, false, false, false]);
    expect(chunks.every(({ data }) => 'system_fingerprint' in data)).toBe(true);
  });
});

test('a replayed text completion has text, an end, the usage when requested, and the terminator', () => {
  const stored = {
    ...HEAD,
    object: 'text_completion',
    choices: [{ index: 0, text: 'x'.repeat(501), logprobs: null, finish_reason: 'length' }],
    usage: USAGE,
  };
  const base = { ...HEAD, object: 'text_completion', usage: null };
  expect(dataOf(events('completion', stored, true))).toEqual([
    { ...base, choices: [{ index: 0, text: 'x'.repeat(500), logprobs: null, finish_reason: null }] },
    { ...base, choices: [{ index: 0, text: 'x', logprobs: null, finish_reason: null }] },
    { ...base, choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'length' }] },
    { ...base, choices: [], usage: USAGE },
    '[DONE]',
  ]);
});

test('a replayed message opens and closes each block', () => {
  const stored = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'hi', citations: null },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
  };
  const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
  const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  const want = [
    {
      type: 'message_start',
      message: { ...stored, content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 0 } },
    },
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'hm' }),
    delta(0, { type: 'signature_delta', signature: 's' }),
    stop(0),
    start(1, { type: 'text', text: '', citations: null }),
    delta(1, { type: 'text_delta', text: 'hi' }),
    stop(1),
    start(2, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '{"a":1}' }),
    stop(2),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  expect(events('messages', stored)).toEqual(want.map((data) => ({ event: data.type, data })));
});

test('a replayed message whose text is none has a block without deltas', () => {
  const stored = { type: 'message', content: [{ type: 'text', text: { toString: 0 } }] };
  expect(dataOf(events('messages', stored)).filter((data) => JSON.stringify(data).includes('delta'))).toMatchObject([
    { type: 'message_delta' },
  ]);
});

test('a replayed response numbers its events and repeats each text whole', () => {
  const message = {
    type: 'message',
    id: 'i1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'hi', annotations: [{ a: 1 }], logprobs: [] }],
  };
  const call = { type: 'function_call', id: 'i2', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' };
  const thought = { type: 'reasoning', id: 'i3', summary: [{ type: 'summary_text', text: 'hm' }] };
  const stored = {
    id: 'r1',
    object: 'response',
    status: 'completed',
    output: [message, call, thought],
    usage: { n: 1 },
  };
  const list = events('responses', stored);
  expect(list.map(({ event }) => event)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.output_text.annotation.added',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(list.map(({ data }) => (data as { sequence_number: number }).sequence_number)).toEqual([...list.keys()]);
  expect(dataOf(list)).toMatchObject({
    0: { response: { id: 'r1', status: 'in_progress', output: [], usage: null } },
    3: { item_id: 'i1', output_index: 0, content_index: 0, part: { text: '', annotations: [] } },
    5: { text: 'hi', logprobs: [] },
    9: { output_index: 1, item: { arguments: '', status: 'in_progress', name: 'f' } },
    11: { item_id: 'i2', arguments: '{}' },
    14: { item_id: 'i3', output_index: 2, summary_index: 0, part: { type: 'summary_text', text: '' } },
    19: { response: stored },
  });
});

test('a replayed incomplete response ends as one', () => {
  const stored = { id: 'r1', object: 'response', status: 'incomplete', output: [] };
  expect(events('responses', stored).at(-1)?.event).toBe('response.incomplete');
});

test.for(['chat', 'completion', 'messages', 'responses'] as const)('hook results are not replayed: %s', (protocol) => {
  const stored = { id: 'x', choices: [{ index: 0, text: 'a', message: {} }], hook_results: { secret: 1 } };
  expect(replayAsStream(protocol, stored, { includeUsage: true }).join('')).not.toContain('hook_results');
});

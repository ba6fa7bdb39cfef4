import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { createAnthropicDecoder, createLegacyCompletionDecoder, createMessagesRelayDecoder } from './index.ts';

const ctx: WireContext = {
  provider: 'anthropic',
  model: 'asked-for',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};
const loose = { ...ctx, strict: false };

const START = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', usage: { input_tokens: 5, cache_read_input_tokens: 3 } },
};
const END = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];
const ROLE = { role: 'assistant', content: '' };

function run(decoder: StreamDecoder, events: readonly object[]): readonly StreamItem[] {
  const pushed = events.flatMap((event) => decoder.push({ event: undefined, data: JSON.stringify(event) }));
  return [...pushed, ...decoder.end()];
}

/** The deltas of the chunks between the first and the last. */
function deltas(events: readonly object[], context = ctx): readonly unknown[] {
  const items = run(createAnthropicDecoder(context), [START, ...events, ...END]);
  return items.flatMap((item) =>
    item.kind === 'chunk' ? [(item.data as { choices: [{ delta: unknown }] }).choices[0].delta] : [],
  );
}

const start = (index: number, content_block: JsonObject) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, body: JsonObject) => ({ type: 'content_block_delta', index, delta: body });
const stop = (index: number) => ({ type: 'content_block_stop', index });

describe('a messages stream', () => {
  test('is chat chunks with one id, then the totals', () => {
    const items = run(createAnthropicDecoder(ctx), [START, delta(0, { type: 'text_delta', text: 'hi' }), ...END]);
    const chunk = (body: object, finish_reason: string | null) => ({
      kind: 'chunk',
      data: {
        id: 'msg_1',
        object: 'chat.completion.chunk',
        created: 1_760_000_000,
        model: 'claude-x',
        provider: 'anthropic',
        choices: [{ index: 0, delta: body, logprobs: null, finish_reason }],
      },
    });
    expect(items).toEqual([
      chunk(ROLE, null),
      chunk({ content: 'hi' }, null),
      chunk({}, 'stop'),
      {
        kind: 'usage',
        usage: {
          prompt_tokens: 8,
          completion_tokens: 9,
          total_tokens: 17,
          prompt_tokens_details: { cached_tokens: 3 },
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: 0,
        },
      },
    ]);
  });

  test.for<{ rule: string; events: object[]; strict: unknown[]; loose: unknown[] }>([
    {
      rule: 'text',
      events: [start(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'a' }), stop(0)],
      strict: [{ content: 'a' }],
      loose: [
        { content_blocks: [{ index: 0, delta: { text: '' } }] },
        { content: 'a', content_blocks: [{ index: 0, delta: { text: 'a' } }] },
      ],
    },
    {
      rule: 'text that starts with its block',
      events: [start(1, { type: 'text', text: 'a' })],
      strict: [{ content: 'a' }],
      loose: [{ content: 'a', content_blocks: [{ index: 1, delta: { text: 'a' } }] }],
    },
    {
      rule: 'thinking',
      events: [
        start(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        delta(0, { type: 'signature_delta', signature: 's' }),
        start(1, { type: 'redacted_thinking', data: 'x' }),
      ],
      strict: [],
      loose: [
        { content_blocks: [{ index: 0, delta: { thinking: '', signature: '' } }] },
        { content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] },
        { content_blocks: [{ index: 0, delta: { signature: 's' } }] },
        { content_blocks: [{ index: 1, delta: { data: 'x' } }] },
      ],
    },
    {
      rule: 'citations',
      events: [delta(0, { type: 'citations_delta', citation: { a: 1 } })],
      strict: [],
      loose: [{ content_blocks: [{ index: 0, delta: { citation: { a: 1 } } }] }],
    },
    {
      rule: 'server tools, whose input is not a call of the client',
      events: [
        start(0, { type: 'server_tool_use', id: 's1', name: 'web_search' }),
        delta(0, { type: 'input_json_delta', partial_json: '{}' }),
      ],
      strict: [],
      loose: [
        { content_blocks: [{ index: 0, delta: { type: 'server_tool_use', id: 's1', name: 'web_search' } }] },
        { content_blocks: [{ index: 0, delta: { partial_json: '{}' } }] },
      ],
    },
    {
      rule: 'pings and unknown events',
      events: [{ type: 'ping' }, { type: 'new' }, delta(0, { type: 'new' })],
      strict: [],
      loose: [],
    },
  ])('says $rule', ({ events, strict, loose: want }) => {
    expect(deltas(events)).toEqual([ROLE, ...strict, {}]);
    expect(deltas(events, loose)).toEqual([ROLE, ...want, {}]);
  });

  test('numbers tool calls from 0, whatever blocks lie between', () => {
    const call = (index: number, id: string, name: string, args = '') => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
    });
    const args = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
    expect(
      deltas([
        start(0, { type: 'text', text: '' }),
        start(1, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
        delta(1, { type: 'input_json_delta', partial_json: '{"a"' }),
        delta(1, { type: 'input_json_delta', partial_json: ':1}' }),
        stop(1),
        start(2, { type: 'tool_use', id: 't2', name: 'g', input: { b: 2 } }),
      ]),
    ).toEqual([ROLE, call(0, 't1', 'f'), args(0, '{"a"'), args(0, ':1}'), call(1, 't2', 'g', '{"b":2}'), {}]);
  });

  test('keeps the upstream reason for clients that are not strict', () => {
    const items = run(createAnthropicDecoder(loose), [
      START,
      { type: 'message_delta', delta: { stop_reason: 'refusal' } },
    ]);
    expect(items.at(-2)).toMatchObject({ data: { choices: [{ finish_reason: 'refusal' }] } });
  });

  const vendorError = { type: 'error', error: { type: 'api_error', message: 'no' } };
  const endings = [createAnthropicDecoder, createMessagesRelayDecoder, createLegacyCompletionDecoder];

  test.for(endings.map((open) => ({ open, name: open.name })))('of $name ends at an error event', ({ open }) => {
    const items = run(open(ctx), [START, vendorError, vendorError, ...END]);
    expect(items.filter(({ kind }) => kind === 'error')).toEqual([
      { kind: 'error', error: { message: 'anthropic error: no', type: 'api_error', param: null, code: null } },
    ]);
    expect(items.at(-1)?.kind).toBe('error');
  });

  test.for(endings.map((open) => ({ open, name: open.name })))(
    'of $name ends with an error when it is cut',
    ({ open }) => {
      expect(run(open(ctx), [START]).at(-1)).toMatchObject({ kind: 'error', error: { type: 'stream_error' } });
      expect(run(open(ctx), []).at(-1)).toMatchObject({ kind: 'error', error: { type: 'stream_error' } });
    },
  );

  test.for(endings.map((open) => ({ open, name: open.name })))('of $name never throws, whatever comes', ({ open }) => {
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'message_delta',
      'message_stop',
      'error',
      'completion',
    ];
    const event = fc.record({
      type: fc.constantFrom(...types),
      index: fc.jsonValue(),
      message: fc.jsonValue(),
      content_block: fc.oneof(
        fc.record({ type: fc.constantFrom('text', 'tool_use', 'thinking'), input: fc.jsonValue(), id: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      delta: fc.oneof(
        fc.record({
          type: fc.constantFrom('text_delta', 'input_json_delta'),
          text: fc.jsonValue(),
          stop_reason: fc.jsonValue(),
        }),
        fc.jsonValue(),
      ),
      usage: fc.jsonValue(),
      completion: fc.jsonValue(),
      error: fc.jsonValue(),
    });
    const data = fc.oneof(
      event.map((value) => JSON.stringify(value)),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.string(),
    );
    const frame = fc.record({ event: fc.option(fc.string(), { nil: undefined }), data });
    fc.assert(
      fc.property(fc.array(frame), fc.boolean(), (frames, strict) => {
        const decoder = open({ ...ctx, strict });
        const items = [...frames.flatMap((one) => decoder.push(one)), ...decoder.end(), ...decoder.end()];
        expect(items.filter(({ kind }) => kind !== 'chunk').length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test('a tool call whose names are objects has empty ones', () => {
  const content_block = { type: 'tool_use', id: { toString: 0 }, name: { toString: 0 }, input: {} };
  const data = JSON.stringify({ type: 'content_block_start', index: 0, content_block });
  const items = createAnthropicDecoder({ ...ctx, strict: false }).push({ event: undefined, data });
  expect(JSON.stringify(items)).toContain('"id":"","type":"function","function":{"name":""');
});

describe('a relayed messages stream', () => {
  test('emits every event under its name, without members that the upstream added, then the totals', () => {
    const added = { ...END[1], extra: { a: 1 } };
    const items = run(createMessagesRelayDecoder(ctx, { dropMembers: ['extra'] }), [
      START,
      { type: 'ping' },
      END[0] ?? {},
      added,
    ]);
    expect(items).toEqual([
      { kind: 'chunk', event: 'message_start', data: START },
      { kind: 'chunk', event: 'ping', data: { type: 'ping' } },
      { kind: 'chunk', event: 'message_delta', data: END[0] },
      { kind: 'chunk', event: 'message_stop', data: { type: 'message_stop' } },
      { kind: 'usage', usage: expect.objectContaining({ prompt_tokens: 8, completion_tokens: 9 }) },
    ]);
  });
});

describe('a legacy completion stream', () => {
  test('is text chunks, the last with the reason', () => {
    const events = [
      { type: 'completion', completion: ' a', stop_reason: null, log_id: 'l1', model: 'claude-2.1' },
      { type: 'ping' },
      { type: 'completion', completion: '', stop_reason: 'stop_sequence', log_id: 'l2' },
    ];
    const items = run(createLegacyCompletionDecoder(ctx), events);
    const chunk = (text: string, finish_reason: string | null) => ({
      kind: 'chunk',
      data: {
        id: 'l1',
        object: 'text_completion',
        created: 1_760_000_000,
        model: 'claude-2.1',
        provider: 'anthropic',
        choices: [{ text, index: 0, logprobs: null, finish_reason }],
      },
    });
    expect(items).toEqual([chunk(' a', null), chunk('', 'stop')]);
  });
});

import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import {
  awsErrorFields,
  createCompleteDecoder,
  createConverseDecoder,
  createConverseMessagesDecoder,
  createDialectDecoder,
  createInvokeMessagesDecoder,
  createLegacyChatDecoder,
  fromConverseAnswer,
  fromLegacyChatAnswer,
} from './index.ts';

const ctx: WireContext = {
  provider: 'bedrock',
  model: 'some.model-v1:0',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};
const loose = { ...ctx, strict: false };
const USAGE = { inputTokens: 5, outputTokens: 2, totalTokens: 10, cacheReadInputTokens: 3 };

describe('a Converse answer', () => {
  const answer = (content: object[], stopReason = 'end_turn') => ({
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage: USAGE,
  });
  const blocks = [
    { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
    { reasoningContent: { redactedContent: 'xx' } },
    { text: 'a' },
    { text: 'b' },
    { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
    { toolUse: { toolUseId: 't2', name: 'g' } },
  ];
  const toolCalls = [
    { id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    { id: 't2', type: 'function', function: { name: 'g', arguments: '{}' } },
  ];

  test('is a chat completion with a generated id and the requested model', () => {
    expect(unwrap(fromConverseAnswer(answer(blocks, 'tool_use'), ctx))).toEqual({
      id: `chatcmpl-${'0'.repeat(29)}`,
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'some.model-v1:0',
      provider: 'bedrock',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'ab', tool_calls: toolCalls },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 8,
        completion_tokens: 2,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 3 },
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 0,
      },
    });
  });

  test('shows its blocks to clients that are not strict', () => {
    expect(unwrap(fromConverseAnswer(answer(blocks), loose)).choices[0]?.message['content_blocks']).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });

  test.for([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
  ])('ends with %s: %s for strict clients, the reason of the vendor for others', ([reason, want]) => {
    expect(unwrap(fromConverseAnswer(answer([], reason), ctx)).choices[0]?.finish_reason).toBe(want);
    expect(unwrap(fromConverseAnswer(answer([], reason), loose)).choices[0]?.finish_reason).toBe(reason);
  });

  test('cannot be read without a message', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !fromConverseAnswer(value, ctx).ok));
  });
});

type Event = readonly [event: string, payload: unknown];

function run(decoder: StreamDecoder, events: readonly Event[]): readonly StreamItem[] {
  const items = events.flatMap(([event, payload]) => decoder.push({ event, data: JSON.stringify(payload) }));
  return [...items, ...decoder.end()];
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  kind: 'chunk',
  data: expect.objectContaining({
    id: `chatcmpl-${'0'.repeat(29)}`,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  }),
});

describe('a Converse stream', () => {
  const delta = (contentBlockIndex: number, body: object): Event => [
    'contentBlockDelta',
    { contentBlockIndex, delta: body },
  ];
  const START: Event = ['messageStart', { role: 'assistant' }];
  const STOP: Event = ['messageStop', { stopReason: 'tool_use' }];
  const METADATA: Event = ['metadata', { usage: USAGE, metrics: { latencyMs: 1 } }];
  const ROLE = chunk({ role: 'assistant', content: '' });
  const TOTALS = {
    kind: 'usage',
    usage: expect.objectContaining({ prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 }),
  };

  test.for<{ rule: string; events: Event[]; strict: object[]; loose: object[] }>([
    {
      rule: 'text',
      events: [delta(0, { text: 'a' }), ['contentBlockStop', { contentBlockIndex: 0 }]],
      strict: [chunk({ content: 'a' })],
      loose: [chunk({ content: 'a', content_blocks: [{ index: 0, delta: { text: 'a' } }] })],
    },
    {
      rule: 'reasoning and citations',
      events: [
        delta(0, { reasoningContent: { text: 'hm' } }),
        delta(0, { reasoningContent: { signature: 's' } }),
        delta(1, { reasoningContent: { redactedContent: 'xx' } }),
        delta(2, { citation: { title: 't' } }),
        delta(2, { new: 1 }),
      ],
      strict: [],
      loose: [
        chunk({ content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] }),
        chunk({ content_blocks: [{ index: 0, delta: { signature: 's' } }] }),
        chunk({ content_blocks: [{ index: 1, delta: { data: 'xx' } }] }),
        chunk({ content_blocks: [{ index: 2, delta: { citation: { title: 't' } } }] }),
      ],
    },
  ])('says $rule', ({ events, strict, loose: want }) => {
    expect(run(createConverseDecoder(ctx), [START, ...events, STOP, METADATA])).toEqual([
      ROLE,
      ...strict,
      chunk({}, 'tool_calls'),
      TOTALS,
    ]);
    expect(run(createConverseDecoder(loose), [START, ...events, STOP, METADATA])).toEqual([
      ROLE,
      ...want,
      chunk({}, 'tool_use'),
      TOTALS,
    ]);
  });

  test('numbers tool calls from 0', () => {
    const open = (toolUseId: string): Event => [
      'contentBlockStart',
      { contentBlockIndex: 4, start: { toolUse: { toolUseId, name: 'f' } } },
    ];
    const opened = (index: number, id: string) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' } }] });
    const args = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    const events = [
      open('t1'),
      delta(1, { toolUse: { input: '{"a"' } }),
      delta(1, { toolUse: { input: ':1}' } }),
      open('t2'),
    ];
    expect(run(createConverseDecoder(ctx), [...events, STOP, METADATA]).slice(0, -2)).toEqual([
      opened(0, 't1'),
      args(0, '{"a"'),
      args(0, ':1}'),
      opened(1, 't2'),
    ]);
  });

  test.for<{ rule: string; events: Event[]; want: object[] }>([
    { rule: 'without metadata once it stopped', events: [START, STOP], want: [ROLE, chunk({}, 'tool_calls')] },
    {
      rule: 'with an exception',
      events: [START, ['validationException', { message: 'no' }], METADATA],
      want: [
        ROLE,
        {
          kind: 'error',
          error: { message: 'bedrock error: no', type: 'validationException', param: null, code: null },
        },
      ],
    },
    {
      rule: 'with an error in headers only',
      events: [['error', { __type: 'InternalFailure', message: 'x' }]],
      want: [
        { kind: 'error', error: { message: 'bedrock error: x', type: 'InternalFailure', param: null, code: null } },
      ],
    },
    {
      rule: 'too early',
      events: [START],
      want: [ROLE, { kind: 'error', error: expect.objectContaining({ type: 'stream_error' }) }],
    },
  ])('can end $rule', ({ events, want }) => {
    expect(run(createConverseDecoder(ctx), events)).toEqual(want);
  });
});

describe('a legacy chat', () => {
  test('is a chat completion of its texts', () => {
    const body = {
      generations: [
        { text: 'a', finish_reason: 'COMPLETE' },
        { text: 'b', finish_reason: 'MAX_TOKENS' },
      ],
    };
    const headers = { 'x-amzn-bedrock-input-token-count': '4', 'x-amzn-bedrock-output-token-count': '6' };
    expect(unwrap(fromLegacyChatAnswer(body, ctx, headers))).toMatchObject({
      object: 'chat.completion',
      choices: [
        { index: 0, message: { content: 'a' }, finish_reason: 'stop' },
        { index: 1, message: { content: 'b' }, finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
    });
  });

  test('streams chat chunks from the frames of a completion, the repeated text left out', () => {
    const events: Event[] = [
      ['chunk', { text: 'a', is_finished: false }],
      [
        'chunk',
        {
          text: 'ab',
          is_finished: true,
          finish_reason: 'COMPLETE',
          'amazon-bedrock-invocationMetrics': { inputTokenCount: 4, outputTokenCount: 6 },
        },
      ],
    ];
    const dialects = { invoke: createLegacyChatDecoder, converse: createConverseDecoder };
    expect(run(createDialectDecoder(ctx, dialects), events)).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'a' }),
      chunk({}, 'stop'),
      { kind: 'usage', usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 } },
    ]);
  });
});

describe('an error of the service', () => {
  test.for<{ body: unknown; headers: Record<string, string>; want: unknown }>([
    { body: { message: 'm' }, headers: {}, want: { message: 'm', type: null } },
    {
      body: { Message: 'm' },
      headers: { 'x-amzn-errortype': 'ValidationException:http://x/' },
      want: { message: 'm', type: 'ValidationException' },
    },
    {
      body: { message: 'm', __type: 'com.amazon.coral.service#ThrottlingException' },
      headers: {},
      want: { message: 'm', type: 'ThrottlingException' },
    },
    { body: { error: 'x' }, headers: {}, want: undefined },
    { body: 'text', headers: {}, want: undefined },
  ])('is read from $body', ({ body, headers, want }) => {
    const read = awsErrorFields(body, headers);
    if (want === undefined) expect(read).toBeUndefined();
    else expect(read).toMatchObject(want as object);
  });
});

test.for(
  [
    createConverseDecoder,
    createConverseMessagesDecoder,
    createInvokeMessagesDecoder,
    createCompleteDecoder,
    createLegacyChatDecoder,
  ].map((open) => ({ open, name: open.name })),
)('$name never throws, whatever comes', ({ open }) => {
  const events = [
    'messageStart',
    'contentBlockStart',
    'contentBlockDelta',
    'contentBlockStop',
    'messageStop',
    'metadata',
    'chunk',
    'throttlingException',
    'error',
  ];
  const payload = fc.record({
    contentBlockIndex: fc.jsonValue(),
    start: fc.oneof(fc.record({ toolUse: fc.jsonValue() }), fc.jsonValue()),
    delta: fc.oneof(
      fc.record({ text: fc.jsonValue(), reasoningContent: fc.jsonValue(), toolUse: fc.jsonValue() }),
      fc.jsonValue(),
    ),
    stopReason: fc.jsonValue(),
    usage: fc.jsonValue(),
    outputs: fc.jsonValue(),
    text: fc.jsonValue(),
    is_finished: fc.jsonValue(),
    type: fc.jsonValue(),
    message: fc.jsonValue(),
  });
  const data = fc.oneof(
    payload.map((value) => JSON.stringify(value)),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.string(),
  );
  const frame = fc.record({ event: fc.option(fc.constantFrom(...events), { nil: undefined }), data });
  fc.assert(
    fc.property(fc.array(frame), fc.boolean(), (frames, strict) => {
      const decoder = open({ ...ctx, strict });
      const items = [...frames.flatMap((one) => decoder.push(one)), ...decoder.end(), ...decoder.end()];
      expect(items.filter(({ kind }) => kind !== 'chunk').length).toBeLessThanOrEqual(1);
    }),
  );
});

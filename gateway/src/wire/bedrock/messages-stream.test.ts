import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamItem } from '../contract.ts';
import { createConverseMessagesDecoder, createInvokeMessagesDecoder } from './index.ts';
import { ctx } from './testing.ts';

type Event = readonly [event: string, payload: object];

const frames = (events: readonly Event[]) =>
  events.map(([event, payload]) => ({ event, data: JSON.stringify(payload) }));

describe('a Converse stream in the messages format', () => {
  const run = (events: readonly Event[]): readonly StreamItem[] => {
    const decoder = createConverseMessagesDecoder(ctx);
    return [...frames(events).flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  };
  const names = (items: readonly StreamItem[]) => items.map((item) => (item.kind === 'chunk' ? item.event : item.kind));
  const delta = (contentBlockIndex: number, body: object): Event => [
    'contentBlockDelta',
    { contentBlockIndex, delta: body },
  ];

  test('opens a block at its first delta and closes it before the next', () => {
    const items = run([
      ['messageStart', { role: 'assistant' }],
      delta(0, { reasoningContent: { text: 'hm' } }),
      delta(0, { reasoningContent: { signature: 's' } }),
      ['contentBlockStop', { contentBlockIndex: 0 }],
      delta(1, { reasoningContent: { redactedContent: 'xx' } }),
      delta(2, { text: 'a' }),
      delta(2, { text: 'b' }),
      ['contentBlockStart', { contentBlockIndex: 3, start: { toolUse: { toolUseId: 't1', name: 'f' } } }],
      delta(3, { toolUse: { input: '{}' } }),
      ['contentBlockStop', { contentBlockIndex: 3 }],
      ['messageStop', { stopReason: 'tool_use' }],
      ['metadata', { usage: { inputTokens: 5, outputTokens: 2 } }],
    ]);
    const chunks = items.flatMap((item) => (item.kind === 'chunk' ? [item.data as JsonObject] : []));
    expect(chunks.slice(1)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'xx' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_stop', index: 2 },
      { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 't1', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_stop', index: 3 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      },
      { type: 'message_stop' },
    ]);
    expect(items.at(-1)).toMatchObject({ kind: 'usage', usage: { total_tokens: 7 } });
  });

  test('is complete without metadata once it stopped', () => {
    expect(
      names(
        run([
          ['messageStart', {}],
          ['messageStop', { stopReason: 'end_turn' }],
        ]),
      ),
    ).toEqual(['message_start', 'message_delta', 'message_stop', 'usage']);
  });

  test.for<{ rule: string; events: Event[]; want: object }>([
    {
      rule: 'an exception',
      events: [
        ['messageStart', {}],
        ['throttlingException', { message: 'slow' }],
        ['metadata', {}],
      ],
      want: {
        kind: 'error',
        error: { message: 'bedrock error: slow', type: 'throttlingException', param: null, code: null },
      },
    },
    { rule: 'an early end', events: [['messageStart', {}]], want: { kind: 'error', error: { type: 'stream_error' } } },
  ])('ends with one error for $rule', ({ events, want }) => {
    const items = run(events);
    expect(items.at(-1)).toMatchObject(want);
    expect(names(items)).toEqual(['message_start', 'error']);
  });
});

describe('an invoke stream in the messages format', () => {
  const metrics = { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 1 } };

  test("says the model's own events, without what Bedrock adds", () => {
    const decoder = createInvokeMessagesDecoder(ctx);
    const items = frames([
      ['chunk', { type: 'ping' }],
      ['chunk', { type: 'message_stop', ...metrics }],
    ]).flatMap((frame) => decoder.push(frame));
    expect(items).toEqual([
      { kind: 'chunk', event: 'ping', data: { type: 'ping' } },
      { kind: 'chunk', event: 'message_stop', data: { type: 'message_stop' } },
      { kind: 'usage', usage: expect.objectContaining({ total_tokens: 0 }) },
    ]);
    expect(decoder.end()).toEqual([]);
  });

  test('ends with an error for an exception', () => {
    const decoder = createInvokeMessagesDecoder(ctx);
    const items = frames([
      ['modelStreamErrorException', { message: 'broke' }],
      ['chunk', { type: 'ping' }],
    ]).flatMap((frame) => decoder.push(frame));
    expect([...items, ...decoder.end()]).toEqual([
      {
        kind: 'error',
        error: { message: 'bedrock error: broke', type: 'modelStreamErrorException', param: null, code: null },
      },
    ]);
  });
});

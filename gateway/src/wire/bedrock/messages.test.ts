import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamItem, WireContext } from '../contract.ts';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import {
  type ConverseTarget,
  createConverseMessagesDecoder,
  createInvokeMessagesDecoder,
  fromCount,
  remoteUrlsOfMessages,
  toConverseCount,
  toConverseMessages,
  toInvokeCount,
  toInvokeMessages,
  toMessagesAnswer,
} from './index.ts';

const ctx: WireContext = {
  provider: 'bedrock',
  model: 'amazon.nova-pro-v1:0',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};
const LLAMA: ConverseTarget = { model: 'meta.llama3-70b-instruct-v1:0', family: 'meta' };

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

const POINT = { cachePoint: { type: 'default' } };
const CACHE = { type: 'ephemeral', scope: 'global' };
const USER = { role: 'user', content: 'hi' };
const HI = { role: 'user', content: [{ text: 'hi' }] };

describe('a messages request for a model of the vendor', () => {
  test('keeps what Bedrock knows and nothing else', () => {
    const params = {
      model: 'm',
      stream: true,
      max_tokens: 9,
      messages: [USER],
      system: 's',
      context_management: {},
      anthropic_beta: ['x'],
      top_k: null,
    };
    expect(toInvokeMessages(frozen(params), { anthropicBeta: ['b'] })).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['b'],
      max_tokens: 9,
      messages: [USER],
      system: 's',
    });
  });

  test('takes versions of Bedrock only', () => {
    const version = (anthropicVersion: string) => toInvokeMessages({}, { anthropicVersion })['anthropic_version'];
    expect([version('bedrock-2099-01-01'), version('2023-06-01')]).toEqual([
      'bedrock-2099-01-01',
      'bedrock-2023-05-31',
    ]);
  });

  test('has no scope at any breakpoint, and other members named scope', () => {
    const marked = { type: 'text', text: 'a', cache_control: CACHE };
    const clean = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
    const use = { type: 'tool_use', id: 't', name: 'f', input: { cache_control: CACHE } };
    const params = {
      system: [marked],
      messages: [
        { role: 'user', content: [marked, use, { type: 'tool_result', content: [marked], cache_control: CACHE }] },
      ],
      tools: [{ name: 'f', input_schema: { scope: 1 }, cache_control: CACHE }],
    };
    expect(toInvokeMessages(frozen(params), {})).toMatchObject({
      system: [clean],
      messages: [{ content: [clean, use, { content: [clean], cache_control: { type: 'ephemeral' } }] }],
      tools: [{ name: 'f', input_schema: { scope: 1 }, cache_control: { type: 'ephemeral' } }],
    });
  });
});

describe('a messages request for another model', () => {
  const convert = (params: JsonObject, target = LLAMA): JsonObject => toConverseMessages(frozen(params), target);
  const content = (block: object, target?: ConverseTarget): unknown => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, block] }];
    const [turn] = convert({ messages }, target)['messages'] as [{ content: unknown[] }];
    return turn.content.slice(1);
  };
  const base64 = (media_type: string) => ({ type: 'base64', media_type, data: 'AA==' });
  const bytes = { bytes: 'AA==' };

  test.for<{ rule: string; block: object; want: unknown[] }>([
    { rule: 'text', block: { type: 'text', text: 'a', cache_control: CACHE }, want: [{ text: 'a' }, POINT] },
    { rule: 'blank text', block: { type: 'text', text: ' ', cache_control: CACHE }, want: [] },
    {
      rule: 'an image',
      block: { type: 'image', source: base64('image/jpeg') },
      want: [{ image: { format: 'jpeg', source: bytes } }],
    },
    {
      rule: 'an image in a bucket',
      block: { type: 'image', source: { type: 'url', url: 's3://b/k.webp' } },
      want: [{ image: { format: 'webp', source: { s3Location: { uri: 's3://b/k.webp' } } } }],
    },
    {
      rule: 'a fetched image',
      block: { type: 'image', source: { type: 'url', url: 'https://x.example/a' } },
      want: [{ image: { format: 'gif', source: { bytes: 'R0=' } } }],
    },
    {
      rule: 'a document with title and citations',
      block: { type: 'document', source: base64('application/pdf'), title: 'My doc', citations: { enabled: true } },
      want: [{ document: { format: 'pdf', name: 'My doc', source: bytes, citations: { enabled: true } } }],
    },
    {
      rule: 'a document that is text',
      block: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      want: [{ document: { format: 'txt', name: 'document-1', source: { text: 'words' } } }],
    },
    {
      rule: 'a failed tool answer with an image',
      block: {
        type: 'tool_result',
        tool_use_id: 't1',
        is_error: true,
        content: [
          { type: 'text', text: 'no', cache_control: CACHE },
          { type: 'image', source: base64('image/png') },
        ],
        cache_control: CACHE,
      },
      want: [
        {
          toolResult: {
            toolUseId: 't1',
            content: [{ text: 'no' }, { image: { format: 'png', source: bytes } }],
            status: 'error',
          },
        },
        POINT,
      ],
    },
    {
      rule: 'a tool answer that is text',
      block: { type: 'tool_result', tool_use_id: 't1', content: '42' },
      want: [{ toolResult: { toolUseId: 't1', content: [{ text: '42' }], status: 'success' } }],
    },
  ])('carries $rule', ({ block, want }) => {
    const remote = new Map([['https://x.example/a', { mimeType: 'image/gif', data: 'R0=' }]]);
    expect(content(block, { ...LLAMA, remote })).toEqual(want);
  });

  test.for<{ rule: string; block: object }>([
    {
      rule: 'a document by id, which only the vendor has',
      block: { type: 'document', source: { type: 'file', file_id: 'f' } },
    },
    { rule: 'an unknown block', block: { type: 'container_upload', file_id: 'f' } },
    { rule: 'an unknown block of a tool', block: { type: 'tool_result', content: [{ type: 'search_result' }] } },
  ])('refuses $rule', ({ block }) => {
    expect(() => content(block)).toThrow(UnsupportedPart);
  });

  test('carries what the assistant thought, said and called', () => {
    const said = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'text', text: 'ok' },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
    ];
    expect(convert({ messages: [USER, { role: 'assistant', content: said }] })['messages']).toEqual([
      HI,
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
          { reasoningContent: { redactedContent: 'xx' } },
          { text: 'ok' },
          { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
        ],
      },
    ]);
  });

  const tool = { name: 'f', description: 'd', input_schema: { type: 'object' } };
  const spec = { toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } } } };
  const used = [USER, { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'g', input: {} }] }];

  test.for<{ rule: string; params: JsonObject; want: JsonObject }>([
    { rule: 'a system text', params: { system: 'S' }, want: { system: [{ text: 'S' }] } },
    {
      rule: 'system blocks',
      params: { system: [{ type: 'text', text: 'S', cache_control: CACHE }] },
      want: { system: [{ text: 'S' }, POINT] },
    },
    {
      rule: 'sampling',
      params: { max_tokens: 5, temperature: 0.5, top_p: 0.9, stop_sequences: ['x'], top_k: 4 },
      want: {
        inferenceConfig: { maxTokens: 5, temperature: 0.5, topP: 0.9, stopSequences: ['x'] },
        additionalModelRequestFields: { top_k: 4 },
      },
    },
    {
      rule: 'metadata that is text',
      params: { metadata: { user_id: 'u', n: 1 } },
      want: { requestMetadata: { user_id: 'u' } },
    },
    {
      rule: 'tools, without those of the vendor',
      params: {
        tools: [
          { ...tool, type: 'custom', cache_control: CACHE },
          { type: 'bash_20250124', name: 'bash' },
        ],
      },
      want: { toolConfig: { tools: [spec, POINT] } },
    },
    {
      rule: 'a choice',
      params: { tools: [tool], tool_choice: { type: 'any' } },
      want: { toolConfig: { tools: [spec], toolChoice: { any: {} } } },
    },
    {
      rule: 'a free choice',
      params: { tools: [tool], tool_choice: { type: 'auto' } },
      want: { toolConfig: { tools: [spec], toolChoice: { auto: {} } } },
    },
    {
      rule: 'a choice by name',
      params: { tools: [tool], tool_choice: { type: 'tool', name: 'f' } },
      want: { toolConfig: { tools: [spec], toolChoice: { tool: { name: 'f' } } } },
    },
    { rule: 'no tools when none may be used', params: { tools: [tool], tool_choice: { type: 'none' } }, want: {} },
  ])('has $rule', ({ params, want }) => {
    expect(convert({ messages: [USER], ...params })).toEqual({ messages: [HI], ...want });
  });

  test('declares the tools its history used', () => {
    expect(convert({ messages: used })['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'g', inputSchema: { json: { type: 'object', properties: {} } } } }],
    });
  });

  test('names what has to be fetched, inside tool answers too', () => {
    const image = (url: string) => ({ type: 'image', source: { type: 'url', url } });
    const messages = [
      {
        role: 'user',
        content: [image('https://x/a'), { type: 'tool_result', content: [image('https://x/b'), image('s3://b/k')] }],
      },
    ];
    expect(remoteUrlsOfMessages({ messages })).toEqual(['https://x/a', 'https://x/b']);
  });

  test('is made of any body, but for parts that are refused', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.jsonValue() })),
        fc.jsonValue(),
        (messages, any) => {
          unlessRefused(() => convert({ messages, system: any, tools: any, tool_choice: any, metadata: any }));
          toInvokeMessages({ messages, system: any, tools: any }, {});
          unlessRefused(() => remoteUrlsOfMessages({ messages }));
        },
      ),
    );
  });
});

describe('a count of tokens', () => {
  test('of the vendor carries the invoke body, with a limit', () => {
    const counted = toInvokeCount(toInvokeMessages({ messages: [USER] }, {})) as {
      input: { invokeModel: { body: string } };
    };
    expect(JSON.parse(Buffer.from(counted.input.invokeModel.body, 'base64').toString())).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      messages: [USER],
      max_tokens: 10,
    });
  });

  test('of others carries what of a Converse body is counted', () => {
    const body = { messages: [HI], system: [{ text: 'S' }], inferenceConfig: { maxTokens: 1 }, requestMetadata: {} };
    expect(toConverseCount(body)).toEqual({ input: { converse: { messages: [HI], system: [{ text: 'S' }] } } });
  });

  test('is read', () => {
    expect(unwrap(fromCount({ inputTokens: 7 }))).toEqual({ input_tokens: 7 });
    expect(fromCount({}).ok).toBe(false);
  });
});

describe('an answer in the messages format', () => {
  const answer = (content: object[], stopReason = 'end_turn') => ({
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage: { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 3, cacheWriteInputTokens: 1 },
  });

  test('has every block under its name', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
      { reasoningContent: { redactedContent: 'xx' } },
      { text: 'a' },
      { citationsContent: { content: [{ text: 'b' }, { text: 'c' }], citations: [] } },
      { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
    ];
    expect(unwrap(toMessagesAnswer(answer(content, 'tool_use'), ctx))).toEqual({
      id: `msg_${'0'.repeat(24)}`,
      type: 'message',
      role: 'assistant',
      model: ctx.model,
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'xx' },
        { type: 'text', text: 'a' },
        { type: 'text', text: 'bc' },
        { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 1 },
    });
  });

  test.for([
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['stop_sequence', 'stop_sequence'],
    ['guardrail_intervened', 'end_turn'],
    ['content_filtered', 'end_turn'],
    ['new', 'end_turn'],
  ])('ends with %s as %s', ([reason, want]) => {
    expect(unwrap(toMessagesAnswer(answer([], reason), ctx))['stop_reason']).toBe(want);
  });

  test('cannot be read from anything else', () => {
    expect(toMessagesAnswer({ type: 'other' }, ctx).ok).toBe(false);
  });
});

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

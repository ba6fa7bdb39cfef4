import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamItem, WireContext } from '../contract.ts';
import { createFrameReader } from '../framing/index.ts';
import { createCohereDecoder } from './stream.ts';

const ctx = (strict: boolean): WireContext => ({
  provider: 'cohere',
  model: 'command-a',
  strict,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
});

interface Event {
  readonly type: string;
  readonly [member: string]: unknown;
}

const sse = (...events: readonly Event[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));

const decode = (pieces: readonly Uint8Array[], strict = true): StreamItem[] => {
  const reader = createFrameReader('sse');
  const decoder = createCohereDecoder(ctx(strict));
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
};

const message = (type: string, body: object, more: object = {}): Event => ({ type, delta: { message: body }, ...more });
const START: Event = { type: 'message-start', id: 'm1', delta: { message: { role: 'assistant' } } };
const end = (finish_reason: string, more: object = {}): Event => ({
  type: 'message-end',
  delta: { finish_reason, ...more },
});

const HEAD = {
  id: 'm1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'command-a',
  provider: 'cohere',
};
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): StreamItem => ({
  kind: 'chunk',
  data: { ...HEAD, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...more },
});
const OPENED = chunk({ role: 'assistant', content: '' });

const TEXT: readonly Event[] = [
  START,
  message('content-start', { content: { type: 'text', text: '' } }, { index: 0 }),
  message('content-delta', { content: { text: 'grüße ' } }, { index: 0 }),
  message('content-delta', { content: { text: '😀' } }, { index: 0 }),
  { type: 'content-end', index: 0 },
  end('COMPLETE', {
    usage: { billed_units: { input_tokens: 1, output_tokens: 2 }, tokens: { input_tokens: 10, output_tokens: 3 } },
  }),
];

const TOOLS: readonly Event[] = [
  START,
  message('tool-plan-delta', { tool_plan: 'look' }),
  message(
    'tool-call-start',
    { tool_calls: { id: 't1', type: 'function', function: { name: 'f', arguments: '' } } },
    { index: 0 },
  ),
  message('tool-call-delta', { tool_calls: { function: { arguments: '{"a":' } } }, { index: 0 }),
  message('tool-call-delta', { tool_calls: { function: { arguments: '1}' } } }, { index: 0 }),
  { type: 'tool-call-end', index: 0 },
  message('tool-call-start', { tool_calls: { id: 't2', function: { name: 'g', arguments: '{}' } } }, { index: 1 }),
  message('citation-start', { citations: { start: 0, end: 4 } }, { index: 0 }),
  { type: 'citation-end', index: 0 },
  { type: 'debug', prompt: 'x' },
  end('TOOL_CALL'),
];

const CALLS = [
  chunk({ tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'f', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
  chunk({ tool_calls: [{ index: 1, id: 't2', type: 'function', function: { name: 'g', arguments: '{}' } }] }),
];

describe('a Cohere stream', () => {
  test('becomes chunks, then the usage once', () => {
    expect(decode([sse(...TEXT)])).toEqual([
      OPENED,
      chunk({ content: 'grüße ' }),
      chunk({ content: '😀' }),
      chunk({}, 'stop'),
      { kind: 'usage', usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } },
    ]);
  });

  test('gives strict clients calls only', () => {
    expect(decode([sse(...TOOLS)])).toEqual([OPENED, ...CALLS, chunk({}, 'tool_calls')]);
  });

  test('gives others plan, citations and the reason of the vendor too', () => {
    expect(decode([sse(...TOOLS)], false)).toEqual([
      OPENED,
      chunk({ content_blocks: [{ index: 0, delta: { tool_plan: true, thinking: 'look' } }] }),
      ...CALLS,
      chunk({}, null, { citations: [{ start: 0, end: 4 }] }),
      chunk({}, 'TOOL_CALL'),
    ]);
  });

  test('keeps thoughts and text apart as blocks', () => {
    const events = [
      START,
      message('content-start', { content: { type: 'thinking', thinking: '' } }, { index: 0 }),
      message('content-delta', { content: { thinking: 'hm' } }, { index: 0 }),
      message('content-delta', { content: { text: 'x' } }, { index: 1 }),
      end('MAX_TOKENS'),
    ];
    expect(decode([sse(...events)], false)).toEqual([
      OPENED,
      chunk({ content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] }),
      chunk({ content: 'x', content_blocks: [{ index: 1, delta: { text: 'x' } }] }),
      chunk({}, 'MAX_TOKENS'),
    ]);
    expect(decode([sse(...events)])).toEqual([OPENED, chunk({ content: 'x' }), chunk({}, 'length')]);
  });

  test('numbers text after a plan', () => {
    const events = [
      message('tool-plan-delta', { tool_plan: 'look' }),
      message('content-delta', { content: { text: 'x' } }, { index: 0 }),
    ];
    const items = decode([sse(START, ...events, end('COMPLETE'))], false);
    expect(items[2]).toEqual(chunk({ content: 'x', content_blocks: [{ index: 1, delta: { text: 'x' } }] }));
  });

  test.for([
    { rule: 'an error body', bytes: 'data: {"id":"e","message":"boom"}\n\n', message: 'cohere error: boom' },
    { rule: 'an error event', bytes: 'event: error\ndata: {"message":"boom"}\n\n', message: 'cohere error: boom' },
    {
      rule: 'an error at the end',
      bytes: 'data: {"type":"message-end","delta":{"finish_reason":"ERROR","error":"boom"}}\n\n',
      message: 'cohere error: boom',
    },
    { rule: 'a missing end', bytes: '', message: 'The stream of the provider ended before it was complete' },
  ])('fails for $rule, once', ({ bytes, message: text }) => {
    const items = decode([sse(START), Buffer.from(bytes), sse(...TEXT.slice(0, bytes === '' ? 0 : 9))]);
    expect(items).toEqual([OPENED, { kind: 'error', error: expect.objectContaining({ message: text }) }]);
  });

  test.for([
    { name: 'text', events: TEXT },
    { name: 'tools', events: TOOLS },
  ])('is the same at every split point: $name', ({ events }) => {
    const bytes = sse(...events);
    const whole = decode([bytes], false);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)], false)).toEqual(whole);
    }
  });

  test('takes any frame without throwing', () => {
    const types = [...new Set([...TEXT, ...TOOLS].map(({ type }) => type)), 'error', 'new'];
    const event = fc.record({
      type: fc.constantFrom(...types),
      index: fc.jsonValue(),
      delta: fc.oneof(fc.jsonValue(), fc.record({ message: fc.jsonValue() })),
    });
    const data = fc.oneof(
      fc.string(),
      fc.oneof(fc.jsonValue(), event).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(data), fc.boolean(), (frames, strict) => {
        const decoder = createCohereDecoder(ctx(strict));
        const items = frames.flatMap((text) => decoder.push({ event: undefined, data: text }));
        const all = [...items, ...decoder.end()];
        expect(all.filter((item) => item.kind !== 'chunk').length).toBeLessThan(2);
      }),
    );
  });
});

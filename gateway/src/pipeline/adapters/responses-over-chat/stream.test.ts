import { goldenCases } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, StreamItem } from '../../../wire/contract.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';
import { INCOMPLETE_STREAM } from '../../../wire/openai/index.ts';
import { createEncoder } from '../../../wire/transform/index.ts';
import { ResponseStream } from './stream.ts';
import { adapt, eventsOf, sampleContext, streamed } from './testing.ts';

const chunk = (delta: object, finish: string | null = null): StreamItem => ({
  kind: 'chunk',
  data: { id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] },
});

const responseStream = (maxChars = 10_000): ResponseStream =>
  new ResponseStream({
    params: {},
    request: { clientTools: new Map(), keepsThoughts: false },
    context: sampleContext(),
    maxChars,
  });

const typesOf = (items: readonly StreamItem[]): readonly unknown[] => eventsOf(items).map(({ type }) => type);

const cases = goldenCases(new URL('./fixtures/streams/', import.meta.url)).map(
  ({ name, given }) => [name, given] as const,
);

test.for(cases)('a stream is the same wherever its bytes are cut: %s', ([, given]) => {
  const { request, chunks } = given as { request: JsonObject; chunks: readonly object[] }; // golden files are typed loosely
  const text = `${chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')}data: [DONE]\n\n`;
  const bytes = Buffer.from(text);
  const read = (pieces: readonly Buffer[]): readonly StreamItem[] => {
    const reader = createFrameReader('sse');
    return streamed(request, [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()]);
  };
  const whole = read([bytes]);
  expect(typesOf(whole).at(-1)).toMatch(/^response\.(?:completed|incomplete)$/);
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  }
});

describe('a stream that does not end well', () => {
  test('is an error where it ends without a reason', () => {
    const stream = responseStream();
    expect(typesOf(stream.push(chunk({ content: 'Hel' })))).toContain('response.output_text.delta');
    expect(stream.end()).toEqual([INCOMPLETE_STREAM]);
    expect(stream.end()).toEqual([]);
  });

  test('is an error where nothing came', () => {
    expect(responseStream().end()).toEqual([INCOMPLETE_STREAM]);
  });

  test('has what was made so far, whether the provider says so or the stream breaks', () => {
    const error = { message: 'm', type: 'stream_error', param: null, code: null };
    const failed = (how: 'said' | 'broken'): unknown => {
      const stream = responseStream();
      const encoder = createEncoder('responses', {
        provider: 'p',
        includeUsage: false,
        partial: () => stream.partial(),
      });
      const chunks = [
        chunk({ content_blocks: [{ index: 0, delta: { thinking: 'Hm' } }] }),
        chunk({ content: 'Hel' }),
        chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a' } }] }),
      ];
      let text = '';
      const say = (items: readonly StreamItem[]): void => {
        for (const item of items) text += encoder.encode(item);
      };
      for (const each of chunks) say(stream.push(each));
      if (how === 'said') say(stream.push({ kind: 'error', error }));
      else text += encoder.fail(error);
      const events = createFrameReader('sse').push(Buffer.from(text));
      expect(events.filter(({ event }) => event === 'response.failed')).toHaveLength(1);
      return JSON.parse(events.at(-1)?.data ?? '');
    };
    expect(failed('said')).toMatchObject({
      type: 'response.failed',
      response: {
        id: 'c',
        status: 'failed',
        error: { code: 'stream_error', message: 'm' },
        output: [
          { type: 'reasoning', summary: [{ text: 'Hm' }] },
          { type: 'message', status: 'completed', content: [{ text: 'Hel' }] },
          { type: 'function_call', status: 'incomplete', name: 'f', arguments: '{"a' },
        ],
      },
    });
    expect(failed('broken')).toEqual(failed('said'));
  });

  test('has no output where nothing was made', () => {
    expect(responseStream().partial()).toBeUndefined();
  });

  test('says nothing after an error of the provider', () => {
    const error = { message: 'm', type: null, param: null, code: null };
    const stream = responseStream();
    stream.push(chunk({ content: 'Hel' }));
    expect(stream.push({ kind: 'error', error })).toEqual([{ kind: 'error', error }]);
    expect(stream.push(chunk({ content: 'lo' }, 'stop'))).toEqual([]);
    expect(stream.end()).toEqual([]);
  });

  test.for<[what: string, delta: object]>([
    ['text', { content: 'x'.repeat(600) }],
    ['thinking', { content_blocks: [{ index: 0, delta: { thinking: 'x'.repeat(600) } }] }],
    ['arguments', { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: 'x'.repeat(600) } }] }],
    ['arguments of no function', { tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(1200) } }] }],
    ['calls', { tool_calls: Array.from({ length: 3 }, (_, index) => ({ index, function: {} })) }],
    ['citations', { annotations: [{ type: 'url_citation', url_citation: { title: 'x'.repeat(600) } }] }],
    ['refusals', { refusal: 'x'.repeat(600) }],
  ])('ends in an error where it has more than can be repeated: %s', ([, delta]) => {
    const stream = responseStream(1_000);
    const items = stream.push(chunk(delta));
    expect(items.at(-1)).toMatchObject({ kind: 'error', error: { type: 'stream_error' } });
    expect(stream.push(chunk({ content: 'more' }))).toEqual([]);
    expect(stream.end()).toEqual([]);
  });
});

test('log probabilities that are too long to repeat are on the pieces alone', () => {
  const stream = adapt({ stream: true, top_logprobs: 20 }).openStream();
  const entry = { token: 'x'.repeat(600_000), logprob: 0, bytes: null, top_logprobs: [] };
  const piece = (text: string): readonly StreamItem[] =>
    stream.push({
      kind: 'chunk',
      data: {
        choices: [{ index: 0, delta: { content: text }, logprobs: { content: [entry] }, finish_reason: 'stop' }],
      },
    });
  const events = eventsOf([...piece('a'), ...piece('b'), ...piece('c'), ...stream.end()]);
  const byType = (type: string): readonly JsonObject[] => events.filter((event) => event['type'] === type);
  expect(byType('response.output_text.delta').map(({ logprobs }) => logprobs)).toEqual([[entry], [entry], [entry]]);
  expect(byType('response.output_text.done')).toMatchObject([{ text: 'abc', logprobs: [] }]);
});

describe('any chunks at all', () => {
  /** Members that the adapter reads, with whatever in them. */
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        content: fc.jsonValue(),
        refusal: fc.jsonValue(),
        annotations: fc.jsonValue(),
        tool_calls: fc.array(
          fc.record(
            {
              index: fc.jsonValue(),
              id: fc.jsonValue(),
              function: fc.dictionary(fc.constantFrom('name', 'arguments'), fc.jsonValue()),
            },
            { requiredKeys: [] },
          ),
        ),
        content_blocks: fc.array(
          fc.record(
            { index: fc.jsonValue(), type: fc.jsonValue(), delta: fc.jsonValue(), thinking: fc.jsonValue() },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: [] },
    ),
  );
  const anyChunk = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.record({
      id: fc.jsonValue(),
      choices: fc.array(
        fc.record(
          {
            index: fc.constantFrom(0, 1, 'x'),
            delta: anything,
            logprobs: fc.jsonValue(),
            finish_reason: fc.constantFrom(null, 'stop', 'length', 7),
          },
          { requiredKeys: ['delta'] },
        ),
      ),
    }),
  );

  test('never throw, number their events, and close each item once', () => {
    fc.assert(
      fc.property(fc.array(anyChunk), (chunks) => {
        const stream = responseStream();
        const pushed = chunks.flatMap((data) => stream.push({ kind: 'chunk', data: data as object })); // whatever was decoded
        const items = [...pushed, ...stream.end()];
        const events = eventsOf(items);
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
        const places = (type: string): readonly unknown[] =>
          events.filter((event) => event['type'] === type).map((event) => event['output_index']);
        const opened = places('response.output_item.added');
        const closed = places('response.output_item.done');
        expect(opened).toEqual([...opened.keys()]);
        expect(new Set(closed).size).toBe(closed.length);
        if (items.at(-1)?.kind === 'chunk') expect([...closed].sort()).toEqual([...opened].sort());
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import type { OpenAiDialect } from './dialect.ts';
import { createOpenAiChatDecoder, createOpenAiCompletionDecoder } from './stream-decoder.ts';

const ctx = (over: Partial<WireContext> = {}): WireContext => ({
  provider: 'acme',
  model: 'asked',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix) => prefix,
  ...over,
});

const frame = (data: unknown, event?: string): Frame => ({
  event,
  data: typeof data === 'string' ? data : JSON.stringify(data),
});
const run = (decoder: StreamDecoder, frames: readonly Frame[]): StreamItem[] => [
  ...frames.flatMap((item) => decoder.push(item)),
  ...decoder.end(),
];
const decode = (
  chunks: readonly unknown[],
  over: Partial<WireContext> = {},
  dialect: OpenAiDialect = {},
): StreamItem[] =>
  run(
    createOpenAiChatDecoder(ctx(over), dialect),
    chunks.map((chunk) => frame(chunk)),
  );

const HEAD = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const chunk = (data: object): StreamItem => ({ kind: 'chunk', data: { ...data, provider: 'acme' } });
const usage: StreamItem = { kind: 'usage', usage: USAGE };
const delta = (content: string): object => ({ ...HEAD, choices: [{ index: 0, delta: { content } }] });

describe('a chat stream', () => {
  test.for<[rule: string, chunks: readonly unknown[], want: readonly StreamItem[]]>([
    ['passes chunks on with the provider', [{ ...delta('a'), x: 1 }], [chunk({ ...delta('a'), x: 1 })]],
    ['leaves the terminator to the encoder', [delta('a'), '[DONE]'], [chunk(delta('a'))]],
    ['says nothing after the terminator', ['[DONE]', delta('late')], []],
    ['tells usage apart from its chunk', [{ ...delta('a'), usage: USAGE }], [chunk(delta('a')), usage]],
    ['takes usage: null for no usage', [{ ...delta('a'), usage: null }], [chunk(delta('a'))]],
    [
      'swallows a chunk that has only usage',
      [{ ...HEAD, choices: [], usage: USAGE, system_fingerprint: 'f' }],
      [usage],
    ],
    ['swallows a chunk that has nothing', [{ ...HEAD, choices: [] }], []],
    [
      'counts cumulative usage once, the last',
      [
        { ...delta('a'), usage: { total_tokens: 1 } },
        { ...delta('b'), usage: USAGE },
      ],
      [chunk(delta('a')), chunk(delta('b')), usage],
    ],
    [
      'keeps the last usage that says something',
      [
        { ...delta('a'), usage: USAGE },
        { ...delta('b'), usage: {} },
      ],
      [chunk(delta('a')), chunk(delta('b')), usage],
    ],
    [
      'passes an empty chunk with something else on',
      [{ ...HEAD, choices: [], prompt_filter_results: [] }],
      [chunk({ ...HEAD, choices: [], prompt_filter_results: [] })],
    ],
    [
      'finds usage where groq puts it',
      [{ ...delta('a'), x_groq: { id: 'r', usage: USAGE } }],
      [chunk({ ...delta('a'), x_groq: { id: 'r' } }), usage],
    ],
    [
      'finds usage where moonshot puts it',
      [{ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: USAGE }] }],
      [chunk({ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }), usage],
    ],
    [
      'fills the envelope, one id for all',
      [{ choices: [{ delta: {} }] }, { choices: [{ delta: {} }] }],
      Array.from({ length: 2 }, () =>
        chunk({
          choices: [{ delta: {} }],
          id: 'acme-1760000000999',
          object: 'chat.completion.chunk',
          created: 1_760_000_000,
          model: 'asked',
        }),
      ),
    ],
    ['ignores what is no JSON', ['', 'ping', '[1]', '7'], []],
    ['survives choices of another type', [{ ...HEAD, choices: 'x', a: 1 }], [chunk({ ...HEAD, choices: [], a: 1 })]],
    [
      'survives odd choices',
      [{ ...HEAD, choices: [null, 7, { delta: null }] }],
      [chunk({ ...HEAD, choices: [null, 7, { delta: null }] })],
    ],
  ])('%s', ([, chunks, want]) => {
    expect(decode(chunks)).toEqual(want);
  });

  test.for<[rule: string, frame: Frame, want: object]>([
    [
      'an error object',
      frame({ error: { message: 'boom', type: 't', code: 500 } }),
      { message: 'acme error: boom', type: 't', code: '500' },
    ],
    ['an error text', frame({ error: 'boom' }), { message: 'acme error: boom' }],
    ['an error beside choices', frame({ ...delta(''), error: { message: 'boom' } }), { message: 'acme error: boom' }],
    ['a flat error', frame({ object: 'error', message: 'boom' }), { message: 'acme error: boom' }],
    ['an error event', frame({ message: 'boom' }, 'error'), { message: 'acme error: boom' }],
    ['an error event that is text', frame('boom', 'error'), { message: 'acme error: boom' }],
  ])('ends with %s', ([, last, want]) => {
    const items = run(createOpenAiChatDecoder(ctx()), [
      frame({ ...delta('a'), usage: USAGE }),
      last,
      frame(delta('late')),
    ]);
    expect(items.map(({ kind }) => kind)).toEqual(['chunk', 'usage', 'error']);
    expect(items[2]).toMatchObject({ error: want });
  });

  test('treats null as no error and ignores pings', () => {
    expect(decode([{ ...delta('a'), error: null }])).toEqual([chunk({ ...delta('a'), error: null })]);
    expect(run(createOpenAiChatDecoder(ctx()), [frame({ time: 1 }, 'ping')])).toEqual([]);
  });

  test('numbers thinking and text as they come, for each choice of its own', () => {
    const say = (index: number, over: object): object => ({ ...HEAD, choices: [{ index, delta: over }] });
    const blocksOf = (item: StreamItem): unknown => {
      const data =
        item.kind === 'chunk' ? (item.data as { choices: { delta: { content_blocks?: unknown } }[] }) : undefined;
      return data?.choices[0]?.delta.content_blocks;
    };
    const items = decode(
      [
        say(0, { reasoning: 'a' }),
        say(0, { reasoning_content: 'b' }),
        say(1, { content: 'plain' }),
        say(0, { content: 'c' }),
        say(0, { reasoning: 'd', content: 'e' }),
        say(0, { content_blocks: ['own'] }),
      ],
      { strict: false },
    );
    expect(items.map(blocksOf)).toEqual([
      [{ index: 0, delta: { thinking: 'a' } }],
      [{ index: 0, delta: { thinking: 'b' } }],
      undefined,
      [{ index: 1, delta: { text: 'c' } }],
      [
        { index: 2, delta: { thinking: 'd' } },
        { index: 3, delta: { text: 'e' } },
      ],
      ['own'],
    ]);
    expect(decode([say(0, { reasoning: 'a' })]).map(blocksOf)).toEqual([undefined]);
  });

  test('is repaired by its dialect', () => {
    const dialect: OpenAiDialect = {
      ownFinishReasons: true,
      body: (body) => ({ ...body, repaired: true }),
      message: (message) => ({ ...message, content: 'new' }),
      usage: (given) => ({ ...given, more: 1 }),
    };
    const given = [{ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'eos' }], usage: USAGE }];
    expect(decode(given, {}, dialect)).toEqual([
      chunk({ ...HEAD, repaired: true, choices: [{ index: 0, delta: { content: 'new' }, finish_reason: 'stop' }] }),
      { kind: 'usage', usage: { ...USAGE, more: 1 } },
    ]);
  });

  test('accepts any frame without throwing', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string())), fc.boolean(), (data, strict) => {
        run(
          createOpenAiChatDecoder(ctx({ strict })),
          data.map((text) => frame(text)),
        );
      }),
    );
  });
});

test('a stream of text completions is read the same way', () => {
  const text = { id: 'c1', created: 1, model: 'm', choices: [{ index: 0, text: 'a', finish_reason: null }] };
  expect(
    run(createOpenAiCompletionDecoder(ctx({ strict: false })), [frame({ ...text, usage: USAGE }), frame('[DONE]')]),
  ).toEqual([chunk({ ...text, object: 'text_completion' }), usage]);
});

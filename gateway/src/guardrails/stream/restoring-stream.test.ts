import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextProtocol } from './formats/index.ts';
import { RestoringStream } from './restoring-stream.ts';
import { cut, PROTOCOLS, STREAMS, saidBy } from './testing.ts';

const placeholders = new Map([['[NAME_1]', 'Ada "A" Lovelace']]);

function restore(protocol: TextProtocol, pieces: readonly Buffer[]): string {
  const stream = new RestoringStream(protocol, placeholders);
  return Buffer.concat([...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()]).toString();
}

const PIECES = ['Dear [NA', 'ME_', '1', '], [NAME', '_2] ', '😀 [NAME_1][NAME_', '1]', '[NAME'];
const WANT = 'Dear Ada "A" Lovelace, [NAME_2] 😀 Ada "A" LovelaceAda "A" Lovelace[NAME';

describe.for(PROTOCOLS)('placeholders in a stream of %s', (protocol) => {
  const bytes = Buffer.from(STREAMS[protocol](PIECES));

  test('are restored where they are split over events, also where the text is repeated', () => {
    const said = saidBy(protocol, restore(protocol, [bytes]));
    expect(said.pieces).toBe(WANT);
    expect(said.whole).toEqual(protocol === 'responses' ? Array(4).fill(WANT) : []);
  });

  test('are restored in the same way wherever the bytes are split', () => {
    const whole = restore(protocol, [bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 9 }), (cuts) => {
        expect(restore(protocol, cut(bytes, cuts))).toBe(whole);
      }),
    );
  });

  test('are what changes: a stream without them is sent as it came', () => {
    const other = Buffer.from(STREAMS[protocol](['a [', 'b', '] c']));
    expect(restore(protocol, [other])).toBe(other.toString());
  });
});

test('an event leaves as soon as its text is known', () => {
  const stream = new RestoringStream('chat', placeholders);
  const chunk = (content: string): Buffer =>
    Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`);
  expect(stream.push(chunk('a'))).toHaveLength(1);
  expect(stream.push(chunk('b [NAM'))).toHaveLength(0);
  expect(stream.heldBytes).toBeGreaterThan(0);
  expect(stream.push(chunk('x'))).toHaveLength(2);
  expect(stream.heldBytes).toBe(0);
});

test.for([
  {
    rule: 'of a chat',
    protocol: 'chat' as const,
    event: (piece: string) => ({
      choices: [{ index: 1, delta: { tool_calls: [{ index: 2, function: { arguments: piece } }] } }],
    }),
    read: (data: ReturnType<typeof JSON.parse>) => data.choices[0].delta.tool_calls[0].function.arguments,
  },
  {
    rule: 'of a chat with an older model',
    protocol: 'chat' as const,
    event: (piece: string) => ({ choices: [{ index: 0, delta: { function_call: { arguments: piece } } }] }),
    read: (data: ReturnType<typeof JSON.parse>) => data.choices[0].delta.function_call.arguments,
  },
  {
    rule: 'of messages',
    protocol: 'messages' as const,
    event: (piece: string) => ({
      type: 'content_block_delta',
      index: 3,
      delta: { type: 'input_json_delta', partial_json: piece },
    }),
    read: (data: ReturnType<typeof JSON.parse>) => data.delta.partial_json,
  },
  {
    rule: 'of responses',
    protocol: 'responses' as const,
    event: (piece: string) => ({ type: 'response.function_call_arguments.delta', output_index: 1, delta: piece }),
    read: (data: ReturnType<typeof JSON.parse>) => data.delta,
  },
])('placeholders in the arguments of a tool $rule stay valid JSON', ({ protocol, event, read }) => {
  const text = ['{"to":"[NAME', '_1]"}'].map((piece) => `data: ${JSON.stringify(event(piece))}\n\n`).join('');
  const out = restore(protocol, [Buffer.from(text)]);
  const pieces = out.match(/data: .*/g)?.map((line) => read(JSON.parse(line.slice('data: '.length))));
  expect(JSON.parse(pieces?.join('') ?? '')).toEqual({ to: 'Ada "A" Lovelace' });
});

test.for([
  {
    rule: 'of a chat',
    protocol: 'chat' as const,
    events: (pieces: readonly string[]): object[] =>
      pieces.map((input) => ({
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, type: 'custom', custom: { input } }] } }],
      })),
    read: (data: ReturnType<typeof JSON.parse>) => [data.choices[0].delta.tool_calls[0].custom.input, undefined],
  },
  {
    rule: 'of responses',
    protocol: 'responses' as const,
    events: (pieces: readonly string[]): object[] => [
      ...pieces.map((delta) => ({ type: 'response.custom_tool_call_input.delta', output_index: 1, delta })),
      { type: 'response.custom_tool_call_input.done', output_index: 1, input: pieces.join('') },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'custom_tool_call', input: pieces.join('') },
      },
    ],
    read: (data: ReturnType<typeof JSON.parse>) => [data.delta, data.input ?? data.item?.input],
  },
])('placeholders in the plain input of a tool $rule are restored as they are', ({ protocol, events, read }) => {
  const text = events(['to [NAME', '_1].']).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const out = restore(protocol, [Buffer.from(text.join(''))]);
  const said = out.match(/data: .*/g)?.map((line) => read(JSON.parse(line.slice('data: '.length)))) ?? [];
  expect(said.map(([piece]) => piece ?? '').join('')).toBe('to Ada "A" Lovelace.');
  for (const [, whole] of said) if (whole !== undefined) expect(whole).toBe('to Ada "A" Lovelace.');
});

test('further choices are restored, too', () => {
  const out = restore('chat', [Buffer.from('data: {"choices":[{"index":1,"delta":{"content":"[NAME_1]"}}]}\n\n')]);
  expect(out).toContain('Lovelace');
});

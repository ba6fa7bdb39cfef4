import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../contract.ts';
import type { FrameReader } from './reader.ts';
import { createJsonLinesReader, createSseLinesReader, createSseReader } from './sse.ts';

const read = (reader: FrameReader, pieces: readonly Buffer[]): Frame[] => [
  ...pieces.flatMap((piece) => reader.push(piece)),
  ...reader.end(),
];

const split = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
};

const TEXT =
  ': comment\nevent: message_start\ndata: {"text":"grüße 😀"}\n\ndata: one\r\ndata: two\r\n\r\ndata: [DONE]\r\r';
const WANT = [
  { event: 'message_start', data: '{"text":"grüße 😀"}' },
  { event: undefined, data: 'one\ntwo' },
  { event: undefined, data: '[DONE]' },
];

describe('server-sent events', () => {
  test('are the same at every split point, inside a UTF-8 sequence too', () => {
    const bytes = Buffer.from(TEXT);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(read(createSseReader(), [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(WANT);
    }
  });

  test('are the same for any cutting', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 20 }), (cuts) => {
        expect(read(createSseReader(), split(Buffer.from(TEXT), cuts))).toEqual(WANT);
      }),
    );
  });

  test('flush a tail that no blank line ended', () => {
    expect(read(createSseReader(), [Buffer.from('data: tail')])).toEqual([{ event: undefined, data: 'tail' }]);
  });

  test('end the stream when one event never ends', () => {
    const reader = createSseReader();
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    reader.push(Buffer.from('data: '));
    expect(() => {
      for (let i = 0; i < 9; i += 1) reader.push(megabyte);
    }).toThrow(expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' }));
  });
});

describe('line framings', () => {
  test('take every data line as an event', () => {
    const text = 'data: {"a":1}\ndata:{"a":2}\n: ping\n\ndata: [DONE]';
    expect(read(createSseLinesReader(), split(Buffer.from(text), [3, 9, 20])).map(({ data }) => data)).toEqual([
      '{"a":1}',
      '{"a":2}',
      '[DONE]',
    ]);
  });

  test('take every line as a document', () => {
    expect(read(createJsonLinesReader(), [Buffer.from('{"a":1}\r\n\n{"a"'), Buffer.from(':2}')])).toEqual([
      { event: undefined, data: '{"a":1}' },
      { event: undefined, data: '{"a":2}' },
    ]);
  });
});

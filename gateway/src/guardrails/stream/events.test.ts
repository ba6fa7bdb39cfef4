import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventSplitter, MAX_EVENT_BYTES } from './events.ts';

function read(pieces: readonly Buffer[]): unknown[] {
  const splitter = new EventSplitter();
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()].map(({ raw, ...event }) => ({
    ...event,
    raw: raw.toString(),
  }));
}

const split = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
};

describe('events of a stream', () => {
  test.for([
    { rule: 'end with a blank line', text: 'data: a\n\ndata: b\n\n', data: ['a', 'b'] },
    { rule: 'may have carriage returns', text: 'data: a\r\n\r\ndata: b\r\n\r\n', data: ['a', 'b'] },
    { rule: 'may have carriage returns only', text: 'data: a\r\rdata: b\r\r', data: ['a', 'b'] },
    { rule: 'may mix line ends', text: 'data: a\n\r\ndata: b\r\n\n', data: ['a', 'b'] },
    { rule: 'may have several lines of data', text: 'data: a\ndata: b\n\n', data: ['a\nb'] },
    { rule: 'need no blank behind the colon', text: 'data:a\n\n', data: ['a'] },
    { rule: 'include comments', text: ': ping\n\ndata: a\n\n', data: ['', 'a'] },
    { rule: 'include what follows the last blank line', text: 'data: a\n\ndata: b', data: ['a', 'b'] },
  ])('$rule', ({ text, data }) => {
    expect(read([Buffer.from(text)]).map((event) => (event as { data: string }).data)).toEqual(data); // as read makes them
  });

  test('have their name', () => {
    expect(read([Buffer.from('event: x\ndata: {}\n\n')])).toEqual([
      { name: 'x', data: '{}', raw: 'event: x\ndata: {}\n\n' },
    ]);
  });

  test('are the same wherever the bytes are split, and together are the bytes', () => {
    const lines = fc.constantFrom('\n', '\r\n', '\r', 'data: grüße 😀', 'event: e', ': c', 'x');
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 30 }), fc.array(fc.nat(400), { maxLength: 12 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        const whole = read([bytes]);
        expect(read(split(bytes, cuts))).toEqual(whole);
        expect(whole.map((event) => (event as { raw: string }).raw).join('')).toBe(bytes.toString());
      }),
    );
  });

  test('have a bound', () => {
    const splitter = new EventSplitter();
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    const push = (): void => {
      for (let i = 0; i <= MAX_EVENT_BYTES; i += megabyte.length) splitter.push(megabyte);
    };
    expect(push).toThrow(expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' }));
  });
});

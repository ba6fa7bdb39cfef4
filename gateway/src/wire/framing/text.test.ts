import { expect, test } from 'vitest';
import { createTextReader } from './text.ts';

const BYTES = Buffer.from('grüße 😀\n\n data: x');

test('text is the same at every split point, inside a UTF-8 sequence too', () => {
  for (let at = 0; at <= BYTES.length; at += 1) {
    const reader = createTextReader();
    const frames = [BYTES.subarray(0, at), BYTES.subarray(at)].flatMap((piece) => reader.push(piece));
    expect([...frames, ...reader.end()].map(({ data }) => data).join('')).toBe(BYTES.toString());
    expect(frames.filter(({ data }) => data === '')).toEqual([]);
  }
});

test('a character that never ends is not lost', () => {
  const reader = createTextReader();
  expect(reader.push(BYTES.subarray(0, 3))).toEqual([{ event: undefined, data: 'gr' }]);
  expect(reader.end()).toEqual([{ event: undefined, data: '\ufffd' }]);
});

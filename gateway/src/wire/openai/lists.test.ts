import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeVector } from './lists.ts';

describe('a vector', () => {
  test('stays a list unless base64 was requested', () => {
    expect(encodeVector([1], {})).toEqual([1]);
    expect(encodeVector([1], { encoding_format: 'float' })).toEqual([1]);
  });

  test('reads back as float32', () => {
    const values = fc.array(fc.oneof(fc.float({ noNaN: true }), fc.constant('no number')));
    fc.assert(
      fc.property(values, (vector) => {
        const bytes = Buffer.from(String(encodeVector(vector, { encoding_format: 'base64' })), 'base64');
        const read = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
        expect(read).toEqual(vector.map((value) => (typeof value === 'number' ? value : 0)));
      }),
    );
  });
});

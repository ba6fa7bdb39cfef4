import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { inlineImages, refuseStream, sizeOf } from './index.ts';

const context: WireContext = {
  provider: 'p',
  model: 'm',
  strict: true,
  params: {},
  now: () => 1_999,
  newId: (prefix) => prefix,
};

describe('the size of an image', () => {
  test.for([
    { size: '1024x768', want: { width: 1024, height: 768 } },
    { size: '1024X768', want: { width: 1024, height: 768 } },
    { size: 'auto', want: undefined },
    { size: undefined, want: undefined },
    { size: null, want: undefined },
  ])('is read: $size', ({ size, want }) => {
    expect(sizeOf({ size })).toEqual(want);
  });

  test.for(['large', '1024', '1024x', 'x768', '1024x768x3', '123456x1', 7, {}])('is refused: %j', (size) => {
    expect(() => sizeOf({ size })).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param: 'size' }));
  });
});

test('a stream is refused by name', () => {
  expect(() => refuseStream({ stream: true }, context)).toThrow(expect.objectContaining({ param: 'stream' }));
  expect(() => refuseStream({ stream: false }, context)).not.toThrow();
});

describe('an answer with images', () => {
  test('has them in base64, and seconds', () => {
    expect(inlineImages(['a'], context)).toEqual({
      ok: true,
      value: { created: 1, data: [{ b64_json: 'a' }], provider: 'p' },
    });
    expect(inlineImages([{ image: 'a' }], context, 'image')).toMatchObject({ value: { data: [{ b64_json: 'a' }] } });
  });

  test.for([undefined, 'a', [7], [undefined], [{ image: 7 }], [{}]])('that has none is not read: %j', (list) => {
    expect(inlineImages(list, context, 'image').ok).toBe(false);
  });
});

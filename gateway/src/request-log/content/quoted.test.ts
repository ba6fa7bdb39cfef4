import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoted } from './quoted.ts';

test('a text is what JSON.stringify makes of it', () => {
  const texts = Array.from({ length: 0x100 }, (_, code) => `a${String.fromCharCode(code)}`);
  expect(texts.map(quoted)).toEqual(texts.map((text) => JSON.stringify(text)));
  const property = fc.property(fc.string({ unit: 'binary' }), (text) => quoted(text) === JSON.stringify(text));
  fc.assert(property);
});

import { expect, test } from 'vitest';
import { percentEncoded } from './percent-encode.ts';

test.for([
  ['a b/c?d', 'a%20b%2Fc%3Fd'],
  ['é😀', '%C3%A9%F0%9F%98%80'],
  ['a\ud800b', 'a%EF%BF%BDb'],
] as const)('%j in a URL is %s', ([text, want]) => {
  expect(percentEncoded(text)).toBe(want);
});

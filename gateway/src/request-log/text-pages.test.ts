import { expect, test } from 'vitest';
import { TextPages } from './text-pages.ts';

test('each text is as it was put, however long it is, and beside others', () => {
  const pages = new TextPages();
  const texts = [0, 1, 9_000, 16_384, 16_385, 40_000].flatMap((length) =>
    ['a', 'ä', '€', '😀'].map((one) => one.repeat(length)),
  );
  const given = [...texts, ...texts.toReversed()];
  const put = given.map((text) => pages.put(text));
  expect(put.map(String)).toEqual(given);
});

test('short texts share a page, and the page is of nothing else', () => {
  const pages = new TextPages();
  const [one, other] = ['one', 'other'].map((text) => pages.put(text).buffer);
  expect(one).toBe(other);
  expect(Buffer.from('else').buffer).not.toBe(one);
});

test('a longer text has memory of its own', () => {
  const pages = new TextPages();
  const lengths = [16_385, 20_000, 32_767, 40_000];
  expect(lengths.map((length) => pages.put('a'.repeat(length)).buffer.byteLength)).toEqual(lengths);
});

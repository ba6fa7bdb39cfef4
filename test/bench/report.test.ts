import { expect, test } from 'vitest';
import { replaceSection } from './report.ts';

const page = (inside: string): string => `before\n<!-- bench: begin -->${inside}<!-- bench: end -->\nafter\n`;

test('only what stands between the markers is replaced, again and again', () => {
  const once = replaceSection(page('\nold\n'), 'new');
  expect(once).toBe(page('\nnew\n'));
  expect(replaceSection(once, 'new')).toBe(once);
});

test.for(['no markers', '<!-- bench: end --><!-- bench: begin -->'])('a page with %s is refused', (text) => {
  expect(() => replaceSection(text, 'new')).toThrow();
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPrintable, toShort } from './printable.ts';

/** What a terminal may act on, written without the pattern under test. */
const ACTS = (code: number): boolean =>
  code < 0x20 ||
  (code >= 0x7f && code < 0xa0) ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x2028 && code <= 0x202e);

describe('a text for a terminal', () => {
  test.for([
    { rule: 'a colour', text: '\u001b[31mred', want: '\\u001b[31mred' },
    { rule: 'a title of the window', text: '\u001b]0;x\u0007', want: '\\u001b]0;x\\u0007' },
    { rule: 'a control of eight bits', text: '\u009b2J', want: '\\u009b2J' },
    { rule: 'a line end', text: 'a\r\nb\tc', want: 'a\\r\\nb\\tc' },
    { rule: 'a deletion', text: 'a\u007f\b', want: 'a\\u007f\\u0008' },
    { rule: 'a reversed order', text: 'a\u202eb\u2066', want: 'a\\u202eb\\u2066' },
    { rule: 'a character of no width', text: 'a\u200bb\ufeff', want: 'a\\u200bb\\ufeff' },
    { rule: 'an invisible tag', text: 'a\u{e0041}', want: 'a\\u{e0041}' },
    { rule: 'half a character', text: 'a\ud800', want: 'a\\ud800' },
  ])('shows $rule as an escape', ({ text, want }) => {
    expect(toPrintable(text)).toBe(want);
  });

  test('stays as it is in any language', () => {
    for (const text of ['gpt-4o', 'Grüße', '模型', 'مرحبا', '👋']) expect(toPrintable(text)).toBe(text);
  });

  test('has no character that acts on the terminal, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const character of toPrintable(text)) expect(ACTS(character.codePointAt(0) ?? 0)).toBe(false);
      }),
    );
  });

  test('is cut to a length, escapes included', () => {
    expect(toShort('abcdef', 6)).toBe('abcdef');
    expect(toShort('abcdefg', 6)).toBe('abc...');
    expect(toShort('\u001b'.repeat(1_000_000), 12)).toHaveLength(12);
  });
});

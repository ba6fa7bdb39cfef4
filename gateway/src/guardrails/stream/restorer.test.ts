import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insideJson, Placeholders } from './restorer.ts';

const MAP = new Map([
  ['[EMAIL_1]', 'jane@example.com'],
  ['[EMAIL_10]', 'john@example.com'],
  ['[EMAIL_1', 'unclosed'],
  ['[[X', 'double'],
]);
const placeholders = new Placeholders(MAP);

function inPieces(pieces: readonly string[]): string {
  const reader = placeholders.reader();
  const text = pieces.join('');
  const releases = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  let at = 0;
  return releases
    .map(({ length, text: instead }) => {
      at += length;
      return instead ?? text.slice(at - length, at);
    })
    .join('');
}

describe('placeholders', () => {
  test.for([
    { text: 'to [EMAIL_1] and [EMAIL_10].', want: 'to jane@example.com and john@example.com.' },
    { text: '[EMAIL_1]2', want: 'jane@example.com2' },
    { text: '[EMAIL_12]', want: 'unclosed2]' },
    { text: '[EMAIL_', want: '[EMAIL_' },
    { text: '[[EMAIL_1]]', want: '[jane@example.com]' },
    { text: '[[[X', want: '[double' },
    { text: '', want: '' },
  ])('$text becomes $want', ({ text, want }) => {
    expect(placeholders.restore(text)).toBe(want);
    expect(inPieces([...text])).toBe(want);
  });

  test('are replaced in the same way wherever the text is split', () => {
    const piece = fc.oneof(fc.constantFrom(...MAP.keys(), '[', ']', '[EM', '1', ' x '), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(9), (parts, size) => {
        const text = parts.join('');
        const pieces = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? [];
        expect(inPieces(pieces)).toBe(placeholders.restore(text));
      }),
    );
  });

  test('are not replaced inside what replaces others', () => {
    expect(
      new Placeholders(
        new Map([
          ['A', 'B'],
          ['B', 'A'],
        ]),
      ).restore('AB'),
    ).toBe('BA');
  });

  test('that are empty replace nothing', () => {
    expect(new Placeholders(new Map([['', 'x']])).restore('ab')).toBe('ab');
  });

  test('leave as soon as it is known what they are', () => {
    const reader = placeholders.reader();
    expect(reader.push('a [EMAIL_1')).toEqual([{ length: 2 }]);
    expect(reader.push(']')).toEqual([{ length: 9, text: 'jane@example.com' }]);
  });

  test('in a JSON text are written as its strings are', () => {
    const quoting = new Placeholders(new Map([['N', 'a"b\n']]));
    expect(JSON.parse(`{"a":"${quoting.restore('N', insideJson)}"}`)).toEqual({ a: 'a"b\n' });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runSteps } from '../../lib/steps.ts';
import { insideJson, Restorer, type Spell } from './restorer.ts';

const MAP = new Map([
  ['[EMAIL_1]', 'jane@example.com'],
  ['[EMAIL_10]', 'john@example.com'],
  ['[E_MAIL_2]', '[EMAIL_1]'],
]);

const never = (): Promise<void> => Promise.reject(new Error('little work is not interrupted'));
const restored = (text: string, values = MAP, spell?: Spell): unknown =>
  runSteps(new Restorer(values).restore(text, spell), never);

function inPieces(pieces: readonly string[], restorer = new Restorer(MAP)): string {
  const reader = restorer.reader();
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
    { text: '[EMAIL_12]', want: '[EMAIL_12]' },
    { text: '[EMAIL_', want: '[EMAIL_' },
    { text: '[EMAIL_1', want: '[EMAIL_1' },
    { text: '[[EMAIL_1]]', want: '[jane@example.com]' },
    { text: '[email_1]', want: '[email_1]' },
    { text: '[EMAIL_[EMAIL_1]', want: '[EMAIL_jane@example.com' },
    { text: '[E_MAIL_2]', want: '[EMAIL_1]' },
    { text: '', want: '' },
  ])('$text becomes $want', ({ text, want }) => {
    expect(restored(text)).toBe(want);
    expect(inPieces([...text])).toBe(want);
  });

  test('are replaced in the same way wherever the text is split', () => {
    const piece = fc.oneof(
      fc.constantFrom(...MAP.keys(), '[', ']', '[EM', '1', '_', ' x ', 'A'.repeat(40)),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(9), (parts, size) => {
        const text = parts.join('');
        const pieces = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? [];
        expect(inPieces(pieces)).toBe(restored(text));
      }),
    );
  });

  test('leave as soon as it is known what they are', () => {
    const reader = new Restorer(MAP).reader();
    expect(reader.push('a [EMAIL_1')).toEqual([{ length: 2 }]);
    expect(reader.push(']')).toEqual([{ length: 9, text: 'jane@example.com' }]);
    expect(reader.push('[1')).toEqual([{ length: 2 }]);
    expect(reader.push(`[${'A'.repeat(60)}`)).toEqual([{ length: 61 }]);
  });

  test('in a JSON text are written as its strings are', () => {
    const quoting = new Map([['[N_1]', 'a"b\n']]);
    expect(JSON.parse(`{"a":"${restored('[N_1]', quoting, insideJson)}"}`)).toEqual({ a: 'a"b\n' });
  });

  test('stand for so much text in one answer', () => {
    const restorer = new Restorer(MAP, 2 * 'jane@example.com'.length);
    expect(inPieces(['[EMAIL_1][EMAIL_1]'], restorer)).toBe('jane@example.comjane@example.com');
    expect(() => inPieces(['[EMAIL_1]'], restorer)).toThrow(expect.objectContaining({ code: 'UPSTREAM_TOO_LARGE' }));
  });
});

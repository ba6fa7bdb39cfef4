/** Texts that stand in place of matches, with the `$` patterns of JavaScript (ECMA-262, GetSubstitution). */
import type { PatternGroups } from '../../../lib/regex.ts';

/** Begin and end of the match, then of its groups; -1 for one that takes no part. */
type Positions = Readonly<Int32Array>;

/** A piece of the text in place of a match. */
export type Piece = (text: string, positions: Positions) => string;

const REFERENCE = /\$(?:([$&`'])|(\d\d?)|<([^>]*)>)/g;
/** Where no group has a name, `$<` is a text, and what follows it may be a reference. */
const UNNAMED = /\$(?:([$&`'])|(\d\d?))/g;
/** The last group that two digits can name. */
export const MAX_GROUP = 99;

/** Once for each pattern: which references are known depends on its groups. */
export function compileReplacement(template: string, groups: PatternGroups): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of template.matchAll(groups.names.size === 0 ? UNNAMED : REFERENCE)) {
    const [whole, sign, digits, name] = found;
    pieces.push(literal(template.slice(from, found.index)), pieceOf({ whole, sign, digits, name }, groups));
    from = found.index + whole.length;
  }
  return [...pieces, literal(template.slice(from))].filter((piece) => piece !== NOTHING);
}

interface Reference {
  readonly whole: string;
  readonly sign: string | undefined;
  readonly digits: string | undefined;
  readonly name: string | undefined;
}

function pieceOf({ whole, sign, digits, name }: Reference, groups: PatternGroups): Piece {
  if (sign !== undefined) return SIGNS[sign] ?? literal(whole);
  if (digits !== undefined) return numbered(digits, groups.count) ?? literal(whole);
  const number = groups.names.get(name ?? '');
  return number === undefined ? NOTHING : group(number);
}

const NOTHING: Piece = () => '';

const literal = (text: string): Piece => (text === '' ? NOTHING : () => text);

const group =
  (number: number): Piece =>
  (text, positions) => {
    const [from = -1, to = -1] = positions.subarray(2 * number, 2 * number + 2);
    return from < 0 ? '' : text.slice(from, to);
  };

const SIGNS: Readonly<Record<string, Piece>> = {
  $: literal('$'),
  '&': group(0),
  '`': (text, [begin]) => text.slice(0, begin),
  "'": (text, [, end]) => text.slice(end),
};

/** Two digits are one number where there is such a group, else the second one is a text. */
function numbered(digits: string, count: number): Piece | undefined {
  const both = Number(digits);
  if (both >= 1 && both <= count) return group(both);
  const first = Number(digits[0]);
  if (digits.length === 1 || first < 1 || first > count) return undefined;
  const [piece, rest] = [group(first), digits.slice(1)];
  return (text, positions) => piece(text, positions) + rest;
}

/** What texts that are JSON, or begin like it, say: docs/behaviour/guardrails.md#which-texts. */
import { readJson } from '../../lib/json/index.ts';
import type { TextWithin } from './beside.ts';
import { JsonStrings, unescaped } from './json-strings.ts';
import { MAX_CHECKED_CHARS, type Path, type Place } from './place.ts';

/** Begins as JSON does; `{'a': 1}` and `[INFO]` do not. */
const BEGIN = /^\s*(?:"|\{\s*(?:["}]|$)|\[\s*(?:["{[]|$))/;
/** May begin JSON. */
const POSSIBLE_BEGIN = /^\s*[{["]/;
const STRUCTURE = /[\s{}[\],:"]/;
const WORDS = /[^\s{}[\],:"]+/g;
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/**
 * A place for each text. Of one that has to be JSON: for each string, and where it cannot be read, for each name and whatever else it
 * says, too. Of others that are JSON, or begin like it, the same, where they have escapes that may hide a word. What is too long to be
 * checked as it is has one place.
 */
export const placesWithin = (texts: readonly TextWithin[]): readonly Place[] =>
  texts.flatMap((each) => (each.isJson ? placesInJson(each) : placesInText(each)));

type At = Pick<TextWithin, 'text' | 'path'>;

function placesInJson({ text, path }: At): readonly Place[] {
  if (isReadable(text)) return stringsOf({ text, path });
  const isLike = BEGIN.test(text) || (hasEscapes(text) && POSSIBLE_BEGIN.test(text));
  return isLike && text.length <= MAX_CHECKED_CHARS ? allOf({ text, path }) : [{ text, path }];
}

/** Numbers, names and what stands between strings are looked at as in any other text. */
function placesInText({ text, path }: At): readonly Place[] {
  const isLike = hasEscapes(text) && (BEGIN.test(text) || (POSSIBLE_BEGIN.test(text) && isReadable(text)));
  return isLike && text.length <= MAX_CHECKED_CHARS ? allOf({ text, path }) : [{ text, path }];
}

const hasEscapes = (text: string): boolean => text.includes('\\');

function isReadable(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

/** All have the same path. */
function stringsOf({ text, path }: At): readonly Place[] {
  let from = 0;
  return new JsonStrings().push(text).pieces.flatMap(({ raw, said }) => {
    const at = from;
    from += raw.length;
    return said === undefined ? [] : [{ text: said, path, inside: { from: at, to: from } }];
  });
}

/** As `stringsOf`, with names, and what stands between strings. */
function allOf({ text, path }: At): readonly Place[] {
  let from = 0;
  return new JsonStrings().push(text).pieces.flatMap(({ raw, said, isName }): readonly Place[] => {
    const at = from;
    from += raw.length;
    const string = isName === true ? unescaped(raw) : said;
    return string === undefined ? between(raw, at, path) : [{ text: string, path, inside: { from: at, to: from } }];
  });
}

/** Of what stands between strings: from its first word to its last, unless these are literals only. */
function between(raw: string, at: number, path: Path): readonly Place[] {
  if (!saysSomething(raw)) return [];
  let from = 0;
  let to = raw.length;
  while (STRUCTURE.test(raw.charAt(from))) from += 1;
  while (STRUCTURE.test(raw.charAt(to - 1))) to -= 1;
  return [{ text: raw.slice(from, to), path, inside: { from: at + from, to: at + to, isRaw: true } }];
}

function saysSomething(raw: string): boolean {
  WORDS.lastIndex = 0;
  for (let word = WORDS.exec(raw); word !== null; word = WORDS.exec(raw)) if (!LITERALS.has(word[0])) return true;
  return false;
}

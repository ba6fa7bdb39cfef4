import { readJson } from '../../lib/json/index.ts';
import type { TextWithin } from './beside.ts';
import { JsonStrings } from './json-strings.ts';
import type { Place } from './place.ts';

/** A place for each text, and for each string of a text that is JSON. */
export const placesWithin = (texts: readonly TextWithin[]): readonly Place[] =>
  texts.flatMap(({ text, path, isJson }) =>
    isJson && isReadable(text) ? stringsOf({ text, path }) : [{ text, path }],
  );

/** What is no JSON is a text as it is. */
function isReadable(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

/** All have the same path. */
function stringsOf({ text, path }: Pick<TextWithin, 'text' | 'path'>): readonly Place[] {
  let from = 0;
  return new JsonStrings().push(text).pieces.flatMap(({ raw, said }) => {
    const at = from;
    from += raw.length;
    return said === undefined ? [] : [{ text: said, path, inside: { from: at, to: from } }];
  });
}

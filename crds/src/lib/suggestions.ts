import { nearestName } from './nearest-name.ts';

/** The known name that a wrong one is nearly; undefined when there is none, or after several suggestions. */
export type Suggest = (name: string, known: Iterable<string>) => string | undefined;

/** Searches per document, and names that each looks at: a document may be as wrong as its author likes. */
const MAX_SEARCHES = 8;
const MAX_KNOWN = 256;

/** For the problems of one document. */
export function createSuggestions(): Suggest {
  let searches = 0;
  return (name, known) => {
    searches += 1;
    return searches > MAX_SEARCHES ? undefined : nearestName(name, firstOf(known));
  };
}

function* firstOf(known: Iterable<string>): Generator<string> {
  let left = MAX_KNOWN;
  for (const name of known) {
    if (left === 0) return;
    left -= 1;
    yield name;
  }
}

/** The end of a sentence about a wrong name. */
export const didYouMean = (near: string | undefined): string => (near === undefined ? '' : `; did you mean ${near}?`);

import { createComparisonBudget, nearestName } from './nearest-name.ts';

/** The known name that a wrong one is nearly; undefined when there is none, or after several suggestions. */
export type Suggest = (name: string, known: Iterable<string>) => string | undefined;

/** Searches per document, and names that each looks at: a document may be as wrong as its author likes. */
const MAX_SEARCHES = 8;
const MAX_KNOWN = 256;

/** For the problems of one document, which share what may be compared: their names may be as many and as long as its author likes. */
export function createSuggestions(): Suggest {
  const budget = createComparisonBudget();
  let searches = 0;
  return (name, known) => {
    searches += 1;
    return searches > MAX_SEARCHES ? undefined : nearestName(name, firstOf(known), budget);
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

/** The end of a sentence about a wrong name; `sign` is what the name is written with. */
export const didYouMean = (near: string | undefined, sign: '' | '@' = ''): string =>
  near === undefined ? '' : `; did you mean ${sign}${near}?`;

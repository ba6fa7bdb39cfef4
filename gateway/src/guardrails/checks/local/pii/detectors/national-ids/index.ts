/** Finds national ids, and social security numbers of the US. */
import type { PiiCountry } from '@gatehouse/crds/guardrails';
import { beginsNumber, endsNumber, isAsciiLetter, isDigitAt } from '../../../characters.ts';
import { hasWordBeside } from '../context.ts';
import type { Detect } from '../detector.ts';
import { type Begins, NATIONAL_IDS, type NationalId } from './table.ts';

/** Longest run of letters or digits that an id begins with. */
const MAX_RUN = 18;

/** Ids by the length of the run that they begin with. */
type Index = readonly (readonly NationalId[])[];

function indexOf(ids: readonly NationalId[], kind: Begins['kind']): Index {
  return Array.from({ length: MAX_RUN + 1 }, (_, length) =>
    ids.filter(({ begins }) => begins.kind === kind && begins.lengths.includes(length)),
  );
}

/** To be asked where a word or a number begins. */
export function detectNationalIds(countries: readonly PiiCountry[]): Detect {
  const wanted = new Set(countries);
  const ids = NATIONAL_IDS.filter((id) => id.countries.some((country) => wanted.has(country)));
  const byDigits = indexOf(ids, 'digits');
  const byLetters = indexOf(ids, 'letters');
  return (text, at) => {
    const isNumber = isDigitAt(text, at);
    if (isNumber && !beginsNumber(text, at)) return undefined;
    const candidates = (isNumber ? byDigits : byLetters)[runLength(text, at, isNumber)] ?? [];
    for (const id of candidates) {
      const end = endOf(id, text, at);
      if (end > 0) return { category: id.category, start: at, end };
    }
    return undefined;
  };
}

function runLength(text: string, at: number, isNumber: boolean): number {
  let end = at;
  while (end - at <= MAX_RUN && (isNumber ? isDigitAt(text, end) : isAsciiLetter(text.charCodeAt(end)))) end++;
  return end - at;
}

/** Where the id ends, or 0. */
function endOf({ form, isValid, words }: NationalId, text: string, at: number): number {
  form.lastIndex = at;
  const match = form.exec(text);
  if (match === null) return 0;
  const end = at + match[0].length;
  if (!endsNumber(text, end) || !isValid(match[0].replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase())) return 0;
  return words === undefined || hasWordBeside(text, at, end, words) ? end : 0;
}

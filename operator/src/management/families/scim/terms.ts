import { parseFilter, type Term } from './filter.ts';
import { scimError } from './problem.ts';

/** Terms of a filter of a list. Throws RestError with `invalidFilter`. */
export function termsOf(filter: string | undefined): readonly Term[] {
  const parsed = filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter);
  if (parsed?.ok === false) throw scimError('invalidFilter', `filter: ${parsed.error}`);
  return parsed?.value ?? [];
}

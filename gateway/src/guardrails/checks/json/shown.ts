import type { FoundJson } from './json-reader.ts';

/** Characters of JSON that `hook_results` repeat. */
const MAX_SHOWN_CHARS = 65_536;

/** JSON for `hook_results`; null for what would make an answer much larger. */
export const shown = ({ value, start, end }: FoundJson): unknown => (end - start > MAX_SHOWN_CHARS ? null : value);

/** Texts of clients as rows keep them: cut, storable everywhere, and without the credentials of their request. */
import { isCredentialHeader } from '../../lib/header-names.ts';

/** Cleans a text of the client and cuts it. */
export type CleanText = (text: string, maxChars: number) => string;

const REDACTED = '[redacted]';
/** Shorter values are words that a text may hold by chance. */
const MIN_CREDENTIAL = 16;
const SCHEME = /^[a-z][\w-]*\s+(?=\S)/i;
const GENERATED_KEY = /gwk_[\w-]{8,}/g;
/** JSON has it, and texts of PostgreSQL do not. */
const NUL = '\u0000';

/** `headers`: of the request. They are read when a text is long enough to hold one of their credentials. */
export function createCleanText(headers: () => Iterable<readonly [name: string, value: string]>): CleanText {
  let credentials: readonly string[] | undefined;
  const redacted = (text: string): string => {
    credentials ??= credentialsIn(headers());
    const clean = credentials.reduce((left, value) => left.replaceAll(value, REDACTED), text);
    return clean.includes('gwk_') ? clean.replace(GENERATED_KEY, REDACTED) : clean;
  };
  return (text, maxChars) => {
    const clean = text.length < MIN_CREDENTIAL ? text : redacted(text);
    const whole = clean.includes(NUL) ? clean.replaceAll(NUL, '') : clean;
    return (whole.length > maxChars ? whole.slice(0, maxChars) : whole).toWellFormed();
  };
}

function credentialsIn(headers: Iterable<readonly [name: string, value: string]>): readonly string[] {
  const found = new Set<string>();
  for (const [name, given] of headers) {
    if (given.length < MIN_CREDENTIAL || !isCredentialHeader(name)) continue;
    const value = given.replace(SCHEME, '').trim();
    if (value.length >= MIN_CREDENTIAL) found.add(value);
  }
  return [...found];
}

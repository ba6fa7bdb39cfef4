/** Credentials that a request brings, and how they are found in texts. */
import { LRUCache } from 'lru-cache';
import { isCredentialHeader, KEY_HEADERS } from '../../lib/header-names.ts';
import { compileScrubber, type Scrubber } from '../../lib/scrub.ts';

type Headers = Iterable<readonly [name: string, value: string]>;

/** That are looked for in all encodings: each one has up to seven spellings. */
export const MAX_CREDENTIALS = 16;
export const REDACTED = '[redacted]';
const SCHEME = /^[a-z][\w-]*\s+(?=\S)/i;
/** What is left of such a value without the rest of it says nothing. */
const PLAIN_SCHEME = /^(?:basic|bearer|token)\s+\S/i;
const BASIC = /^basic\s+([\w+/=-]+)\s*$/i;
/** Shorter values of headers may be ordinary words. */
const MIN_LENGTH = 8;
/** Of values of headers that carry something else as often as a credential, such as the id of a session. */
const MIN_OTHER_LENGTH = 16;
/** Values of cookies, and of parameters of schemes such as `Token token="…"` and `Signature=…`. */
const PARTS = /=\s*"?([^\s"=;,]+=*)/g;
const MIN_PART_LENGTH = 16;
const KEY_NAMES: ReadonlySet<string> = new Set(KEY_HEADERS);

/** Of the clients and targets of the last requests: the same few come again and again. */
const known = new LRUCache<string, Scrubber>({
  maxSize: 256 * 1024, // in characters
  maxEntrySize: 4 * 1024,
  sizeCalculation: (_, name) => name.length,
});

/** Of the values; those that came last are remembered. */
export function knownScrubber(credentials: readonly string[]): Scrubber {
  const name = `${credentials.map(({ length }) => length).join()}:${credentials.join('')}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = compileScrubber(credentials, 'passing');
  known.set(name, made);
  return made;
}

/** In all forms in which they may be repeated. Parts of them do not make them more than `MAX_CREDENTIALS`. */
export function credentialsOf(headers: Headers, isOne: (name: string, value: string) => boolean = isCredentialHeader) {
  const found = new Set<string>();
  const withParts: string[] = [];
  for (const [name, value] of headers) {
    if (value.length < MIN_LENGTH || !isOne(name, value)) continue;
    for (const each of formsOf(value)) if (each.length >= MIN_LENGTH) found.add(each);
    if (value.length >= MIN_PART_LENGTH) withParts.push(value);
  }
  for (const part of withParts.flatMap(partsOf)) if (found.size < MAX_CREDENTIALS) found.add(part);
  return [...found];
}

function formsOf(value: string): readonly string[] {
  const basic = BASIC.exec(value)?.[1];
  const pair = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
  const given = PLAIN_SCHEME.test(value) ? [] : [value.trim()];
  return [...given, value.replace(SCHEME, '').trim(), pair, pair.slice(pair.indexOf(':') + 1)];
}

const partsOf = (value: string): readonly string[] =>
  [...value.matchAll(PARTS)].map(([, part = '']) => part).filter(({ length }) => length >= MIN_PART_LENGTH);

/** Those that stand in names and other short texts by no chance. */
export const textCredentialsOf = (headers: Headers): readonly string[] => credentialsOf(headers, isTextCredential);

/** `name`: lower case. */
export const isTextCredential = (name: string, value: string): boolean =>
  isCredentialHeader(name) && (value.length >= MIN_OTHER_LENGTH || KEY_NAMES.has(name));

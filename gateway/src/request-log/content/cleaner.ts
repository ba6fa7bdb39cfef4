/** Takes credentials out of all that a document says, wherever they stand. */
import { LRUCache } from 'lru-cache';
import { isCredentialHeader } from '../../lib/header-names.ts';
import { compileScrubber, type Scrubber } from '../../lib/scrub.ts';
import type { RequestRecord } from '../../record/index.ts';

/** Both throw Uncleanable. */
export interface Cleaner {
  clean(this: void, text: string): string;
  /** False: `clean` gives the text back. */
  mayFind(text: string): boolean;
}

/** Of the client, in all forms in which they are looked for: each one is a pass over all texts, in each encoding. */
const MAX_CREDENTIALS = 16;
/** Shorter values of headers may be ordinary words. */
const MIN_LENGTH = 8;
const SCHEME = /^[a-z][\w-]*\s+(?=\S)/i;
/** What is left of such a value without the rest of it says nothing. */
const PLAIN_SCHEME = /^(?:basic|bearer|token)\s+\S/i;
const BASIC = /^basic\s+([\w+/=-]+)\s*$/i;
const KEY = 'gwk_';
const GENERATED_KEY = /gwk_[\w-]{8,}/g;

/** Of the clients that called last, by the values of their credential headers: the same few call again and again. */
const known = new LRUCache<string, OfClient>({
  maxSize: 256 * 1024, // in characters
  maxEntrySize: 4 * 1024,
  sizeCalculation: (_, values) => values.length,
});

/** `too many` of them are not looked for. */
type OfClient = readonly Scrubber[] | 'too many';

/** The secrets of all targets that were tried, the credentials among the headers of the client, and gateway keys. */
export function createCleaner({ request, attempts }: RequestRecord): Cleaner {
  const ofClient = scrubbersOf(request);
  if (ofClient === 'too many') return NO_CLEANER;
  const scrubbers = [...ofClient];
  for (const { captured } of attempts) if (captured?.scrubber !== undefined) scrubbers.push(captured.scrubber());
  return {
    clean: (text) => {
      const out = scrubbers.reduce(scrubbed, text);
      return out.includes(KEY) ? out.replace(GENERATED_KEY, '[redacted]') : out;
    },
    mayFind: (text) => text.includes(KEY) || scrubbers.some((scrubber) => scrubber.mayFind(text)),
  };
}

const tooMany = (): never => {
  throw new Uncleanable();
};
const NO_CLEANER: Cleaner = { clean: tooMany, mayFind: tooMany };

function scrubbersOf({ headers, carrierHeaders }: RequestRecord['request']): OfClient {
  const values: string[] = [];
  for (const [name, value] of headers()) if (isCredentialHeader(name)) values.push(value);
  for (const [name, value] of carrierHeaders?.() ?? []) if (isCredentialHeader(name)) values.push(value);
  if (values.length === 0) return NO_SCRUBBERS;
  const name = values.join('\n'); // a header has no line feed
  const found = known.get(name);
  if (found !== undefined) return found;
  const credentials = credentialsOf(values);
  const made = credentials.length > MAX_CREDENTIALS ? 'too many' : [compileScrubber(credentials)];
  known.set(name, made);
  return made;
}

const NO_SCRUBBERS: OfClient = [];

/** Throws an Uncleanable for a text that would take too long. */
function scrubbed(text: string, scrubber: Scrubber): string {
  if (!scrubber.mayFind(text)) return text;
  let escapes = 0;
  for (const _ of text.matchAll(ESCAPES)) {
    escapes += 1;
    if (escapes > MAX_ESCAPES) throw new Uncleanable();
  }
  return scrubber.text(text);
}

/** A secret may stand in a text whose escapes, or one of secrets that, are too many to be looked at between other requests. */
export class Uncleanable extends Error {}

const ESCAPES = /[\\%&+]/g;
const MAX_ESCAPES = 20_000;

function credentialsOf(values: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const value of values) {
    const basic = BASIC.exec(value)?.[1];
    const pair = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
    const given = PLAIN_SCHEME.test(value) ? [] : [value.trim()];
    for (const each of [...given, value.replace(SCHEME, '').trim(), pair, pair.slice(pair.indexOf(':') + 1)])
      if (each.length >= MIN_LENGTH) found.add(each);
  }
  return [...found];
}

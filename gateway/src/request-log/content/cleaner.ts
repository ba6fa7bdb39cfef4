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

/** Of the clients that called last: the same few call again and again. */
const known = new LRUCache<string, Scrubber>({
  maxSize: 256 * 1024, // in characters
  maxEntrySize: 4 * 1024,
  sizeCalculation: (_, credentials) => credentials.length,
});

/** The secrets of all targets that were tried, the credentials among the headers of the client, and gateway keys. */
export function createCleaner({ request, attempts }: RequestRecord): Cleaner {
  const ofClient = credentialsOf([...request.headers(), ...(request.carrierHeaders?.() ?? [])]);
  if (ofClient.length > MAX_CREDENTIALS) return NO_CLEANER;
  const scrubbers: Scrubber[] = [];
  if (ofClient.length > 0) scrubbers.push(scrubberOf(ofClient));
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

function scrubberOf(credentials: readonly string[]): Scrubber {
  const name = credentials.join('\n'); // a header has no line feed
  const scrubber = known.get(name) ?? compileScrubber(credentials);
  known.set(name, scrubber);
  return scrubber;
}

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

function credentialsOf(headers: Iterable<readonly [name: string, value: string]>): readonly string[] {
  const found = new Set<string>();
  for (const [name, value] of headers) {
    if (!isCredentialHeader(name)) continue;
    const basic = BASIC.exec(value)?.[1];
    const pair = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
    const given = PLAIN_SCHEME.test(value) ? [] : [value.trim()];
    for (const each of [...given, value.replace(SCHEME, '').trim(), pair, pair.slice(pair.indexOf(':') + 1)])
      if (each.length >= MIN_LENGTH) found.add(each);
  }
  return [...found];
}

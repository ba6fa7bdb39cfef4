/** Takes credentials out of all that a document says, wherever they stand. */
import { isCredentialHeader } from '../../lib/header-names.ts';
import { compileScrubber, type Scrubber } from '../../lib/scrub.ts';
import type { RequestRecord } from '../../record/index.ts';

/** Throws Uncleanable. */
export type Cleaner = (text: string) => string;

/** Of the client, in all forms in which they are looked for: each one is a pass over all texts, in each encoding. */
const MAX_CREDENTIALS = 16;
/** Shorter values of headers may be ordinary words. */
const MIN_LENGTH = 8;
const SCHEME = /^[a-z][\w-]*\s+(?=\S)/i;
/** What is left of such a value without the rest of it says nothing. */
const PLAIN_SCHEME = /^(?:basic|bearer|token)\s+\S/i;
const BASIC = /^basic\s+([\w+/=-]+)\s*$/i;
const GENERATED_KEY = /gwk_[\w-]{8,}/g;

/** The secrets of all targets that were tried, the credentials among the headers of the client, and gateway keys. */
export function createCleaner({ request, attempts }: RequestRecord): Cleaner {
  const scrubbers: Scrubber[] = [];
  const ofClient = credentialsOf([...request.headers(), ...(request.carrierHeaders?.() ?? [])]);
  if (ofClient.length > MAX_CREDENTIALS)
    return () => {
      throw new Uncleanable();
    };
  if (ofClient.length > 0) scrubbers.push(compileScrubber(ofClient));
  for (const { captured } of attempts) if (captured?.scrubber !== undefined) scrubbers.push(captured.scrubber());
  return (text) => {
    const out = scrubbers.reduce(scrubbed, text);
    return out.includes('gwk_') ? out.replace(GENERATED_KEY, '[redacted]') : out;
  };
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

/** Takes credentials out of all that a document says, wherever they stand. */
import { mayHoldGatewayKey, withoutGatewayKeys } from '@gatehouse/crds';
import { countEscapes, hasMoreLetters, joinedOnce, type Scrubber } from '../../lib/scrub.ts';
import type { RequestRecord } from '../record.ts';
import { credentialsOf, knownScrubber, MAX_CREDENTIALS } from './credentials.ts';

/** Both throw Uncleanable. */
export interface Cleaner {
  clean(this: void, text: string): string;
  /** False: `clean` gives the text back. */
  mayFind(text: string): boolean;
}

/** The secrets of all targets that were tried, the credentials among the headers of the client, and gateway keys. */
export function createCleaner({ request, attempts }: RequestRecord): Cleaner {
  const ofClient = credentialsOf([...request.headers(), ...(request.carrierHeaders?.() ?? [])]);
  if (ofClient.length > MAX_CREDENTIALS) return NO_CLEANER;
  const found = new Set<Scrubber>(ofClient.length > 0 ? [knownScrubber(ofClient)] : []);
  for (const { captured } of attempts) if (captured?.scrubber !== undefined) found.add(captured.scrubber());
  const scrubbers = [...found];
  const joined = joinedOnce(scrubbers);
  /** Throws an Uncleanable for a text that would take too long. */
  const scrubbed = (text: string): string => {
    if (!isIn(text, scrubbers)) return text;
    if (countEscapes(text, MAX_ESCAPES) > MAX_ESCAPES) throw new Uncleanable();
    return joined().text(text);
  };
  return {
    clean: (text) => withoutGatewayKeys(scrubbers.length === 0 ? text : scrubbed(readable(text))),
    mayFind: (text) => mayHoldGatewayKey(text) || (scrubbers.length > 0 && isIn(readable(text), scrubbers)),
  };
}

const isIn = (text: string, scrubbers: readonly Scrubber[]): boolean => scrubbers.some((each) => each.mayFind(text));

/** The text, if it can be searched. */
function readable(text: string): string {
  if (hasMoreLetters(text, MAX_ESCAPES)) throw new Uncleanable();
  return text;
}

const tooMany = (): never => {
  throw new Uncleanable();
};
const NO_CLEANER: Cleaner = { clean: tooMany, mayFind: tooMany };

/** A secret may stand in a text whose escapes, or one of secrets that, are too many to be looked at between other requests. */
export class Uncleanable extends Error {}

const MAX_ESCAPES = 20_000;

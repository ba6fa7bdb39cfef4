/** Takes credentials out of the short texts of a request. */
import { mayHoldGatewayKey, withoutGatewayKeys } from '@gatehouse/crds';
import { compileLiteralScrubber, countEscapes, hasMoreLetters, joinedOnce, type Scrubber } from '../../lib/scrub.ts';
import { knownScrubber, MAX_CREDENTIALS, REDACTED, textCredentialsOf } from './credentials.ts';

type Headers = Iterable<readonly [name: string, value: string]>;

/** Neither throws. What cannot be cleaned, or would take too long, is left out. */
export interface TextCleaner {
  /** A text of more than `MAX_READ` characters is cut so that no part of a credential is left at its end. */
  clean(this: void, text: string): string;
  /** False: `clean` gives the text back. Cheap. */
  mayFind(text: string): boolean;
}

export interface CredentialSources {
  headers(): Headers;
  readonly carrierHeaders?: (() => Headers) | undefined;
  /** Of the targets that were tried. */
  readonly scrubbers: readonly (() => Scrubber)[];
  /** The text that could not be cleaned is left out. */
  readonly onFailure?: ((this: void, error: unknown) => void) | undefined;
}

/** In characters: of a text what is behind them is not read. */
export const MAX_READ = 8 * 1024;
/** In a text that is searched, and in all those of a request out of which something is taken. */
const MAX_ESCAPES = 20_000;
/** Of all texts of a request out of which something is taken, in characters. */
const MAX_CLEANED = 32 * 1024;
/** Credentials of a request: with more of them its texts are left out, as looking for all would hold up others. */
const MAX_LOOKED_FOR = 256;

/** What it reads is read by the first call. */
export function createTextCleaner({ headers, carrierHeaders, scrubbers, onFailure }: CredentialSources): TextCleaner {
  let made: Found | undefined;
  const found = (): Found => {
    made ??= findIn([...headers(), ...(carrierHeaders?.() ?? [])], scrubbers);
    return made;
  };
  const orElse = <T>(make: () => T, otherwise: T): T => {
    try {
      return make();
    } catch (error) {
      onFailure?.(error);
      return otherwise;
    }
  };
  const left = { escapes: MAX_ESCAPES, chars: MAX_CLEANED };
  return {
    mayFind: (text) => orElse(() => mayHold(text, found()), true),
    clean: (text) => orElse(() => cleaned(text, found(), left), REDACTED),
  };
}

const mayHold = (text: string, { all, isTooMuch }: Found): boolean =>
  isTooMuch ||
  mayHoldGatewayKey(text) ||
  (all.length > 0 && (hasMoreLetters(text, MAX_ESCAPES) || all.some((each) => each.mayFind(text))));

interface Left {
  /** That may still be read. */
  escapes: number;
  chars: number;
}

function cleaned(text: string, found: Found, left: Left): string {
  if (text.length > MAX_READ) return cleanedStart(text, found, left);
  if (!mayHold(text, found)) return text;
  if (found.isTooMuch) return REDACTED;
  left.chars -= text.length;
  if (left.chars >= 0) left.escapes -= countEscapes(text, left.escapes);
  if (left.chars < 0 || left.escapes < 0) return REDACTED;
  return withoutGatewayKeys(found.all.some((each) => each.mayFind(text)) ? found.joined().text(text) : text);
}

/** Of a text that is cut a credential may be cut, too: it would begin behind what is shown. */
function cleanedStart(text: string, found: Found, left: Left): string {
  const shown = Math.min(MAX_READ / 2, MAX_READ - found.longest);
  const start = text.slice(0, MAX_READ);
  return shown > 0 && cleaned(start, found, left) === start ? start.slice(0, shown) : REDACTED;
}

interface Found {
  readonly all: readonly Scrubber[];
  /** All texts are left out. */
  readonly isTooMuch: boolean;
  /** One for all of them, whichever finds something: it is made once. */
  joined(this: void): Scrubber;
  /** In characters, of the credentials of the client as URLs may write them. */
  readonly longest: number;
}

function findIn(headers: Headers, scrubbers: CredentialSources['scrubbers']): Found {
  const credentials = textCredentialsOf(headers);
  if (credentials.length > MAX_LOOKED_FOR) return TOO_MUCH;
  const ofClient = credentials.length === 0 ? [] : [knownScrubber(credentials.slice(0, MAX_CREDENTIALS))];
  const further = credentials.slice(MAX_CREDENTIALS);
  if (further.length > 0) ofClient.push(compileLiteralScrubber(further));
  const ofTargets = new Set(scrubbers.map((make) => make()));
  const longest = 3 * credentials.reduce((most, { length }) => Math.max(most, length), 0);
  const all = [...ofClient, ...ofTargets];
  return { all, isTooMuch: false, joined: joinedOnce(all), longest };
}

const TOO_MUCH: Found = { all: [], isTooMuch: true, joined: joinedOnce([]), longest: 0 };

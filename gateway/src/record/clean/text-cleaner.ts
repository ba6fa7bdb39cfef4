/** Takes credentials out of the short texts of a request. */
import { mayHoldGatewayKey, withoutGatewayKeys } from '@gatehouse/crds';
import type { Scrubber } from '../../lib/scrub.ts';
import { knownScrubber, REDACTED, textCredentialsOf } from './credentials.ts';

type Headers = Iterable<readonly [name: string, value: string]>;

/** Neither throws. What cannot be cleaned is left out. */
export interface TextCleaner {
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

/** Of the client, that are looked for in all encodings: each is a pass over the texts. Further ones are found as they are. */
const MAX_CREDENTIALS = 16;

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
  return {
    mayFind: (text) => orElse(() => mayHold(text, found()), true),
    clean: (text) => orElse(() => cleaned(text, found()), REDACTED),
  };
}

const mayHold = (text: string, { all, plain }: Found): boolean =>
  mayHoldGatewayKey(text) ||
  all.some((each) => each.mayFind(text)) ||
  plain.some((credential) => text.includes(credential));

function cleaned(text: string, found: Found): string {
  if (!mayHold(text, found)) return text;
  const left = found.all.reduce((given, each) => each.text(given), text);
  return withoutGatewayKeys(found.plain.reduce((given, credential) => given.replaceAll(credential, REDACTED), left));
}

interface Found {
  readonly all: readonly Scrubber[];
  readonly plain: readonly string[];
}

function findIn(headers: Headers, scrubbers: CredentialSources['scrubbers']): Found {
  const credentials = textCredentialsOf(headers);
  const ofClient = credentials.length === 0 ? [] : [knownScrubber(credentials.slice(0, MAX_CREDENTIALS))];
  const ofTargets = new Set(scrubbers.map((make) => make()));
  return { all: [...ofClient, ...ofTargets], plain: credentials.slice(MAX_CREDENTIALS) };
}

/** Takes credentials out of the short texts of a request. */
import { mayHoldGatewayKey, withoutGatewayKeys } from '@gatehouse/crds';
import type { Scrubber } from '../../lib/scrub.ts';
import { knownScrubber, REDACTED, textCredentialsOf } from './credentials.ts';

type Headers = Iterable<readonly [name: string, value: string]>;

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
}

/** Of the client, that are looked for in all encodings: each is a pass over the texts. Further ones are found as they are. */
const MAX_CREDENTIALS = 16;

/** What it reads is read by the first call. */
export function createTextCleaner({ headers, carrierHeaders, scrubbers }: CredentialSources): TextCleaner {
  let made: Found | undefined;
  const found = (): Found => {
    made ??= findIn([...headers(), ...(carrierHeaders?.() ?? [])], scrubbers);
    return made;
  };
  const mayFind = (text: string): boolean => {
    const { all, plain } = found();
    return (
      mayHoldGatewayKey(text) ||
      all.some((each) => each.mayFind(text)) ||
      plain.some((credential) => text.includes(credential))
    );
  };
  return {
    mayFind,
    clean: (text) => {
      if (!mayFind(text)) return text;
      const { all, plain } = found();
      const left = all.reduce((given, each) => each.text(given), text);
      return withoutGatewayKeys(plain.reduce((given, credential) => given.replaceAll(credential, REDACTED), left));
    },
  };
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

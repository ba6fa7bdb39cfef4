/** Credentials that an upstream repeats are taken out of what it says when a call fails. */
import { isCredentialHeader } from '../../../lib/header-names.ts';
import { compileScrubber, joinScrubbers, type Scrubber } from '../../../lib/scrub.ts';
import type { PreparedTarget } from '../../../providers/engine/index.ts';
import type { HeaderMap } from '../../exchange.ts';

/** Values of custom headers that are shorter may be ordinary words. */
const MIN_HEADER_LENGTH = 8;
const SCHEME = /^[a-z][\w-]*\s+(?=\S+$)/i;

// A memo of a pure function, made when a target fails for the first time: good answers cost nothing.
const known = new WeakMap<PreparedTarget, Hidden>();

interface Hidden {
  readonly values: ReadonlySet<string>;
  readonly scrubber: Scrubber;
}

/** Takes out the secrets of the target and the credentials among the headers that were sent. */
export function scrubberOf(target: PreparedTarget, sent: Readonly<Record<string, string>>): Scrubber {
  const hidden = known.get(target) ?? hiddenOf(target);
  known.set(target, hidden);
  const { values, scrubber: own } = hidden;
  // Tokens and signatures are made per call; a header that holds a known secret needs no further look.
  const made = credentialsIn(sent).filter((value) => !values.has(value) && own.text(value) === value);
  if (made.length === 0) return own;
  return joinScrubbers([own, compileScrubber(made, 'passing')]);
}

function hiddenOf(target: PreparedTarget): Hidden {
  const values = new Set(valuesOf(target));
  return { values, scrubber: compileScrubber(values, target.stored ? 'lasting' : 'passing') };
}

function valuesOf({ secrets, customHeaders }: PreparedTarget): readonly string[] {
  const headers = Object.fromEntries([...customHeaders].map(([name, value]) => [name, value.reveal()]));
  return [
    ...secrets.map((secret) => secret.reveal()),
    ...Object.values(headers).filter((value) => value.length >= MIN_HEADER_LENGTH),
    ...credentialsIn(headers),
  ];
}

function credentialsIn(headers: Readonly<Record<string, string>>): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of Object.entries(headers))
    if (isCredentialHeader(name)) found.push(value.replace(SCHEME, ''));
  return found;
}

/** Headers without those values. */
export function scrubHeaders(headers: HeaderMap, { text }: Scrubber): HeaderMap {
  const clean = (value: string | string[]) => (typeof value === 'string' ? text(value) : value.map(text));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)]));
}

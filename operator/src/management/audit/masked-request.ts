/** What a call has sent, as audit records keep it: never a credential. docs/behaviour/people.md#audit */
import { isObject, parseJson, withoutBrokenText } from '@gatehouse/crds';
import { MASK, withoutSecrets } from './masked-spec.ts';
import { maskedText } from './masked-text.ts';

/**
 * Members that are hidden with everything in them. Wider than for objects, whose credentials are in Secrets: a call brings them itself.
 * Headers of names that anybody makes up are hidden as a whole.
 */
const HIDDEN =
  /key|token|secret|passw|passphrase|credential|service_?account|auth|cookie|session|signature|assertion|bearer|headers|configurations|deploymentConfig|certificate|private|hash|sha256|^(code|state|nonce|pem|dsn)$/i;
/** Names of what is elsewhere. */
const REFERENCE = /(?<!session|sessions)(_ids?|_slugs?|_refs?|references?|_at|_ms)$|^(key|auth)_type$/i;
/** Of a part as JSON: what is longer is left out. */
const MAX_JSON = 16 * 1024;
const OMITTED = '{"omitted":true}';
/** How deep members, and JSON in texts of JSON, are looked at: what is deeper is hidden. */
const MAX_DEPTH = 64;
const MAX_TEXTS = 4;
const MAX_HEADER = 256;
const HEADERS = ['accept', 'content-length', 'content-type', 'origin', 'user-agent'];

/** A body or a query that was understood, as JSON; null: there is nothing in it. */
export function maskedJson(value: unknown): string | null {
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  if (JSON.stringify(value).length > MAX_JSON) return OMITTED; // to mask it would hold up other work
  const json = JSON.stringify(masked(value, OUTSIDE));
  return json.length > MAX_JSON ? OMITTED : withoutBrokenText(json);
}

/** Some of the headers, as JSON. */
export function maskedHeaders(headers: Readonly<Record<string, unknown>>): string {
  const kept = HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, maskedText(value.slice(0, MAX_HEADER))]] : [];
  });
  return withoutBrokenText(JSON.stringify(Object.fromEntries(kept)));
}

interface Place {
  readonly depth: number;
  /** Of JSON that is around it. */
  readonly texts: number;
}

const OUTSIDE: Place = { depth: 0, texts: 0 };

function masked(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return maskedValue(value, place);
  if (!Array.isArray(value) && !isObject(value)) return value;
  if (place.depth >= MAX_DEPTH) return MASK;
  const below = { ...place, depth: place.depth + 1 };
  if (Array.isArray(value)) return value.map((one) => masked(one, below));
  const { name: named, path } = value;
  const isSecret = [named, path].some((text) => typeof text === 'string' && HIDDEN.test(text)); // a variable, or a patch of a directory
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      plainText(name),
      isHidden(name) || (isSecret && name === 'value' && typeof one !== 'number') ? hidden(one) : masked(one, below),
    ]),
  );
}

/** JSON is written back without its credentials: some members are taken as objects and as texts. */
function maskedValue(text: string, { depth, texts }: Place): unknown {
  const inner = jsonIn(text);
  if (inner === undefined) return plainText(text);
  return texts >= MAX_TEXTS ? MASK : JSON.stringify(masked(inner, { depth, texts: texts + 1 }));
}

/** An object, a list or a text. */
function jsonIn(text: string): unknown {
  if (!/^\s*["[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const plainText = (text: string): string => maskedText(String(withoutSecrets(text)));

const isHidden = (name: string): boolean => HIDDEN.test(name) && !REFERENCE.test(name);

const hidden = (value: unknown): unknown => (value === null || value === undefined ? value : MASK);

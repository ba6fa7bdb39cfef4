/** What a call has sent, as audit records keep it: never a credential. docs/behaviour/people.md#audit */
import { isObject, withoutBrokenText } from '@gatehouse/crds';
import { MASK, withoutSecrets } from './masked-spec.ts';

/**
 * Members that are hidden with everything in them. Wider than for objects, whose credentials are in Secrets: a call brings them itself.
 * Headers of names that anybody makes up are hidden as a whole.
 */
const HIDDEN =
  /key|token|secret|passw|passphrase|credential|service_?account|auth|cookie|session|signature|assertion|bearer|headers|configurations|deploymentConfig|certificate|private|hash|sha256|^(code|state|nonce|pem|dsn)$/i;
/** Names of what is elsewhere. */
const REFERENCE = /(?<!session|sessions)(_ids?|_slugs?|_refs?|references?|_at|_ms)$|^(key|auth)_type$/i;
/** Keys of the gateway and of usual providers, tokens of three parts, and headers with one, wherever they are in a text. */
const CREDENTIAL =
  /\b(gwk_|sk-|sk_|pk-|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|hvs\.|hf_)[\w.~+/=-]{4,}|\beyJ[\w-]{1,2048}\.[\w-]{1,2048}\.[\w-]*|\b(Bearer|Basic)\s+[\w.~+/=-]+/g;
/** Queries of addresses in texts. */
const URL_QUERY = /(\w:\/\/[^\s?#"]{0,2048})[?#][^\s"]*/g;

/** Of a part as JSON: what is longer is left out. */
const MAX_JSON = 16 * 1024;
const OMITTED = '{"omitted":true}';
const MAX_HEADER = 256;
const HEADERS = ['accept', 'content-length', 'content-type', 'origin', 'user-agent'];

/** A body or a query that was understood, as JSON; null: there is nothing in it. */
export function maskedJson(value: unknown): string | null {
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  if (JSON.stringify(value).length > MAX_JSON) return OMITTED; // to mask it would hold up other work
  const json = JSON.stringify(masked(withoutSecrets(value)));
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

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (!isObject(value)) return value;
  const { name: named, path } = value;
  const isSecret = [named, path].some((text) => typeof text === 'string' && HIDDEN.test(text)); // a variable, or a patch of a directory
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      maskedText(name),
      isHidden(name) || (isSecret && name === 'value' && typeof one !== 'number') ? hidden(one) : masked(one),
    ]),
  );
}

const isHidden = (name: string): boolean => HIDDEN.test(name) && !REFERENCE.test(name);

const hidden = (value: unknown): unknown => (value === null || value === undefined ? value : MASK);

/** Without credentials that are told by their form. */
export const maskedText = (text: string): string => text.replace(CREDENTIAL, MASK).replace(URL_QUERY, `$1?${MASK}`);

/** Claims as headers of the request to the provider. */
import { claimHeader } from '@gatehouse/crds/guardrails';

/** Longest value of a header in characters. */
const MAX_VALUE = 4_096;
const NOT_PLAIN = /[^\x20-\x7e]/gu;

/**
 * The headers for these claims, lower-case. A claim that is missing or too long has the value '': a header of that name that
 * the client sent must not stand in for it.
 */
export function compileClaimHeaders(names: readonly string[], prefix: string) {
  const headers = names.map((claim) => [claim, claimHeader(prefix, claim)] as const);
  return (claims: Readonly<Record<string, unknown>>): Record<string, string> => {
    const out: Record<string, string> = {};
    for (const [claim, header] of headers) {
      if (header === undefined) continue; // the schema has refused it
      const value = Object.hasOwn(claims, claim) ? textOf(claims[claim]) : '';
      out[header] ||= value.length <= MAX_VALUE ? value : '';
    }
    return out;
  };
}

/** Lists are joined with commas, objects are JSON; characters that headers cannot carry are percent-encoded as UTF-8. */
function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.map(plainText).join(',') : plainText(value);
  return text.replace(NOT_PLAIN, encoded).trim();
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const encoded = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

/** Masking of header values in logs; docs/security.md. */
import { isCredentialHeader } from '../lib/header-names.ts';

/** Headers of the gateway that hold or may hold a credential, beside those whose names say so. */
const ALWAYS_MASKED: ReadonlySet<string> = new Set(['x-gw-config', 'x-gw-aws-external-id', 'x-gw-aws-role-arn']);
/** Headers whose names begin so carry cloud credentials. */
const MASKED_PREFIXES = ['x-gw-cloud-'];

/** The first two and last three characters of a value, without `Bearer `; short values are masked whole. */
export function maskValue(value: string): string {
  const bare = value.replace(/^Bearer +/i, '');
  return bare.length <= 8 ? '********' : `${bare.slice(0, 2)}********${bare.slice(-3)}`;
}

/** A copy of the headers that may be logged. `more`: further names, lower case. */
export function maskHeaders(
  headers: Iterable<readonly [string, string]>,
  more: ReadonlySet<string>,
): Record<string, string> {
  const out: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) out[name] = isMasked(name, more) ? maskValue(value) : value;
  return out;
}

/** `more`: further names, lower case. */
export const isMasked = (name: string, more: ReadonlySet<string>): boolean =>
  isCredentialHeader(name) ||
  ALWAYS_MASKED.has(name) ||
  more.has(name) ||
  MASKED_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Masking of header values in logs: docs/behaviour/request-logs.md#masking. */
import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isCredentialHeader } from '../lib/header-names.ts';
import type { HeaderNames } from '../record/index.ts';

/** Headers of the gateway that hold or may hold a credential, beside those whose names say so. */
const ALWAYS_MASKED: ReadonlySet<string> = new Set(['x-gw-config', 'x-gw-aws-external-id', 'x-gw-aws-role-arn']);
/** Headers whose names begin so carry cloud credentials. */
const MASKED_PREFIXES = ['x-gw-cloud-'];

/** Of this process alone: who reads a mask cannot try out what it may stand for. */
const KEY = randomBytes(32);
/** Enough to tell values apart: 64 bits. */
const HEX_DIGITS = 16;

/** The same credentials come with every request. */
const known = new LRUCache<string, string>({
  maxSize: 64 * 1024, // in characters
  maxEntrySize: 4 * 1024,
  sizeCalculation: (_, value) => value.length + 1,
});

/** A keyed hash of the value, without `Bearer `: the same for the same value until the process ends. */
export function maskValue(value: string): string {
  const found = known.get(value);
  if (found !== undefined) return found;
  const bare = value.replace(/^Bearer +/i, '');
  const mask = `hash:${createHmac('sha256', KEY).update(bare).digest('hex').slice(0, HEX_DIGITS)}`;
  known.set(value, mask);
  return mask;
}

/** A copy of the headers that may be logged. `more`: further names. */
export function maskHeaders(headers: Iterable<readonly [string, string]>, more: HeaderNames): Record<string, string> {
  const out: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) out[name] = isMasked(name, more) ? maskValue(value) : value;
  return out;
}

/** `more`: further names. */
export const isMasked = (name: string, more: HeaderNames): boolean =>
  isCredentialHeader(name) ||
  ALWAYS_MASKED.has(name) ||
  more.has(name) ||
  MASKED_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Looks up gateway keys, and finds them anywhere in a text, so that none reaches a provider. */
import { hash } from 'node:crypto';
import { isOwnToken } from '../identity/index.ts';
import type { KeyRecord, SnapshotView } from '../snapshot/index.ts';

/** The prefix of generated keys; keys that users bring are found by their hashes alone. */
const GENERATED_KEY = /gwk_[\w-]{8}/;
/** Runs of characters that may be a key, and the padding of what is encoded. */
const RUNS = /([\w.~+/-]{16,4096})(={0,2})/g;
/** Most runs of one value that are looked up, which bounds the work per header. A value with more counts as one that holds a key. */
const MAX_RUNS = 128;
/** Tokens of issuers, as they stand in a text. */
const TOKENS = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
/** Most tokens of one value that are looked at; a value with more counts as one that holds a key. */
const MAX_TOKENS = 8;
const BASIC = /^Basic +([\w+/=-]+)/i;

export type KeyLookup = Pick<SnapshotView, 'key' | 'issuer'>;

export interface FoundKey {
  readonly record: KeyRecord;
  /** SHA-256 of the key, lower-case hex. */
  readonly sha256: string;
}

/** Keys that are kept by their text for each Snapshot. */
const MAX_FOUND = 10_000;

// Spares the hash of a key that is used again. What is no key is never kept, so callers cannot fill it with texts of their own,
// and a key that is revoked is gone with its Snapshot. Texts are in memory as credentials of the Snapshot are; the time of a
// look-up says nothing about them, because V8 compares texts only when their hashes, whose seed is secret, are equal.
const foundKeys = new WeakMap<KeyLookup, Map<string, FoundKey>>();

/** The key of this gateway that the text is. */
export function findKey(text: string, snapshot: KeyLookup): FoundKey | undefined {
  const known = foundKeys.get(snapshot);
  return known?.get(text) ?? lookUp(text, snapshot, known ?? new Map());
}

function lookUp(text: string, snapshot: KeyLookup, known: Map<string, FoundKey>): FoundKey | undefined {
  const sha256 = hash('sha256', text);
  const record = snapshot.key(sha256);
  if (record === undefined) return undefined;
  const found = { record, sha256 };
  if (known.size >= MAX_FOUND) known.clear();
  known.set(text, found);
  foundKeys.set(snapshot, known);
  return found;
}

/** Whether the text contains a gateway key or token, user and password of basic authentication included. */
export function holdsGatewayKey(text: string, snapshot: KeyLookup): boolean {
  const basic = BASIC.exec(text.trim())?.[1];
  const plain = basic === undefined ? text : Buffer.from(basic, 'base64').toString('latin1');
  if (GENERATED_KEY.test(plain) || findKey(plain.trim(), snapshot) !== undefined) return true;
  if (plain.includes('eyJ') && holdsOwnToken(plain, snapshot)) return true;
  let runs = 0;
  for (const [padded, run = '', padding] of plain.matchAll(RUNS)) {
    runs += 1;
    if (runs > MAX_RUNS || findKey(run, snapshot) !== undefined) return true;
    if (padding !== '' && findKey(padded, snapshot) !== undefined) return true;
  }
  return false;
}

function holdsOwnToken(text: string, snapshot: KeyLookup): boolean {
  let seen = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    seen += 1;
    if (seen > MAX_TOKENS || isOwnToken(token, snapshot)) return true;
  }
  return false;
}

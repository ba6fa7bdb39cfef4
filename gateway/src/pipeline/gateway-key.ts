/** Finds gateway keys anywhere in a text, so that none reaches a provider. */
import { hash } from 'node:crypto';
import type { SnapshotView } from '../snapshot/index.ts';

/** The prefix of generated keys; keys that users bring are found by their hashes alone. */
const GENERATED_KEY = /gwk_[\w-]{8}/;
/** Runs of characters that may be a key, and the padding of what is encoded. */
const RUNS = /([\w.~+/-]{16,4096})(={0,2})/g;
/** Most runs of one value that are looked up, which bounds the work per header. A value with more counts as one that holds a key. */
const MAX_RUNS = 128;
const BASIC = /^Basic +([\w+/=-]+)/i;

export type KeyLookup = Pick<SnapshotView, 'key'>;

/** Whether the text is a key of this gateway. */
export const isKnownKey = (text: string, snapshot: KeyLookup): boolean =>
  snapshot.key(hash('sha256', text)) !== undefined;

/** Whether the text contains a gateway key, user and password of basic authentication included. */
export function holdsGatewayKey(text: string, snapshot: KeyLookup): boolean {
  const basic = BASIC.exec(text.trim())?.[1];
  const plain = basic === undefined ? text : Buffer.from(basic, 'base64').toString('latin1');
  if (GENERATED_KEY.test(plain) || isKnownKey(plain.trim(), snapshot)) return true;
  let runs = 0;
  for (const [padded, run = '', padding] of plain.matchAll(RUNS)) {
    runs += 1;
    if (runs > MAX_RUNS || isKnownKey(run, snapshot) || (padding !== '' && isKnownKey(padded, snapshot))) return true;
  }
  return false;
}

/** Gateway keys, known by what they are and not by where they stand: none may reach a provider. */
import { hash } from 'node:crypto';
import type { SnapshotView } from '../snapshot/index.ts';

/** What the keys begin with that Gatehouse makes; others are known by their hashes alone. */
const GENERATED_KEY = /gwk_[\w-]{8}/;
/** Runs of characters that may be a key, and the padding of what is encoded. */
const RUNS = /([\w.~+/-]{16,4096})(={0,2})/g;
/** Runs of one value that are looked up: bounds the work a header can ask for. A value with more counts as one that holds a key. */
const MAX_RUNS = 128;
const BASIC = /^Basic +([\w+/=-]+)/i;

export type KeyLookup = Pick<SnapshotView, 'key'>;

/** Whether the text is a key of this gateway. */
export const isKnownKey = (text: string, snapshot: KeyLookup): boolean =>
  snapshot.key(hash('sha256', text)) !== undefined;

/** Whether a gateway key stands anywhere in the text, the user and password of basic authentication included. */
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

/** Gateway keys, known by what they are and not by where they stand: none may reach a provider. */
import { hash } from 'node:crypto';
import type { SnapshotView } from '../snapshot/index.ts';

/** What the keys begin with that Gatehouse makes; others are known by their hashes alone. */
const MADE_BY_US = /gwk_[\w-]{8}/;
/** Runs of characters that may be a key. */
const RUNS = /[\w.~+/-]{16,4096}/g;
/** Runs of one value that are looked up: bounds the work a header can ask for. */
const MAX_RUNS = 32;
const BASIC = /^Basic +([\w+/=-]+)/i;

export type KeyLookup = Pick<SnapshotView, 'key'>;

/** Whether the text is a key of this gateway. */
export const isKnownKey = (text: string, snapshot: KeyLookup): boolean =>
  snapshot.key(hash('sha256', text)) !== undefined;

/** Whether a gateway key stands anywhere in the text, the user and password of basic authentication included. */
export function holdsGatewayKey(text: string, snapshot: KeyLookup): boolean {
  const basic = BASIC.exec(text.trim())?.[1];
  const plain = basic === undefined ? text : Buffer.from(basic, 'base64').toString('latin1');
  if (MADE_BY_US.test(plain) || isKnownKey(plain.trim(), snapshot)) return true;
  return (plain.match(RUNS) ?? []).slice(0, MAX_RUNS).some((run) => isKnownKey(run, snapshot));
}

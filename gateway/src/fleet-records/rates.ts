import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/index.ts';
import { atMostEntries } from '../lib/entry-bound.ts';

/** What calls may bring in a second, in bytes. */
export interface Rates {
  /** Throws AppError SIDECAR_BUSY where the pod, its workspace, or all of them, have sent too much in this second. */
  admit(pod: string, workspace: string, call: { readonly bytes: number; readonly nowMs: number }): void;
}

const MIB = 1024 * 1024;
const MAX_OF_POD: number = 4 * MIB;
const MAX_OF_WORKSPACE: number = 16 * MIB;
const MAX_OF_ALL: number = 32 * MIB;
/** What a call costs beside its bytes. */
const CALL_BYTES: number = 32 * 1024;
const MAX_NAMES = 20_000;
const SECOND_MS = 1_000;

interface Sent {
  second: number;
  bytes: number;
}

export function createRates(): Rates {
  const sent = new LRUCache<string, Sent>(atMostEntries(MAX_NAMES));
  const sentIn = (name: string, second: number): number => {
    const known = sent.get(name);
    return known?.second === second ? known.bytes : 0;
  };
  return {
    admit: (pod, workspace, { bytes, nowMs }) => {
      const second = Math.floor(nowMs / SECOND_MS);
      const sums = [
        { name: `pod ${pod}`, most: MAX_OF_POD },
        { name: `workspace ${workspace}`, most: MAX_OF_WORKSPACE },
        { name: 'all', most: MAX_OF_ALL },
      ].map(({ name, most }) => ({ name, most, sum: sentIn(name, second) + bytes + CALL_BYTES }));
      // What is refused costs nobody anything.
      if (sums.some(({ sum, most }) => sum > most)) throw busy('send more of the request log than the fleet takes');
      for (const { name, sum } of sums) sent.set(name, { second, bytes: sum });
    },
  };
}

/** `what`: that sidecars do. */
export const busy = (what: string): AppError =>
  new AppError('SIDECAR_BUSY', { detail: `Sidecars ${what}; try again shortly`, retryAfterMs: SECOND_MS });

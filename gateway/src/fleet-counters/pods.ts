import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/index.ts';
import { atMostEntries } from '../lib/entry-bound.ts';
import { MAX_BYTES, MAX_ITEMS } from './protocol.ts';

/** What pods may cost a gateway of the fleet. */
export interface Pods {
  /**
   * Throws AppError SIDECAR_BUSY where the pod, or its workspace, has called too much in this second. `bytes`: of the call; undefined:
   * not announced.
   */
  admit(pod: string, workspace: string, bytes: number | undefined, nowMs: number): void;
  /**
   * The name under which the pod holds parts of budgets: of its own, whatever it calls itself. Undefined: it has used too many, and each
   * is remembered by the store.
   */
  holder(pod: string, named: string): string | undefined;
  /** Whether the pod has not told the addition before, as far as it is remembered: pods repeat the last ones alone. */
  isNew(pod: string, addition: string): boolean;
}

/** A call counts once for each part of this size. */
const PART_BYTES = 4 * 1024;
/** Parts of calls in a second. A sidecar makes 200 calls at most. */
const MAX_OF_POD = 1_000;
const MAX_OF_WORKSPACE = 10_000;
/** One for each start of its container, and for each loss of a store. */
const MAX_HOLDERS = 32;
/** As long as stores remember a holder, in ms. */
const HOLDERS_KEPT_MS = 21_600_000;
const MAX_PODS = 10_000;
/** Additions that are remembered of a pod: it repeats those of one call, and begins no other one before. */
const MAX_ADDITIONS = 2 * MAX_ITEMS;
const SECOND_MS = 1_000;

interface Calls {
  second: number;
  parts: number;
}

export function createPods(): Pods {
  const calls = new LRUCache<string, Calls>(atMostEntries(MAX_PODS));
  const holders = new LRUCache<string, Set<string>>({ ...atMostEntries(MAX_PODS), ttl: HOLDERS_KEPT_MS });
  const additions = new LRUCache<string, Set<string>>(atMostEntries(MAX_PODS));
  const count = (key: string, parts: number, { most, second }: { readonly most: number; readonly second: number }) => {
    const known = calls.get(key);
    const sum = (known?.second === second ? known.parts : 0) + parts;
    if (sum > most) throw new AppError('SIDECAR_BUSY', { retryAfterMs: SECOND_MS });
    calls.set(key, { second, parts: sum });
  };
  return {
    admit: (pod, workspace, bytes = MAX_BYTES, nowMs) => {
      const second = Math.floor(nowMs / SECOND_MS);
      const parts = 1 + Math.floor(bytes / PART_BYTES);
      count(`pod ${pod}`, parts, { most: MAX_OF_POD, second });
      count(`workspace ${workspace}`, parts, { most: MAX_OF_WORKSPACE, second });
    },
    holder: (pod, named) => {
      let known = holders.get(pod);
      if (known === undefined) {
        known = new Set();
        holders.set(pod, known);
      }
      if (!known.has(named) && known.size >= MAX_HOLDERS) return undefined;
      known.add(named);
      return `pod-${hash('sha256', pod, 'base64url').slice(0, 22)}.${named}`;
    },
    isNew: (pod, addition) => {
      const known = additions.get(pod) ?? new Set();
      additions.set(pod, known);
      if (known.has(addition)) return false;
      known.add(addition);
      const [oldest] = known;
      if (known.size > MAX_ADDITIONS && oldest !== undefined) known.delete(oldest);
      return true;
    },
  };
}

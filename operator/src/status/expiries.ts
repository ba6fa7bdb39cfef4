/** Objects that expire: nothing edits them at that time, so that their statuses depend on the clock. */
import { isObject } from '@gatehouse/crds';
import type { Clock, KubeObject } from '../runtime/index.ts';

export interface Expiries {
  /** Whether the object has expired; if it expires later, it is remembered. */
  hasPassed(key: string, object: KubeObject): boolean;
  forget(key: string): void;
  /** Keys of objects that have expired since the last call. */
  takePassed(): readonly string[];
}

export function createExpiries(clock: Clock): Expiries {
  const coming = new Map<string, number>();
  /** At or before the first of them, so that most calls need not look at any. */
  let nextMs = Number.POSITIVE_INFINITY;
  return {
    hasPassed: (key, object) => {
      const atMs = expiryOf(object);
      const passed = atMs <= clock.wallMs();
      if (passed || atMs === Number.POSITIVE_INFINITY) coming.delete(key);
      else {
        coming.set(key, atMs);
        nextMs = Math.min(nextMs, atMs);
      }
      return passed;
    },
    forget: (key) => {
      coming.delete(key);
    },
    takePassed: () => {
      const nowMs = clock.wallMs();
      if (nextMs > nowMs) return [];
      const passed: string[] = [];
      nextMs = Number.POSITIVE_INFINITY;
      for (const [key, atMs] of coming) {
        if (atMs <= nowMs) passed.push(key);
        else nextMs = Math.min(nextMs, atMs);
      }
      for (const key of passed) coming.delete(key);
      return passed;
    },
  };
}

/** In ms since 1970; Infinity for an object that never expires. */
function expiryOf(object: KubeObject): number {
  const spec = 'spec' in object && isObject(object.spec) ? object.spec : {};
  const ms = Date.parse(String(spec['expiresAt']));
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
}

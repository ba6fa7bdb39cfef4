import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../lib/entry-bound.ts';
import { CIRCUIT_TTL_SECONDS, type CircuitRecord, type CircuitStore } from '../circuit.ts';
import type { StateStore } from '../state.ts';

export interface MemoryOptions {
  /** Unix time in ms. */
  readonly now: () => number;
  /** Keys kept; the least recently used are evicted first. */
  readonly maxEntries?: number;
}

const MAX_STATES = 100_000;
/** Configs; the targets of each are bounded by its schema. */
const MAX_CIRCUITS = 10_000;

/** States kept in this process only. */
export function createMemoryStateStore({ now, maxEntries = MAX_STATES }: MemoryOptions): StateStore {
  const states = createExpiringMap<string>(maxEntries, now);
  return {
    get: async (key) => states.get(key),
    set: async (key, value, ttlSeconds) => {
      states.set(key, value, { ttl: ttlSeconds * 1_000 });
    },
    delete: async (key) => {
      states.delete(key);
    },
  };
}

/** Circuit records kept in this process only. */
export function createMemoryCircuitStore({ now, maxEntries = MAX_CIRCUITS }: MemoryOptions): CircuitStore {
  const circuits = createExpiringMap<Map<string, CircuitRecord>>(maxEntries, now);
  return {
    read: async (key) => new Map(circuits.get(key)),
    record: async (key, path, outcome) => {
      const records = circuits.get(key) ?? new Map<string, CircuitRecord>();
      const next = nextRecord(records.get(path), outcome, now());
      if (next !== undefined) circuits.set(key, records.set(path, next), { ttl: CIRCUIT_TTL_SECONDS * 1_000 });
    },
    clear: async (key, path) => {
      circuits.get(key)?.delete(path);
    },
  };
}

function nextRecord(
  known: CircuitRecord | undefined,
  outcome: 'success' | 'failure',
  nowMs: number,
): CircuitRecord | undefined {
  if (outcome === 'success') return known && { ...known, successes: known.successes + 1 };
  if (known === undefined) return { failures: 1, successes: 0, firstFailureMs: nowMs };
  return { ...known, failures: known.failures + 1 };
}

/** No timer: an expired entry is removed when it is read or evicted. */
function createExpiringMap<V extends string | object>(max: number, now: () => number): LRUCache<string, V> {
  return new LRUCache({ ...atMostEntries(max), ttlResolution: 0, perf: { now } });
}

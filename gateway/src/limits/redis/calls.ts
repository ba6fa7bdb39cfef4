/** The scripts of limits that are not part of a batch. */
import { type RedisConnection, type RedisScript, runScript } from '../../store/index.ts';
import type { Change } from '../limiter.ts';
import { keyOf, sizeOf } from './counters.ts';
import { ADD, RENEW } from './scripts.ts';

export interface LimitCalls {
  renew(keys: readonly string[], nowMs: number): Promise<void>;
  /** Done once for each id, which has the hash tag of the counters. */
  add(id: string, changes: readonly Change[], nowMs: number): Promise<void>;
}

export interface CallOptions {
  readonly connection: RedisConnection;
  readonly timeoutMs?: number | undefined;
  readonly leaseMs: number;
  /** `callers`: windows follow the time that calls name. */
  readonly clock: 'redis' | 'callers';
  /** Names the leases of this process. */
  readonly processId: string;
}

export function createLimitCalls({ connection, timeoutMs, leaseMs, clock, processId }: CallOptions): LimitCalls {
  const run = (script: RedisScript, keys: readonly string[], [nowMs, ...args]: [number, ...(string | number)[]]) =>
    runScript(
      connection,
      script,
      { keys, args: [clock === 'callers' ? nowMs : '', processId, ...args] },
      { timeoutMs },
    );

  return {
    renew: async (keys, nowMs) => {
      await run(RENEW, keys, [nowMs, leaseMs]);
    },
    add: async (id, changes, nowMs) => {
      const keys = changes.map(({ counter }) => keyOf(counter));
      const args = changes.flatMap(({ counter, startMs, units }) => [sizeOf(counter), startMs, units]);
      await run(ADD, [id, ...keys], [nowMs, ...args]);
    },
  };
}

/** The scripts of limits as calls with typed replies. */
import { randomBytes } from 'node:crypto';
import { type RedisConnection, type RedisScript, runScript } from '../../store/index.ts';
import { type Change, type CounterName, type Demand, isAmount } from '../limiter.ts';
import { keyOf, sizeOf } from './counters.ts';
import { ADD, RENEW, RESERVE, SETTLE } from './scripts.ts';

/** Where a demand was granted. */
export interface Grant {
  readonly remaining: number;
  readonly resetMs: number;
  /** Start of the window, Unix time of Redis in ms. */
  readonly startMs: number;
  /** Number of the lease that holds an estimate; 0: none. */
  readonly lease: number;
}

export type Granted = { readonly allowed: true; readonly grants: readonly Grant[] };
export type Refused = {
  readonly allowed: false;
  readonly index: number;
  readonly remaining: number;
  readonly retryAfterMs: number;
};

/** What one counter has of a reservation, and what was used of it. */
export interface Settlement {
  readonly counter: CounterName;
  readonly startMs: number;
  readonly lease: number;
  readonly taken: number;
  readonly used: number;
}

export interface LimitCalls {
  /** `takes: false` asks only. Demands of one owner, at most, in a cluster. */
  reserve(
    demands: readonly Demand[],
    options: { readonly takes: boolean; readonly nowMs: number; onLate?(result: Granted | Refused): void },
  ): Promise<Granted | Refused>;
  settle(settlements: readonly Settlement[], nowMs: number): Promise<void>;
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
}

export function createLimitCalls({ connection, timeoutMs, leaseMs, clock }: CallOptions): LimitCalls {
  /** Names the leases of this process. */
  const processId = randomBytes(9).toString('base64url');
  const run = (script: RedisScript, keys: readonly string[], [nowMs, ...args]: [number, ...(string | number)[]]) =>
    runScript(
      connection,
      script,
      { keys, args: [clock === 'callers' ? nowMs : '', processId, ...args] },
      { timeoutMs },
    );

  return {
    reserve: async (demands, { takes, nowMs, onLate }) => {
      const { keys, args } = reserveInput(demands, takes);
      const head = [clock === 'callers' ? nowMs : '', processId, leaseMs];
      const input = { keys, args: [...head, ...args] };
      const late = onLate === undefined ? {} : { onLate: (reply: unknown) => onLate(toResult(reply)) };
      return toResult(await runScript(connection, RESERVE, input, { timeoutMs, ...late }));
    },
    settle: async (settlements, nowMs) => {
      const keys = settlements.map(({ counter }) => keyOf(counter));
      const args = settlements.flatMap(({ counter, startMs, lease, taken, used }) => [
        sizeOf(counter),
        startMs,
        lease,
        taken,
        used,
      ]);
      await run(SETTLE, keys, [nowMs, ...args]);
    },
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

const ROOM_ONLY = 0;
const COST = 1;
const ESTIMATE = 2;

function reserveInput(demands: readonly Demand[], takes: boolean) {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  for (const demand of demands) {
    const key = keyOf(demand);
    let position = keys.indexOf(key) + 1;
    if (position === 0) position = keys.push(key);
    args.push(position, sizeOf(demand), demand.limit, costOf(demand), takes ? modeOf(demand) : ROOM_ONLY);
  }
  return { keys, args };
}

/** What is no amount finds room nowhere. */
const costOf = ({ cost }: Demand): number | string => (isAmount(cost) ? cost : 'inf');

const modeOf = ({ takes, estimated }: Demand): number => {
  if (takes === false) return ROOM_ONLY;
  return estimated === true ? ESTIMATE : COST;
};

const GRANT_FIELDS = 4;

/** A reply of RESERVE. */
function toResult(reply: unknown): Granted | Refused {
  const [first = 0, ...rest] = numbersOf(reply);
  if (first > 0) {
    const [remaining = 0, retryAfterMs = 1] = rest;
    return { allowed: false, index: first - 1, remaining, retryAfterMs };
  }
  const grants: Grant[] = [];
  for (let at = 0; at < rest.length; at += GRANT_FIELDS) {
    const [remaining = 0, resetMs = 0, startMs = 0, lease = 0] = rest.slice(at, at + GRANT_FIELDS);
    grants.push({ remaining, resetMs, startMs, lease });
  }
  return { allowed: true, grants };
}

const numbersOf = (reply: unknown): number[] => (Array.isArray(reply) ? reply.map(Number) : []);

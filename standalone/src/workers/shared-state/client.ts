/** The worker's side: the ports of shared state, backed by calls to the parent. */
import {
  type BudgetStore,
  createMemoryLimiter,
  createStoreBreaker,
  type Limiter,
  type Reservation,
  type SharedState,
  StoreUnavailable,
} from '@gatehouse/gateway';
import { type Calls, createCalls } from './calls.ts';
import type { Call, CallResult, Operations } from './operations.ts';
import { createSlots } from './slots.ts';

export interface StateClientOptions {
  /** Sends the calls of one turn of the event loop. */
  send(calls: readonly Call[]): void;
  /** Requests of one key at the same time; 0: any number. */
  readonly maxConcurrentPerKey: number;
  /** How many workers share them. */
  readonly processes: number;
  /** Longest wait for the parent in ms; then this worker decides alone. */
  readonly timeoutMs?: number;
  /** Calls that wait for the parent; further ones fail at once. */
  readonly maxCalls?: number;
}

export interface StateClient {
  readonly state: SharedState;
  /** Results from the parent. */
  receive(results: readonly CallResult[]): void;
}

const TIMEOUT_MS = 250;
const MAX_CALLS = 10_000;
/** Bytes of answers that wait to be stored; one answer has 4 MiB at most. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Without an answer of the parent, limits and slots are counted by this worker alone, and stores reject. */
export function createStateClient(options: StateClientOptions): StateClient {
  const calls = createCalls({
    send: options.send,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxCalls: options.maxCalls ?? MAX_CALLS,
  });
  return {
    receive: calls.receive,
    state: {
      limiter: createLimiter(calls),
      budgetStore: createBudgetStore(calls),
      concurrency: createSlots(calls, options),
      states: {
        get: (key) => calls.call('getState', [key]).value,
        set: (...args) => calls.call('setState', args).value,
        delete: (key) => calls.call('deleteState', [key]).value,
      },
      circuits: {
        read: (key) => calls.call('readCircuit', [key]).value,
        record: (...args) => calls.call('recordCircuit', args).value,
        clear: (...args) => calls.call('clearCircuit', args).value,
      },
      answers: createAnswers(calls),
    },
  };
}

function createLimiter({ call, notify }: Calls): Limiter {
  // This worker has counted the request alone meanwhile.
  const returnLate = (id: number, { allowed }: ReturnType<Operations['reserve']>): void => {
    if (allowed) notify('release', id);
  };
  const alone = createMemoryLimiter();
  const breaker = createStoreBreaker({ onError: () => undefined });
  return {
    ask: async (demands, nowMs) => {
      const asked = await breaker.attempt(() => call('ask', [demands, nowMs]).value);
      return asked.ok ? asked.value : alone.ask(demands, nowMs);
    },
    reserve: async (demands, nowMs) => {
      const reserved = await breaker.attempt(async () => {
        const onLate = (late: ReturnType<Operations['reserve']>): void => returnLate(id, late);
        const { id, value } = call('reserve', [demands, nowMs], { onLate });
        const result = await value;
        return result.allowed ? reservationOf(id, result.windows) : result;
      });
      return reserved.ok ? reserved.value : alone.reserve(demands, nowMs);
    },
    close: alone.close,
  };

  function reservationOf(id: number, windows: Reservation['windows']): Reservation {
    let ended = false;
    const end = (send: () => void): void => {
      if (!ended) send();
      ended = true;
    };
    return {
      allowed: true,
      windows,
      settle: (actualCosts, nowMs) => end(() => notify('settle', id, actualCosts, nowMs)),
      release: () => end(() => notify('release', id)),
    };
  }
}

/** A call that is too late may have been executed. */
function createBudgetStore({ call }: Calls): BudgetStore {
  return {
    sync: (requests) =>
      call('syncBudgets', [requests]).value.catch((error: unknown) => {
        const isApplied = error instanceof StoreUnavailable && error.reason === 'busy' ? false : undefined;
        return requests.map(() => ({ status: 'failed', isApplied }) as const);
      }),
    close: async () => undefined,
  };
}

function createAnswers({ call }: Calls): SharedState['answers'] {
  let bytes = 0;
  return {
    get: async (key) => {
      const value = await call('getAnswer', [key]).value;
      return value === undefined ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    },
    set: async (key, value, ttlSeconds) => {
      if (bytes + value.length > MAX_BYTES) throw new StoreUnavailable('busy');
      bytes += value.length;
      try {
        await call('setAnswer', [key, value, ttlSeconds]).value;
      } finally {
        bytes -= value.length;
      }
    },
    delete: (key) => call('deleteAnswer', [key]).value,
    close: async () => undefined,
  };
}

/** The parent's side: executes the calls of its workers on state in memory. */
import type { Demand, Leave, Reservation, SharedState } from '@gatehouse/gateway';
import type { Call, CallResult, OperationName, Operations } from './operations.ts';

export interface StateServer {
  /** Called once for each worker. */
  connect(): StateConnection;
}

export interface StateConnection {
  /** Executes calls in their order. Never rejects. */
  execute(calls: readonly Call[]): Promise<readonly CallResult[]>;
  /** The worker has ended: its requests are no longer in flight and hold no estimates, and calls that arrive later are left out. */
  close(): void;
}

type Handlers = {
  readonly [N in OperationName]: (
    id: number,
    ...args: Parameters<Operations[N]>
  ) => ReturnType<Operations[N]> | Promise<ReturnType<Operations[N]>>;
};

export function createStateServer(state: SharedState): StateServer {
  return {
    connect: () => {
      const limits = limitHandlers(state);
      const slots = slotHandlers(state);
      const handlers: Handlers = { ...limits.handlers, ...slots.handlers, ...storeHandlers(state) };
      let isClosed = false;
      return {
        execute: async (calls) => {
          const results: CallResult[] = [];
          for (const call of calls) {
            if (isClosed) break; // nobody would leave the slots again
            const result = await executeOne(handlers, call);
            if (call.awaited) results.push(result);
          }
          return results;
        },
        close: () => {
          isClosed = true;
          slots.leaveAll();
          limits.returnAll();
        },
      };
    },
  };
}

async function executeOne(handlers: Handlers, { id, name, args }: Call): Promise<CallResult> {
  try {
    const handler = handlers[name] as (id: number, ...args: unknown[]) => unknown; // the arguments belong to the name
    return { id, ok: true, value: await handler(id, ...args) };
  } catch {
    return { id, ok: false };
  }
}

type LimitNames = 'ask' | 'reserve' | 'settle' | 'release';

function limitHandlers({ limiter }: SharedState) {
  const estimates = createLatest<Estimates>(MAX_ESTIMATES);
  const exact = createLatest<Reservation>(MAX_EXACT);
  const take = (id: number): Reservation | undefined => estimates.take(id)?.reservation ?? exact.take(id);
  const handlers: Pick<Handlers, LimitNames> = {
    ask: (_id, demands, nowMs) => limiter.ask(demands, nowMs),
    reserve: async (id, demands, nowMs) => {
      const result = await limiter.reserve(demands, nowMs);
      if (!result.allowed) return result;
      if (demands.some(isEstimate)) estimates.put(id, { reservation: result, demands, nowMs });
      else exact.put(id, result);
      return { allowed: true, windows: result.windows };
    },
    settle: (_id, reservation, actualCosts, nowMs) => take(reservation)?.settle(actualCosts, nowMs),
    release: (_id, reservation) => take(reservation)?.release(),
  };
  const returnAll = (): void => {
    for (const { reservation, demands, nowMs } of estimates.takeAll()) {
      void reservation.settle(
        demands.map((demand) => (isEstimate(demand) ? 0 : demand.cost)),
        nowMs,
      );
    }
  };
  return { handlers, returnAll };
}

interface Estimates {
  readonly reservation: Reservation;
  readonly demands: readonly Demand[];
  readonly nowMs: number;
}

/** Reservations of one worker that can still be settled; of more than these the oldest count as they were reserved. */
const MAX_ESTIMATES = 100_000;
/** Exact costs are rarely corrected, and if so at once. */
const MAX_EXACT = 1_000;

const isEstimate = ({ estimated }: Demand): boolean => estimated === true;

function createLatest<T>(max: number) {
  const items = new Map<number, T>();
  return {
    put: (id: number, item: T): void => {
      items.set(id, item);
      const [oldest] = items.keys();
      if (items.size > max && oldest !== undefined) items.delete(oldest);
    },
    take: (id: number): T | undefined => {
      const item = items.get(id);
      items.delete(id);
      return item;
    },
    takeAll: (): readonly T[] => {
      const all = [...items.values()];
      items.clear();
      return all;
    },
  };
}

function slotHandlers({ concurrency }: SharedState) {
  /** What this worker holds, by subject. */
  const held = new Map<string, Leave[]>();
  const handlers: Pick<Handlers, 'enter' | 'leave'> = {
    enter: async (_id, subject, count) => {
      const leaves: Leave[] = [];
      while (leaves.length < count) {
        const leave = await concurrency.enter(subject);
        if (leave === undefined) break;
        leaves.push(leave);
      }
      if (leaves.length > 0) held.set(subject, [...(held.get(subject) ?? []), ...leaves]);
      return leaves.length;
    },
    leave: (_id, subject, count) => {
      const leaves = held.get(subject) ?? [];
      for (const leave of leaves.splice(0, count)) leave();
      if (leaves.length === 0) held.delete(subject);
    },
  };
  const leaveAll = (): void => {
    for (const leaves of held.values()) for (const leave of leaves) leave();
    held.clear();
  };
  return { handlers, leaveAll };
}

function storeHandlers({
  budgetStore,
  states,
  circuits,
  answers,
}: SharedState): Omit<Handlers, LimitNames | 'enter' | 'leave'> {
  return {
    syncBudgets: (_id, requests) => budgetStore.sync(requests),
    getState: (_id, key) => states.get(key),
    setState: (_id, ...args) => states.set(...args),
    deleteState: (_id, key) => states.delete(key),
    readCircuit: (_id, key) => circuits.read(key),
    recordCircuit: (_id, ...args) => circuits.record(...args),
    clearCircuit: (_id, ...args) => circuits.clear(...args),
    getAnswer: (_id, key) => answers.get(key),
    setAnswer: (_id, ...args) => answers.set(...args),
    deleteAnswer: (_id, key) => answers.delete(key),
  };
}

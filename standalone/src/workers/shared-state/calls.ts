/** Calls to the parent: those of one turn of the event loop travel together, and each ends in time. */
import { StoreUnavailable } from '@gatehouse/gateway';
import type { Call, CallOf, CallResult, OperationName, Operations } from './operations.ts';

type ResultOf<N extends OperationName> = ReturnType<Operations[N]>;

export interface Calls {
  /** The result rejects with StoreUnavailable: too late, too many calls, or failed. `id` stands for it in later calls. */
  call<N extends OperationName>(
    name: N,
    args: Parameters<Operations[N]>,
    options?: {
      /** Gets a result that came after its time. */
      onLate(value: ResultOf<N>): void;
    },
  ): { readonly id: number; readonly value: Promise<ResultOf<N>> };
  /** A call without result; it is never refused, since only what was granted is given back. */
  notify<N extends OperationName>(name: N, ...args: Parameters<Operations[N]>): void;
  receive(results: readonly CallResult[]): void;
}

interface CallsOptions {
  send(calls: readonly Call[]): void;
  readonly timeoutMs: number;
  readonly maxCalls: number;
}

interface Waiting {
  /** Runs from the moment in which the call is sent. */
  timer?: NodeJS.Timeout;
  resolve(value: unknown): void;
  reject(error: StoreUnavailable): void;
  onLate(value: unknown): void;
}

const ignore = (): void => undefined;

export function createCalls({ send, timeoutMs, maxCalls }: CallsOptions): Calls {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let turn: Call[] = [];

  const flush = (): void => {
    const calls = turn;
    turn = [];
    send(calls);
    for (const { id } of calls) startTimer(id);
  };
  /** What is too late goes on waiting: a parent that never answers gets no more calls once there are `maxCalls`. */
  const startTimer = (id: number): void => {
    const caller = waiting.get(id);
    if (caller === undefined) return;
    caller.timer = setTimeout(() => {
      waiting.set(id, { ...caller, resolve: caller.onLate, reject: ignore });
      caller.reject(new StoreUnavailable('timeout'));
    }, timeoutMs);
  };
  const add = <N extends OperationName>(call: Omit<CallOf<N>, 'id'>): number => {
    lastId += 1;
    if (turn.length === 0) setImmediate(flush);
    turn.push({ ...call, id: lastId } as unknown as Call); // the arguments belong to the name
    return lastId;
  };
  const waitFor = (id: number, onLate: (value: unknown) => void): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, onLate });
    });

  return {
    call: <N extends OperationName>(
      name: N,
      args: Parameters<Operations[N]>,
      options?: { onLate(value: ResultOf<N>): void },
    ) => {
      if (waiting.size >= maxCalls) return { id: 0, value: Promise.reject(new StoreUnavailable('busy')) };
      const id = add({ name, args, awaited: true });
      const onLate = (options?.onLate ?? ignore) as (value: unknown) => void; // the result belongs to the name
      return { id, value: waitFor(id, onLate) as Promise<ResultOf<N>> };
    },
    notify: (name, ...args) => {
      add({ name, args, awaited: false });
    },
    receive: (results) => {
      for (const result of results) {
        const caller = waiting.get(result.id);
        if (caller === undefined) continue;
        waiting.delete(result.id);
        clearTimeout(caller.timer);
        if (result.ok) caller.resolve(result.value);
        else caller.reject(new StoreUnavailable('failed'));
      }
    },
  };
}

/** What a worker asks its parent for. */
import type {
  CircuitRecord,
  Demand,
  Denial,
  LimitDecision,
  SyncReply,
  SyncRequest,
  WindowState,
} from '@gatehouse/gateway';

/** The number of the call that granted a reservation stands for it in later calls. */
type CallId = number;

export interface Operations {
  ask(demands: readonly Demand[], nowMs: number): LimitDecision;
  reserve(
    demands: readonly Demand[],
    nowMs: number,
  ): { readonly allowed: true; readonly windows: readonly WindowState[] } | Denial;
  settle(reservation: CallId, actualCosts: readonly number[], nowMs: number): void;
  release(reservation: CallId): void;
  syncBudgets(requests: readonly SyncRequest[]): readonly SyncReply[];
  /** Takes up to `count` slots; returns how many there were. */
  enter(subject: string, count: number): number;
  leave(subject: string, count: number): void;
  getState(key: string): string | undefined;
  setState(key: string, value: string, ttlSeconds: number): void;
  deleteState(key: string): void;
  readCircuit(key: string): ReadonlyMap<string, CircuitRecord>;
  recordCircuit(key: string, path: string, outcome: 'success' | 'failure'): void;
  clearCircuit(key: string, path: string): void;
  getAnswer(key: string): Buffer | undefined;
  setAnswer(key: string, value: Buffer, ttlSeconds: number): void;
  deleteAnswer(key: string): void;
}

export type OperationName = keyof Operations;

export interface CallOf<N extends OperationName> {
  /** Of this worker; unique in its life. */
  readonly id: CallId;
  readonly name: N;
  readonly args: Parameters<Operations[N]>;
  /** Whether the worker waits for the result. */
  readonly awaited: boolean;
}

export type Call = { [N in OperationName]: CallOf<N> }[OperationName];

export type CallResult =
  | { readonly id: CallId; readonly ok: true; readonly value: unknown }
  | { readonly id: CallId; readonly ok: false };

/**
 * The port of the counters that processes share. A process holds a part of what is left, spends from it without asking, and tells its
 * running total of the period: telling a total twice changes nothing. Implementations: docs/guide/limits-and-budgets.md.
 */
import type { Period } from './schedule.ts';

export interface SyncRequest {
  /** Of the counter. */
  readonly id: string;
  readonly slot: string;
  readonly limit: number;
  /** The period that contains the store's time, as far as the process knows that time. */
  readonly period: Period;
  /** Fences the numbers below: unique for ever, never used by another process. */
  readonly holder: string;
  /** Rises with each request of the holder: an older one that arrives later takes no effect. */
  readonly sequence: number;
  /** Start of the period that `spent` and `held` belong to; -1 before the first contact. */
  readonly spentIn: number;
  /** By this holder since that start. */
  readonly spent: number;
  /** What it keeps beyond `spent`, its open reservations included. */
  readonly held: number;
  /** What it needs besides; the grant is less when less is left. */
  readonly more: number;
  /** Grant more than that while much is left. */
  readonly spare: boolean;
  /** The holder's part returns after this time without a request; 0: at once. */
  readonly leaseMs: number;
  /** In which `spent` is counted; empty before the first contact. */
  readonly generation: string;
  /** Raises the counter to this total if it is of another generation. */
  readonly seed: Seed | undefined;
}

/** What a counter had reached in a generation and a period. */
export interface Seed {
  readonly generation: string;
  readonly periodStartMs: number;
  readonly total: number;
}

export interface SyncDone {
  readonly status: 'done';
  /** The store's clock, Unix time. */
  readonly nowMs: number;
  /** Never moves back: it may start later than the period of the request. */
  readonly periodStartMs: number;
  readonly generation: string;
  /** Spent by all holders. */
  readonly total: number;
  /** By this holder, the grant included. */
  readonly held: number;
  readonly heldByOthers: number;
  /** Holders whose lease lasts, this one included. */
  readonly holders: number;
}

export type SyncReply =
  | SyncDone
  /** The period of the request does not contain the store's time; nothing was changed. */
  | { readonly status: 'clock'; readonly nowMs: number }
  /** The counter is of another generation; only the seed was taken. */
  | { readonly status: 'generation'; readonly generation: string; readonly nowMs: number }
  /** `isApplied`: undefined when nobody knows. */
  | { readonly status: 'failed'; readonly isApplied: false | undefined };

export interface BudgetStore {
  /** Answers in the order of the requests, which are of different counters. Never rejects. */
  sync(requests: readonly SyncRequest[]): Promise<readonly SyncReply[]>;
  close(): Promise<void>;
}

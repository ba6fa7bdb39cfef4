/** A counter as a store keeps it, and what a request of a holder does to it. The script of Redis does the same. */

import type { SyncReply, SyncRequest } from './budget-store.ts';
import { MAX_AMOUNT } from './budgets.ts';

export interface Counter {
  periodStartMs: number;
  generation: string;
  /** Spent by holders that are gone. */
  settled: number;
  /** The total before this generation. */
  seeded: number;
  readonly shares: Map<string, Share>;
}

/** By id. */
export interface Counters {
  get(id: string): Counter | undefined;
  set(id: string, counter: Counter): unknown;
}

/** The part of one holder. */
export interface Share {
  spent: number;
  held: number;
  leaseEndsMs: number;
  sequence: number;
}

/** Of what is left, a holder gets one part in this many, divided by the number of holders. */
export const SPARE_PARTS = 8;
/** So long after its lease a holder is forgotten and its total becomes nobody's, in ms. Holders give up much earlier. */
export const FORGET_AFTER_MS = 21_600_000;

/** What the holder spent and keeps, then what it may have besides. `counter` is changed only where the answer is not `clock`. */
export function syncCounter(counters: Counters, request: SyncRequest, nowMs: number): SyncReply {
  const { id, period } = request;
  if (nowMs < period.startMs || nowMs >= (period.endMs ?? Number.POSITIVE_INFINITY)) return { status: 'clock', nowMs };
  const counter = currentCounter(counters, request);
  counters.set(id, counter);
  takeSeed(counter, request);
  const isSamePeriod = request.spentIn === counter.periodStartMs;
  const { generation } = counter;
  if (isSamePeriod && request.generation !== '' && request.generation !== generation) {
    return { status: 'generation', generation, nowMs };
  }
  const share = counter.shares.get(request.holder) ?? { spent: 0, held: 0, leaseEndsMs: 0, sequence: 0 };
  if (request.sequence <= share.sequence) return { status: 'failed', isApplied: false };
  counter.shares.set(request.holder, share);
  share.sequence = request.sequence;
  share.held = 0;
  share.leaseEndsMs = nowMs + request.leaseMs;
  if (isSamePeriod) share.spent = Math.max(share.spent, request.spent);
  const { total, heldByOthers, holders } = sumsOf(counter, nowMs);
  if (request.leaseMs > 0) {
    const left = Math.max(request.limit - total - heldByOthers, 0);
    const kept = isSamePeriod ? Math.min(request.held, left) : 0;
    share.held = kept + grantOf(request, left - kept, holders);
  }
  const { periodStartMs } = counter;
  return { status: 'done', nowMs, periodStartMs, generation, total, held: share.held, heldByOthers, holders };
}

/** A new counter where there is none. One of an earlier period begins anew, in its generation. */
function currentCounter(counters: Counters, request: SyncRequest): Counter {
  const { period, holder, sequence } = request;
  const known = counters.get(request.id);
  if (known !== undefined && known.periodStartMs >= period.startMs) return known;
  const generation = known?.generation ?? `${holder}.${sequence}`;
  return { periodStartMs: period.startMs, generation, settled: 0, seeded: 0, shares: new Map() };
}

function takeSeed(counter: Counter, { seed }: SyncRequest): void {
  if (seed === undefined || seed.periodStartMs !== counter.periodStartMs) return;
  if (seed.generation === counter.generation) return;
  counter.seeded = Math.max(counter.seeded, seed.total);
}

/** What all have spent, and what those hold whose lease lasts. Forgets holders that are long gone. */
function sumsOf(counter: Counter, nowMs: number) {
  let spent = 0;
  let heldByOthers = 0;
  let holders = 0;
  for (const [holder, share] of counter.shares) {
    if (share.leaseEndsMs + FORGET_AFTER_MS < nowMs) {
      counter.shares.delete(holder);
      counter.settled = Math.min(counter.settled + share.spent, MAX_AMOUNT);
      continue;
    }
    spent += share.spent;
    if (share.leaseEndsMs <= nowMs) continue;
    holders += 1;
    heldByOthers += share.held; // that of the request is 0 here
  }
  return { total: Math.min(counter.settled + counter.seeded + spent, MAX_AMOUNT), heldByOthers, holders };
}

/** Near the end exactly what is needed: what would be less than another request of that size is left to others. */
function grantOf({ more, spare }: SyncRequest, left: number, holders: number): number {
  if (more >= left) return left;
  const extra = Math.floor((left - more) / (SPARE_PARTS * Math.max(holders, 1)));
  return spare && extra >= more ? more + extra : more;
}

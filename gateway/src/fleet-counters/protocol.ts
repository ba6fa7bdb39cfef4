/**
 * What sidecars ask a fleet to count: docs/behaviour/sidecars.md#limits-and-budgets. Counters are named, limits are not: the fleet has them in its
 * own Snapshot. A pod can add to counters, and never takes anything from them.
 */
import { z } from 'zod';
import { MAX_AMOUNT } from '../budgets/index.ts';

/** Where the fleet answers: `POST`, with the token of the pod in `x-gw-api-key`. */
export const COUNTERS_PATH = '/sidecars/v1/counters';

/** Of one call. */
export const MAX_BYTES: number = 256 * 1024;
/** Depth, values and bytes of a string in the JSON of a call. */
export const CALL_JSON = { depth: 6, nodes: 100_000, stringBytes: 4_096 } as const;
/** Of each kind in one call. */
export const MAX_ITEMS = 200;
/** Of one request. */
export const MAX_DEMANDS = 500;
/** No request uses more: tokens that one request may take or add. */
export const MAX_UNITS = 10_000_000;
/** How long a pod may keep its part of a budget without a word, in ms. */
export const MAX_LEASE_MS = 60_000;

const MAX_NAME = 1_000;
const name = z.string().min(1).max(MAX_NAME);
const amount = z.int().min(0).max(MAX_AMOUNT);
const moment = z.int().min(-1).max(MAX_AMOUNT);

const counter = {
  subject: name,
  unit: z.enum(['requests', 'tokens']),
  window: z.enum(['rps', 'rpm', 'rph', 'rpd', 'rpw']),
} as const;

const demand = z.strictObject({
  ...counter,
  /** Units that must be left. */
  room: z.int().min(1).max(MAX_UNITS),
  /** Units that are taken of them. */
  take: z.int().min(0).max(MAX_UNITS),
});

/** A request takes one of `requests`. */
const isPossible = ({ unit, room, take }: z.infer<typeof demand>): boolean =>
  take <= room && (unit === 'tokens' || room === 1);

const ask = z.strictObject({ demands: z.array(demand.refine(isPossible)).min(1).max(MAX_DEMANDS) });

/** Counted in the current window, whether there is room or not. One with an `id` may be sent again: it counts once. */
const addition = z.strictObject({
  ...counter,
  units: z.int().min(1).max(MAX_UNITS),
  id: z
    .string()
    .regex(/^[\w:-]{1,64}$/)
    .optional(),
});

/** A SyncRequest without what the fleet knows itself. */
const sync = z.strictObject({
  id: name,
  periodStartMs: moment,
  holder: z.string().regex(/^[\w.-]{1,64}$/),
  sequence: z.int().min(1).max(MAX_AMOUNT),
  spentIn: moment,
  spent: amount,
  held: amount,
  more: amount,
  spare: z.boolean(),
  leaseMs: z.int().min(0).max(MAX_LEASE_MS),
  generation: z.string().regex(/^[\w.-]{0,128}$/),
});

export const countersRequest = z.strictObject({
  asks: z.array(ask).max(MAX_ITEMS),
  additions: z.array(addition).max(MAX_ITEMS),
  budgets: z.array(sync).max(MAX_ITEMS),
});

export type CountersRequest = z.infer<typeof countersRequest>;
export type WireAsk = CountersRequest['asks'][number];
export type WireDemand = WireAsk['demands'][number];
export type WireAddition = CountersRequest['additions'][number];
export type WireSync = CountersRequest['budgets'][number];

const count = z.int().min(0);

/** `windows`: by demand; null where the fleet has no such counter. */
const askReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('granted'),
    windows: z.array(z.object({ remaining: count, resetMs: count }).nullable()),
  }),
  z.object({ status: z.literal('denied'), at: count, remaining: count, retryAfterMs: count }),
  z.object({ status: z.literal('failed') }),
]);

const syncReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('done'),
    nowMs: count,
    periodStartMs: count,
    generation: z.string(),
    total: count,
    held: count,
    heldByOthers: count,
    holders: count,
  }),
  z.object({ status: z.literal('clock'), nowMs: count }),
  z.object({ status: z.literal('generation'), generation: z.string(), nowMs: count }),
  z.object({ status: z.literal('failed'), isApplied: z.boolean() }),
  z.object({ status: z.literal('unknown') }),
]);

/** In the order of the request. */
export const countersReply = z.object({ asks: z.array(askReply), budgets: z.array(syncReply) });

export type WireAskReply = z.infer<typeof askReply>;
export type WireSyncReply = z.infer<typeof syncReply>;

export interface CountersReply {
  readonly asks: readonly WireAskReply[];
  readonly budgets: readonly WireSyncReply[];
}

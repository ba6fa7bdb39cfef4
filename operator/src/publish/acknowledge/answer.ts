/** The answer of a gateway about the Snapshot it serves: `GET /internal/snapshot` of its admin listener. */
import { parseJson } from '@gatehouse/crds';
import type { Revision } from '@gatehouse/crds/snapshot';
import { z } from 'zod';

/** Longest text of a reason that is kept, in characters. */
const MAX_REASON = 1_000;
/** A gateway names 20 skipped entries. */
const MAX_SKIPPED = 100;

const reason = z.string().transform((text) => text.slice(0, MAX_REASON));

const count = z.int().min(0);
const epoch = count.default(0);

/** Longest text of a member of `limits`, in characters. */
const MAX_NAME = 128;
const name = z.string().max(MAX_NAME);

/** `counted`: where, as in the state of the gateway's limits. */
const limits = z.object({ counted: name, reason: name.optional(), store: name.optional() });

const answer = z.object({
  version: count.optional(),
  epoch,
  digest: z.string().max(MAX_REASON).optional(),
  changes: count.optional(),
  entries: z.int().default(0),
  rejected: z.object({ epoch, version: count, entry: z.string().optional(), reason }).optional(),
  skipped: z
    .array(z.object({ id: z.string(), reason }))
    .max(MAX_SKIPPED)
    .default([]),
  limits: limits.optional(),
});

/** A version that a pod refused as a whole; `entry` is the id of the entry that caused it, if there is one. */
export interface RejectedVersion extends Revision {
  readonly entry?: string | undefined;
  readonly reason: string;
}

/** An entry that a pod cannot use and leaves out. */
export interface SkippedEntry {
  readonly id: string;
  readonly reason: string;
}

export interface PodAnswer {
  /** The version it serves; undefined before its first Snapshot. */
  readonly version?: number | undefined;
  readonly epoch: number;
  /** The digest of the content it serves; undefined from a gateway of a release without digests. */
  readonly digest?: string | undefined;
  /** Loads and refusals since the process began; undefined from a gateway of a release without the count. */
  readonly changes?: number | undefined;
  readonly entries: number;
  /** The newest refused version, if none was loaded since. */
  readonly rejected?: RejectedVersion | undefined;
  readonly skipped: readonly SkippedEntry[];
  /** Undefined where the pod counts limits by itself, by intent. */
  readonly limits?: PodLimits | undefined;
}

/** Where a pod counts limits. */
export interface PodLimits {
  /** `shared`, `local` or `refused`. */
  readonly counted: string;
  /** Why it does not use its Redis. */
  readonly reason?: string | undefined;
  /** Identifies the Redis among others. */
  readonly store?: string | undefined;
}

/** Undefined for anything that is not such an answer. */
export function parseAnswer(text: string): PodAnswer | undefined {
  try {
    return answer.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}

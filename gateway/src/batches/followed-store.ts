/** Where it is kept which batches at providers are followed, and which rows of outputs were counted: docs/behaviour/cost.md#batches-of-providers. */
import { z } from 'zod';
import type { RowClaim } from '../store/index.ts';
import type { ClaimOptions } from './claims.ts';

const text = z.string().max(65_536);

export const FOLLOWED_ID = /^[0-9a-f]{64}$/;

/** A batch at a provider, as it is stored. Times are Unix times in ms. */
export const followedBatch = z.object({
  id: z.string().regex(FOLLOWED_ID),
  workspace: text,
  /** Of the account in the workspace. */
  slug: text,
  /** The provider's id. */
  batch: text,
  key: z.object({ id: text, name: text, user: text.optional() }),
  /** Slug of a saved config. */
  config: text.optional(),
  /** JSON of an object. */
  metadata: text,
  traceId: text,
  createdAt: z.int().min(0),
});
export type FollowedBatch = Readonly<z.output<typeof followedBatch>>;

/** All methods reject with StoreFailure when the store cannot be used. */
export interface FollowedStore {
  /** False: so many of the workspace are followed already. One that is there stays as it is, one that has ended is not followed again. */
  follow(batch: FollowedBatch, maxOfWorkspace: number): Promise<boolean>;
  follows(id: string): Promise<boolean>;
  /** Takes one whose time has come and that nobody works on; undefined: there is none. */
  claimFollowed(options: ClaimOptions): Promise<FollowedLease | undefined>;
  /** Rows of the output that others than the owner have counted. */
  countedRows(output: string, owner: string): Promise<number>;
  /** False: others than the owner have counted rows beyond `before`. The same claim of the same owner may be made again. */
  countRows(output: string, claim: RowClaim & { readonly owner: string; readonly nowMs: number }): Promise<boolean>;
  /** Forgets which rows were counted, and which batches have ended, before that time (Unix ms). */
  forgetBefore(timeMs: number, limit: number): Promise<void>;
}

/** The right to look at a batch. Methods reject with LeaseLost when somebody else has it by now. */
export interface FollowedLease {
  readonly followed: FollowedBatch;
  /** How often it was taken, this time included. */
  readonly number: number;
  /** Keeps it. */
  renew(nowMs: number): Promise<void>;
  /** Gives it back: it is taken again after that time (Unix ms). */
  later(atMs: number): Promise<void>;
  /** It is no longer followed, and never again as long as that is known: so many are of each workspace, those that have ended last. */
  end(nowMs: number, maxOfWorkspace: number): Promise<void>;
}

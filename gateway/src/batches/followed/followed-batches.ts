/** Which batches at providers are followed, and which of their rows were counted, where calls of clients ask. */
import { hash } from 'node:crypto';
import type { BatchOfAccount, CreatedBatch, FollowedBatches } from '../../pipeline/index.ts';
import type { RowMarks } from '../../store/index.ts';
import type { FollowedBatch } from '../followed-store.ts';
import type { JobStore } from '../job-store.ts';

export interface FollowPorts {
  readonly jobs: JobStore;
  readonly logger: { warn(facts: object, message: string): void };
  /** Unix time in ms. */
  now(): number;
}

/** Batches of a workspace that are followed at the same time. */
const MAX_OF_WORKSPACE = 500;
/** Longer metadata are left out, in characters. */
const MAX_METADATA = 16_384;
/** Claims of clients are nobody's: each of them is made once. */
const CLIENT = 'client';

/** The same for all workspaces that share the account. */
const idOf = ({ account, batch }: BatchOfAccount): string => hash('sha256', JSON.stringify([account, batch]));

export function createFollowedBatches({ jobs, logger, now }: FollowPorts): FollowedBatches {
  return {
    add: async (created) => {
      const { workspace, batch } = created;
      try {
        if (await jobs.follow(toFollowed(created, now()), MAX_OF_WORKSPACE)) return;
        logger.warn(
          { workspace, batch },
          'Too many batches of providers are followed: this one is counted when its output is read',
        );
      } catch (error) {
        logger.warn(
          { err: error, workspace, batch },
          'A batch of a provider is not followed: it is counted when its output is read',
        );
      }
    },
    has: async (batch) => {
      try {
        return await jobs.follows(idOf(batch));
      } catch {
        return false; // the marks decide
      }
    },
  };
}

function toFollowed(created: CreatedBatch, createdAt: number): FollowedBatch {
  const { workspace, slug, batch, key, config, traceId } = created;
  const metadata = JSON.stringify(created.metadata);
  return {
    ...{ id: idOf(created), workspace, slug, batch, key, config, traceId, createdAt },
    metadata: metadata.length > MAX_METADATA ? '{}' : metadata,
  };
}

/** Marks in the store, and those that `otherwise` keeps while it is away. */
export const createStoredMarks = ({ jobs, now }: FollowPorts, otherwise: RowMarks): RowMarks => ({
  read: (output) => jobs.countedRows(output, '').catch(() => otherwise.read(output)),
  claim: (output, claim) => {
    const owner = `${CLIENT}-${crypto.randomUUID()}`;
    return jobs.countRows(output, { ...claim, owner, nowMs: now() }).catch(() => otherwise.claim(output, claim));
  },
});

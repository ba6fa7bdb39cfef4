/** Contents that objects have had, on their way into the database. */

import { withoutBrokenText } from '@gatehouse/crds';
import type { RevisionRow } from '@gatehouse/crds/records';
import { type Database, isAway, type Queries, WriteQueue } from '../database/index.ts';
import type { StoredObject } from '../store/index.ts';
import { contentDigest, versionId } from './version-id.ts';

type Noted = Pick<StoredObject, 'kind' | 'spec'> & { readonly meta: Pick<StoredObject['meta'], 'uid'> };

export interface Revision extends Pick<RevisionRow, 'content'> {
  readonly versionId: string;
  /** When it was seen to be current last. */
  readonly madeAt: Date;
}

export interface Revisions {
  /** Keeps the content that the object has now. Never fails, and does not wait for the database. */
  note(object: Noted): void;
  /** The object is gone, and so are its versions. */
  forget(uid: string): void;
  /** What is kept of an object, the content that was current last in front. Throws DatabaseAway. */
  list(uid: string): Promise<readonly Revision[]>;
  /** Writes what is left, once. */
  close(): Promise<void>;
}

export interface RevisionsOptions {
  readonly database: Database;
  /** Nothing is kept and nothing is read while it is false. */
  readonly isEnabled: () => boolean;
  readonly now: () => number;
  /** Told with the number of changes that were not kept: the database was away for too long, or it has refused them. */
  readonly onDropped: (count: number, refused?: unknown) => void;
  readonly maxBytes?: number;
  /** After the database was away, in ms. */
  readonly retryMs?: number;
}

/** Versions of one object; beyond it those that were current longest ago go. */
const MAX_VERSIONS = 50;
/** Of what waits, as JSON: beyond it the oldest contents go. */
const MAX_BYTES = 32 * 1024 * 1024;
const RETRY_MS = 5_000;

interface Job {
  readonly uid: string;
  /** Absent: the object is gone. */
  readonly row?: { readonly kind: string; readonly digest: string; readonly content: string; readonly madeAt: Date };
}

export function createRevisions(options: RevisionsOptions): Revisions {
  const log = new RevisionLog(options);
  return {
    note: (object) => log.note(object),
    forget: (uid) => log.forget(uid),
    list: (uid) => log.list(uid),
    close: () => log.close(),
  };
}

class RevisionLog {
  readonly #options: RevisionsOptions;
  /** The digest that was noted last, by UUID: watches tell of each write of a status. */
  readonly #last = new Map<string, string>();
  readonly #queue: WriteQueue<Job>;

  constructor(options: RevisionsOptions) {
    this.#options = options;
    this.#queue = new WriteQueue({
      write: ([job]) => options.database.use((queries) => write(queries, job)),
      sizeOf,
      isTemporary: isAway,
      onDropped: (jobs, refused) => options.onDropped(jobs.length, refused),
      maxBytes: options.maxBytes ?? MAX_BYTES,
      batch: 1, // each is compared with what is there
      retryMs: options.retryMs ?? RETRY_MS,
    });
  }

  note({ kind, meta: { uid }, spec }: Noted): void {
    if (!this.#options.isEnabled()) return;
    const digest = contentDigest({ spec });
    if (this.#last.get(uid) === digest) return;
    this.#last.set(uid, digest);
    const row = {
      kind,
      digest,
      content: withoutBrokenText(JSON.stringify(spec)),
      madeAt: new Date(this.#options.now()),
    };
    this.#queue.add({ uid, row });
  }

  forget(uid: string): void {
    this.#last.delete(uid);
    if (this.#options.isEnabled()) this.#queue.add({ uid });
  }

  async list(uid: string): Promise<readonly Revision[]> {
    if (!this.#options.isEnabled()) return [];
    await this.#queue.settled();
    const rows = await this.#options.database.use((queries) =>
      queries
        .selectFrom('revisions')
        .select(['digest', 'content', 'made_at'])
        .where('object_uid', '=', uid)
        .orderBy('ordinal', 'desc')
        .orderBy('made_at', 'desc')
        .limit(MAX_VERSIONS)
        .execute(),
    );
    return rows.map(({ digest, content, made_at }) => ({
      versionId: versionId(uid, digest),
      content,
      madeAt: made_at,
    }));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/** With what a job takes besides its content. */
const sizeOf = ({ row }: Job): number => 200 + (row?.content.length ?? 0);

async function write(queries: Queries, job: Job | undefined): Promise<void> {
  if (job === undefined) return;
  const { uid, row } = job;
  if (row !== undefined) return keep(queries, { uid, ...row });
  await queries.deleteFrom('revisions').where('object_uid', '=', uid).execute();
}

/** A content that was current before becomes the newest again. Replicas note the same one: it is kept once. */
async function keep(
  queries: Queries,
  { uid, kind, digest, content, madeAt }: { readonly uid: string } & NonNullable<Job['row']>,
): Promise<void> {
  const newest = await queries
    .selectFrom('revisions')
    .select(['digest', 'ordinal'])
    .where('object_uid', '=', uid)
    .orderBy('ordinal', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest?.digest === digest) return;
  const ordinal = (newest?.ordinal ?? 0) + 1;
  await queries
    .insertInto('revisions')
    .values({ object_uid: uid, kind, digest, content, ordinal, made_at: madeAt })
    .onConflict((conflict) => conflict.columns(['object_uid', 'digest']).doUpdateSet({ ordinal, made_at: madeAt }))
    .execute();
  await queries
    .deleteFrom('revisions')
    .where('object_uid', '=', uid)
    .where('ordinal', '<=', ordinal - MAX_VERSIONS)
    .execute();
}

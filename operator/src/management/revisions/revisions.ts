/** Contents that objects have had, on their way into the database. */
import type { RevisionRow } from '@gatehouse/crds/records';
import type { Database, Queries } from '../database/index.ts';
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
  /** Told with the number of contents that were not kept because the database was away for too long. */
  readonly onDropped: (count: number) => void;
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
  readonly #jobs: Job[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: RevisionsOptions) {
    this.#options = options;
  }

  note({ kind, meta: { uid }, spec }: Noted): void {
    if (!this.#options.isEnabled()) return;
    const digest = contentDigest({ spec });
    if (this.#last.get(uid) === digest) return;
    this.#last.set(uid, digest);
    const row = { kind, digest, content: JSON.stringify(spec), madeAt: new Date(this.#options.now()) };
    this.#add({ uid, row });
  }

  forget(uid: string): void {
    this.#last.delete(uid);
    if (this.#options.isEnabled()) this.#add({ uid });
  }

  async list(uid: string): Promise<readonly Revision[]> {
    if (!this.#options.isEnabled()) return [];
    await this.#writing;
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

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#writing;
    await this.#writeAll().catch(() => undefined); // the database is away: there is nobody left to wait for it
  }

  #add(job: Job): void {
    this.#jobs.push(job);
    this.#bytes += sizeOf(job);
    let dropped = 0;
    while (this.#bytes > (this.#options.maxBytes ?? MAX_BYTES) && this.#jobs.length > 1) {
      this.#shift();
      dropped += 1;
    }
    if (dropped > 0) this.#options.onDropped(dropped);
    this.#flush();
  }

  #shift(): void {
    const job = this.#jobs.shift();
    if (job !== undefined) this.#bytes -= sizeOf(job);
  }

  #flush(): void {
    if (this.#writing !== undefined || this.#retry !== undefined || this.#isClosed) return;
    this.#writing = this.#writeAll()
      .catch(() => {
        if (this.#isClosed) return;
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#flush();
        }, this.#options.retryMs ?? RETRY_MS).unref();
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#jobs.length > 0) this.#flush();
      });
  }

  async #writeAll(): Promise<void> {
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      const { uid, row } = job;
      await this.#options.database.use((queries) =>
        row === undefined ? remove(queries, uid) : keep(queries, { uid, ...row }),
      );
      if (this.#jobs[0] === job) this.#shift(); // it may have been dropped meanwhile
    }
  }
}

/** With what a job takes besides its content. */
const sizeOf = ({ row }: Job): number => 200 + (row?.content.length ?? 0);

async function remove(queries: Queries, uid: string): Promise<void> {
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

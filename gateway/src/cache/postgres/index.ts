/** Vectors of prompts in PostgreSQL with pgvector: docs/behaviour/caching.md#answers-to-similar-prompts. */
import { createHash } from 'node:crypto';
import type { PostgresOptions } from '@gatehouse/crds/sql';
import {
  createDatabase,
  type Database,
  type OpenDatabase,
  postgresDialect,
  type StoreBreaker,
} from '../../store/index.ts';
import type { Neighbour, VectorEntry, VectorStore } from '../semantic/index.ts';
import { MIGRATIONS } from './migrations.generated.ts';

export interface PostgresVectorsOptions extends PostgresOptions {
  /** Unix time in ms. */
  now(): number;
  /** Reports errors of the database and skips it while it is failing. */
  readonly storeBreaker: StoreBreaker;
  /** Where vectors are as long as the database cannot be used. */
  readonly otherwise: VectorStore;
  /** Told when it begins to be used, and why it cannot be; not again while nothing changes. */
  onState(state: VectorsState): void;
  /** Vectors of a partition that are kept; about so many. */
  readonly maxVectors?: number;
}

/** `extension`: the server lacks pgvector, or the user may not create it. */
export type VectorsState = 'used' | { readonly unused: 'extension' | 'database'; readonly cause: unknown };

export interface PostgresVectors extends VectorStore {
  close(): Promise<void>;
}

const SCHEMA = 'gateway_cache';
const LOCK = 4_028_717_617;
const MAX_VECTORS = 10_000;
/** A request waits no longer. */
const WAIT_MS = 2_000;
/** Until a database that could not be opened is tried again. */
const RETRY_MS = 30_000;
/** Writes under way; beyond it vectors are not kept. */
const MAX_PENDING = 256;
/** Every so many writes, what is over the bounds is removed. */
const WRITES_PER_CLEANING = 50;
/** Rows of one removal. */
const MAX_REMOVED = 10_000;

/** Throws an Error that names the part of the URL that is wrong. Opens the database in the background. */
export function createPostgresVectors(options: PostgresVectorsOptions): PostgresVectors {
  const vectors = new SharedTable(options);
  vectors.open();
  return vectors;
}

class SharedTable implements PostgresVectors {
  readonly #options: PostgresVectorsOptions;
  readonly #database: Database;
  #isOpen = false;
  #isClosed = false;
  #told = '';
  #retry: NodeJS.Timeout | undefined;
  #pending = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #writes = 0;

  constructor(options: PostgresVectorsOptions) {
    const { url, ca } = options;
    this.#options = options;
    this.#database = createDatabase({
      dialect: postgresDialect({ url, ca, waitMs: WAIT_MS }),
      ...{ schema: SCHEMA, migrations: MIGRATIONS, lock: LOCK },
    });
  }

  open(): void {
    void this.#database
      .use(async () => undefined)
      .then(
        () => {
          this.#isOpen = true;
          this.#tell('used');
        },
        (cause: unknown) => {
          this.#tell({ unused: isExtensionMissing(cause) ? 'extension' : 'database', cause });
          if (!this.#isClosed) this.#retry = setTimeout(() => this.open(), RETRY_MS).unref();
        },
      );
  }

  async nearest(partition: string, vector: Float32Array, least: number): Promise<Neighbour | undefined> {
    const { otherwise, storeBreaker, now } = this.#options;
    if (!this.#isOpen) return otherwise.nearest(partition, vector, least);
    const nowMs = now();
    const found = await storeBreaker.attempt(() =>
      this.#database.use((opened) => nearestRow(opened, { partition: digestOf(partition), vector, nowMs })),
    );
    if (!found.ok) return otherwise.nearest(partition, vector, least);
    const row = found.value;
    if (row === undefined || row.similarity < least) return undefined;
    const ttlSeconds = Math.max(0, Math.floor((Number(row.expires_at) - nowMs) / 1_000));
    return { key: row.key, similarity: row.similarity, ttlSeconds };
  }

  set(partition: string, entry: VectorEntry): void {
    const { otherwise, now, maxVectors = MAX_VECTORS } = this.#options;
    if (!this.#isOpen) {
      otherwise.set(partition, entry);
      return;
    }
    const nowMs = now();
    const digest = digestOf(partition);
    this.#writes += 1;
    const cleans = this.#writes % WRITES_PER_CLEANING === 0;
    this.#write(async (opened) => {
      await insert(opened, { partition: digest, entry, nowMs });
      if (cleans) await removeOld(opened, { partition: digest, maxVectors, nowMs });
    });
  }

  delete(partition: string, key: string): void {
    this.#options.otherwise.delete(partition, key);
    if (!this.#isOpen) return;
    this.#write(async ({ queries, sql }) => {
      await sql`
        delete from gateway_cache.vectors where partition = ${digestOf(partition)} and key = ${key}
      `.execute(queries);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#lastWrite;
    await this.#database.close();
  }

  /** In their order: what is forgotten was not written after it. */
  #write(work: (opened: OpenDatabase) => Promise<void>): void {
    if (this.#pending >= MAX_PENDING) return;
    this.#pending += 1;
    this.#lastWrite = this.#lastWrite
      .then(() => this.#options.storeBreaker.attempt(() => this.#database.use(work)))
      .finally(() => {
        this.#pending -= 1;
      });
  }

  #tell(state: VectorsState): void {
    const told = state === 'used' ? state : state.unused;
    if (told === this.#told || this.#isClosed) return;
    this.#told = told;
    this.#options.onState(state);
  }
}

interface Row {
  readonly key: string;
  readonly similarity: number;
  /** Numbers of 64 bits are texts. */
  readonly expires_at: string;
}

/** The search is exact. Vectors of another model have another partition, and may have other dimensions where it was changed. */
async function nearestRow(
  { queries, sql }: OpenDatabase,
  { partition, vector, nowMs }: { readonly partition: string; readonly vector: Float32Array; readonly nowMs: number },
): Promise<Row | undefined> {
  const asked = toText(vector);
  const { rows } = await sql<Row>`
    select key, 1 - (embedding <=> ${asked}::vector) as similarity, expires_at
    from gateway_cache.vectors
    where partition = ${partition} and expires_at > ${nowMs}::bigint and vector_dims(embedding) = ${vector.length}::integer
    order by embedding <=> ${asked}::vector limit 1
  `.execute(queries);
  return rows[0];
}

async function insert(
  { queries, sql }: OpenDatabase,
  { partition, entry, nowMs }: { readonly partition: string; readonly entry: VectorEntry; readonly nowMs: number },
): Promise<void> {
  const expiresAtMs = Math.round(nowMs + entry.ttlSeconds * 1_000);
  await sql`
    insert into gateway_cache.vectors (partition, key, embedding, expires_at)
    values (${partition}, ${entry.key}, ${toText(entry.vector)}::vector, ${expiresAtMs}::bigint)
    on conflict (partition, key) do update set embedding = excluded.embedding, expires_at = excluded.expires_at
  `.execute(queries);
}

/** What has expired anywhere, and of the partition what expires first. */
async function removeOld(
  { queries, sql }: OpenDatabase,
  { partition, maxVectors, nowMs }: { readonly partition: string; readonly maxVectors: number; readonly nowMs: number },
): Promise<void> {
  await sql`
    delete from gateway_cache.vectors where (partition, key) in (
      select partition, key from gateway_cache.vectors where expires_at <= ${nowMs}::bigint limit ${MAX_REMOVED}::integer
    )
  `.execute(queries);
  await sql`
    delete from gateway_cache.vectors where partition = ${partition} and key in (
      select key from gateway_cache.vectors where partition = ${partition}
      order by expires_at desc, key offset ${maxVectors}::integer limit ${MAX_REMOVED}::integer
    )
  `.execute(queries);
}

const digestOf = (partition: string): string => createHash('sha256').update(partition).digest('hex');

/** As pgvector reads it. */
const toText = (vector: Float32Array): string => `[${vector.join(',')}]`;

/** Codes of PostgreSQL: the extension is not there (two versions of it), may not be created, or its type is in no schema that is searched. */
const MISSING: ReadonlySet<unknown> = new Set(['0A000', '58P01', '42501', '42704']);

const isExtensionMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && MISSING.has(error.code);

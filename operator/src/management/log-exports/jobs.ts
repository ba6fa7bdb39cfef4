/** Exports and their parts in the database. Every change of one that runs belongs to a lease. */
import type { ExportPlace, ExportProgress, ExportRow } from '@gatehouse/crds/logs';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Database, LogTables } from '../database/index.ts';

/** What the database fills in is left out. */
export type NewExport = Omit<
  ExportRow,
  | 'status'
  | 'problem'
  | 'total_records'
  | 'bytes'
  | 'parts'
  | 'progress'
  | 'lease_number'
  | 'lease_until'
  | 'started_at'
>;

/** Exports of a workspace; `creator`: those of one person or key. */
export interface ExportScope {
  /** Slugs; undefined: of all. */
  readonly workspaces: readonly string[] | undefined;
  readonly creator: string | undefined;
}

/** Rows as lines, packed. */
export interface ExportPart {
  readonly content: Uint8Array;
  readonly records: number;
  /** The last row in it. */
  readonly before: ExportPlace;
}

export interface LeasedExport {
  readonly row: ExportRow;
  /** Bytes of all other exports of its workspace. */
  readonly otherBytes: number;
}

export interface ExportJobs {
  /** False: the workspace has as many as it may. */
  create(row: NewExport, maxOfWorkspace: number): Promise<boolean>;
  find(id: string, scope: ExportScope): Promise<ExportRow | undefined>;
  /** The newest first. */
  list(
    scope: ExportScope,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly rows: readonly ExportRow[]; readonly total: number }>;
  /** Of a draft. False: it is none any more. */
  edit(id: string, change: Pick<ExportRow, 'filters' | 'fields' | 'max_records'>, at: Date): Promise<boolean>;
  /** Of a draft, or anew of one that has failed: what it had found goes. False: it is neither. */
  start(id: string, progress: ExportProgress, at: Date): Promise<boolean>;
  /** False: it has ended already. */
  stop(id: string, at: Date): Promise<boolean>;
  /** Takes up the open export that has waited longest; undefined: none is free. */
  lease(leaseMs: number): Promise<LeasedExport | undefined>;
  /** Adds a part and renews the lease. False: the lease is lost, and nothing was written. */
  addPart(lease: ExportRow, part: ExportPart, leaseMs: number): Promise<boolean>;
  /** Gives the lease back: others go on. */
  release(lease: ExportRow): Promise<void>;
  end(lease: ExportRow, status: 'success' | 'failed', problem: string | null, at: Date): Promise<void>;
  /** Undefined: there is no such part. */
  part(id: string, part: number): Promise<Uint8Array | undefined>;
  /** Those that ended, or were left, before an instant; at most `limit`. The number that went. */
  deleteBefore(at: Date, limit: number): Promise<number>;
}

type Row = Selectable<LogTables['exports']>;

const toExport = (row: Row): ExportRow => ({
  ...row,
  max_records: Number(row.max_records),
  total_records: Number(row.total_records),
  bytes: Number(row.bytes),
  lease_number: Number(row.lease_number),
});

const OPEN = ['draft', 'in_progress'] as const;

export function createExportJobs(database: Database<LogTables>): ExportJobs {
  return {
    create: (row, most) => database.use((queries) => create(queries, row, most)),
    find: (id, scope) =>
      database.use(async (queries) => {
        const found = await scoped(queries, scope).where('id', '=', id).selectAll().executeTakeFirst();
        return found && toExport(found);
      }),
    list: (scope, { limit, offset }) =>
      database.use(async (queries) => {
        const all = scoped(queries, scope);
        const { count } = await all.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
        const page = all.selectAll().orderBy('created_at', 'desc').orderBy('id').limit(limit).offset(offset);
        return { rows: (await page.execute()).map(toExport), total: Number(count) };
      }),
    edit: (id, { filters, fields, max_records }, at) =>
      changed(database, (queries) =>
        queries
          .updateTable('exports')
          .set({ filters: JSON.stringify(filters), fields: JSON.stringify(fields), max_records, updated_at: at })
          .where('id', '=', id)
          .where('status', '=', 'draft'),
      ),
    start: (id, progress, at) => database.use((queries) => start(queries, { id, progress, at })),
    stop: (id, at) =>
      changed(database, (queries) =>
        queries
          .updateTable('exports')
          .set({ status: 'stopped', updated_at: at, lease_until: null })
          .where('id', '=', id)
          .where('status', 'in', OPEN),
      ),
    lease: (leaseMs) => database.use((queries) => lease(queries, leaseMs)),
    addPart: (row, part, leaseMs) => database.use((queries) => addPart(queries, { row, part, leaseMs })),
    release: async (row) => {
      await changed(database, (queries) => ofLease(queries, row).set({ lease_until: null }));
    },
    end: async (row, status, problem, at) => {
      await changed(database, (queries) =>
        ofLease(queries, row).set({ status, problem, updated_at: at, lease_until: null }),
      );
    },
    part: (id, part) =>
      database.use(async (queries) => {
        const found = queries.selectFrom('export_parts').select('content').where('export_id', '=', id);
        return (await found.where('part', '=', part).executeTakeFirst())?.content;
      }),
    deleteBefore: (at, limit) => database.use((queries) => deleteBefore(queries, at, limit)),
  };
}

type Queries = Kysely<LogTables>;

function scoped(queries: Queries, { workspaces, creator }: ExportScope) {
  const all = queries.selectFrom('exports');
  const own = workspaces === undefined ? all : all.where('workspace', 'in', [...workspaces]);
  return creator === undefined ? own : own.where('created_by', '=', creator);
}

interface Change {
  executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }>;
}

const changed = (database: Database<LogTables>, change: (queries: Queries) => Change): Promise<boolean> =>
  database.use(async (queries) => (await change(queries).executeTakeFirst()).numUpdatedRows > 0n);

/** One at a time for a workspace, so that they are counted. */
const create = (queries: Queries, row: NewExport, most: number): Promise<boolean> =>
  queries.transaction().execute(async (transaction) => {
    const { sql } = await import('kysely');
    await sql`select pg_advisory_xact_lock(hashtextextended(${`exports ${row.workspace}`}, 0))`.execute(transaction);
    const { count } = await transaction
      .selectFrom('exports')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('workspace', '=', row.workspace)
      .executeTakeFirstOrThrow();
    if (Number(count) >= most) return false;
    const { filters, fields, ...rest } = row;
    const json = { filters: JSON.stringify(filters), fields: JSON.stringify(fields) };
    await transaction
      .insertInto('exports')
      .values({ ...rest, ...json, status: 'draft', total_records: 0, problem: null })
      .execute();
    return true;
  });

interface Start {
  readonly id: string;
  readonly progress: ExportProgress;
  readonly at: Date;
}

const start = (queries: Queries, { id, progress, at }: Start): Promise<boolean> =>
  queries.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('exports')
      .set({ status: 'in_progress', problem: null, started_at: at, updated_at: at, lease_until: null })
      .set({ progress: JSON.stringify(progress), total_records: 0, bytes: 0, parts: 0 })
      .where('id', '=', id)
      .where('status', 'in', ['draft', 'failed'])
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await transaction.deleteFrom('export_parts').where('export_id', '=', id).execute();
    return true;
  });

/** By the clock of the database, which is the same for all processes. */
const lease = (queries: Queries, leaseMs: number): Promise<LeasedExport | undefined> =>
  queries.transaction().execute(async (transaction) => {
    const { sql } = await import('kysely');
    const free = await transaction
      .selectFrom('exports')
      .selectAll()
      .where('status', '=', 'in_progress')
      .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<', sql<Date>`now()`)]))
      .orderBy('updated_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (free === undefined) return undefined;
    const number = Number(free.lease_number) + 1;
    await transaction
      .updateTable('exports')
      .set({ lease_number: number, lease_until: inMs(sql, leaseMs), updated_at: sql`now()` })
      .where('id', '=', free.id)
      .execute();
    const { bytes } = await transaction
      .selectFrom('exports')
      .select(({ fn }) => fn.sum('bytes').as('bytes'))
      .where('workspace', '=', free.workspace)
      .where('id', '<>', free.id)
      .executeTakeFirstOrThrow();
    return { row: { ...toExport(free), lease_number: number }, otherBytes: Number(bytes ?? 0) };
  });

type Sql = typeof import('kysely')['sql'];
const inMs = (sql: Sql, ms: number) => sql<Date>`now() + ${ms}::float8 * interval '1 millisecond'`;

/** Nobody else has taken it up since, and it was not stopped. */
const ofLease = (queries: Queries | Transaction<LogTables>, { id, lease_number }: ExportRow) =>
  queries
    .updateTable('exports')
    .where('id', '=', id)
    .where('lease_number', '=', lease_number)
    .where('status', '=', 'in_progress');

interface Addition {
  readonly row: ExportRow;
  readonly part: ExportPart;
  readonly leaseMs: number;
}

const addPart = (queries: Queries, { row, part, leaseMs }: Addition): Promise<boolean> =>
  queries.transaction().execute(async (transaction) => {
    const { sql } = await import('kysely');
    const { content, records, before } = part;
    const { numUpdatedRows } = await ofLease(transaction, row)
      .set({
        progress: sql`jsonb_set(progress, '{before}', ${JSON.stringify(before)}::jsonb)`,
        total_records: sql`total_records + ${records}::bigint`,
        bytes: sql`bytes + ${content.length}::bigint`,
        parts: sql`parts + 1`,
        ...{ lease_until: inMs(sql, leaseMs), updated_at: sql`now()` },
      })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await sql`insert into gateway_logs.export_parts (export_id, part, content)
      select id, parts - 1, ${content} from gateway_logs.exports where id = ${row.id}`.execute(transaction);
    return true;
  });

const deleteBefore = async (queries: Queries, at: Date, limit: number): Promise<number> => {
  const old = queries
    .selectFrom('exports')
    .select('id')
    .where('updated_at', '<', at)
    .where('status', '<>', 'in_progress')
    .orderBy('updated_at')
    .limit(limit);
  const { numDeletedRows } = await queries.deleteFrom('exports').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
};

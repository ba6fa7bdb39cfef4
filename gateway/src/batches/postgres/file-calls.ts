/** Which files there are. */
import type { Sql } from 'kysely';
import type { JobStore } from '../job-store.ts';
import { type StoredFile, storedFile } from '../records.ts';
import type { BatchDatabase } from './database.ts';

export type FileCalls = Pick<JobStore, 'addFile' | 'completeFile' | 'file' | 'files' | 'removeFile' | 'staleFiles'>;

/** Numbers of 64 bits are texts. */
interface FileRow {
  readonly id: string;
  readonly workspace: string;
  readonly filename: string;
  readonly purpose: string;
  readonly bytes: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly status: string;
}

const toFile = (row: FileRow): StoredFile =>
  storedFile.parse({
    id: row.id,
    workspace: row.workspace,
    filename: row.filename,
    purpose: row.purpose,
    bytes: Number(row.bytes),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    status: row.status,
  });

export const fileCalls = (database: BatchDatabase): FileCalls => ({
  addFile: (file, maxFiles) =>
    database.use(({ queries, sql }) =>
      queries.transaction().execute(async (transaction) => {
        await lockWorkspace(sql, file.workspace).execute(transaction);
        const { numAffectedRows = 0n } = await sql`
          insert into gateway_batches.files (id, workspace, filename, purpose, bytes, created_at, expires_at, status)
          select ${file.id}, ${file.workspace}, ${file.filename}, ${file.purpose}, ${file.bytes}::bigint,
            ${file.createdAt}::bigint, ${file.expiresAt}::bigint, ${file.status}
          where (select count(*) from gateway_batches.files where workspace = ${file.workspace}) < ${maxFiles}::bigint
        `.execute(transaction);
        return numAffectedRows > 0n;
      }),
    ),
  completeFile: (file) =>
    database.use(async ({ queries, sql }) => {
      await sql`
        update gateway_batches.files
        set filename = ${file.filename}, bytes = ${file.bytes}::bigint, expires_at = ${file.expiresAt}::bigint, status = 'processed'
        where id = ${file.id} and workspace = ${file.workspace}
      `.execute(queries);
    }),
  file: (workspace, id) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql<FileRow>`
        select * from gateway_batches.files where id = ${id} and workspace = ${workspace} and status = 'processed'
      `.execute(queries);
      return rows.map(toFile)[0];
    }),
  files: (workspace, { limit, after, order = 'desc', purpose }) =>
    database.use(async ({ queries, sql }) => {
      const isDescending = order === 'desc';
      const { rows } = await sql<FileRow>`
        select * from gateway_batches.files
        where workspace = ${workspace} and status = 'processed'
          and (${purpose ?? null}::text is null or purpose = ${purpose ?? null})
          and ${behind(sql, { table: 'files', workspace, after, isDescending })}
        order by created_at ${sql.raw(order)}, id ${sql.raw(order)}
        limit ${limit + 1}
      `.execute(queries);
      return { items: rows.slice(0, limit).map(toFile), hasMore: rows.length > limit };
    }),
  removeFile: (workspace, id) =>
    database.use(async ({ queries, sql }) => {
      const { numAffectedRows = 0n } = await sql`
        delete from gateway_batches.files where id = ${id} and workspace = ${workspace}
      `.execute(queries);
      return numAffectedRows > 0n;
    }),
  staleFiles: (nowMs, pendingBefore, limit) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql<FileRow>`
        select * from gateway_batches.files
        where expires_at <= ${nowMs}::bigint or (status = 'pending' and created_at < ${pendingBefore}::bigint)
        order by expires_at limit ${limit}
      `.execute(queries);
      return rows.map(toFile);
    }),
});

/** Until the end of the transaction: those who count before they add wait for each other. */
export const lockWorkspace = (sql: Sql, workspace: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${workspace}, ${sql.lit(WORKSPACE_LOCKS)}))`;

const WORKSPACE_LOCKS = 402_871;

interface Position {
  readonly table: 'files' | 'batches';
  readonly workspace: string;
  readonly after: string | undefined;
  readonly isDescending: boolean;
}

/** The rows behind the one of an id, which is one of the workspace; none where it is not there. */
export function behind(sql: Sql, { table, workspace, after, isDescending }: Position) {
  if (after === undefined) return sql`true`;
  const sign = sql.raw(isDescending ? '<' : '>');
  return sql`(created_at, id) ${sign} (
    select created_at, id from ${sql.table(`gateway_batches.${table}`)} where id = ${after} and workspace = ${workspace}
  )`;
}

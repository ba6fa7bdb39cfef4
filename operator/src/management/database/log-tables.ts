/** The tables of the request log as queries see them, and where they are. */
import { type ExportRow, type FeedbackRow, LOG_LOCK, LOG_SCHEMA, MIGRATIONS } from '@gatehouse/crds/logs';
import { migrate } from '@gatehouse/crds/sql';
import type { ColumnType } from 'kysely';
import type { Database, Queries } from './database.ts';

type Json<T> = ColumnType<T, string, string>;
/** Large numbers come as texts. */
type Large = ColumnType<string | number, number, number>;
/** One that the database begins with 0. */
type Counted<T = string | number> = ColumnType<T, number | undefined, number>;

type ExportJson = 'filters' | 'fields' | 'progress';
type ExportCounts = 'max_records' | 'total_records' | 'bytes' | 'parts' | 'lease_number';

export interface LogTables {
  readonly feedback: Omit<FeedbackRow, 'metadata'> & { readonly metadata: Json<FeedbackRow['metadata']> };
  readonly exports: Omit<ExportRow, ExportJson | ExportCounts> & {
    readonly filters: Json<ExportRow['filters']>;
    readonly fields: Json<ExportRow['fields']>;
    readonly progress: ColumnType<ExportRow['progress'], string | null, string | null>;
    readonly max_records: Large;
    readonly total_records: Large;
    readonly bytes: Counted;
    readonly parts: Counted<number>;
    readonly lease_number: Counted;
  };
  readonly export_parts: { readonly export_id: string; readonly part: number; readonly content: Uint8Array };
}

/** The tables in a database that has others, too. The first call brings them up to date. */
export function logTablesIn(database: Database): Database<LogTables> {
  let migrating: Promise<void> | undefined;
  return {
    use: (work) =>
      database.use(async (queries) => {
        migrating ??= import('kysely').then(({ sql }) =>
          migrate(queries, sql, { migrations: MIGRATIONS, schema: LOG_SCHEMA, lock: LOG_LOCK }),
        );
        try {
          await migrating;
        } catch (error) {
          migrating = undefined;
          throw error;
        }
        return work(queries.withSchema(LOG_SCHEMA) as unknown as Queries<LogTables>); // of the schema, see above
      }),
    isOpen: () => database.isOpen(),
    exists: () => database.exists(),
    close: async () => undefined, // whoever opened the database closes it
  };
}

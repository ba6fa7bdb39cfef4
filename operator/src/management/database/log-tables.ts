/** The tables of the request log as queries see them, and where they are. */
import { type FeedbackRow, LOG_LOCK, LOG_SCHEMA, MIGRATIONS } from '@gatehouse/crds/logs';
import { migrate } from '@gatehouse/crds/sql';
import type { ColumnType } from 'kysely';
import type { Database, Queries } from './database.ts';

type Json<T> = ColumnType<T, string, string>;

export interface LogTables {
  readonly feedback: Omit<FeedbackRow, 'metadata'> & { readonly metadata: Json<FeedbackRow['metadata']> };
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

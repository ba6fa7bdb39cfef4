/** The tables of files and batches in PostgreSQL, opened by the first query. */
import type { PostgresOptions } from '@gatehouse/crds/sql';
import { StoreFailure } from '../../object-storage/index.ts';
import { createDatabase, type Database, type OpenDatabase, postgresDialect } from '../../store/index.ts';
import { LeaseLost } from '../claims.ts';
import { MIGRATIONS } from './migrations.generated.ts';

export type Opened = OpenDatabase;

/** Calls reject with StoreFailure, or LeaseLost where the work does. */
export type BatchDatabase = Database;

const SCHEMA = 'gateway_batches';
const LOCK = 4_028_717_616;

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function createBatchDatabase(options: PostgresOptions): BatchDatabase {
  const database = createDatabase({
    dialect: postgresDialect(options),
    ...{ schema: SCHEMA, migrations: MIGRATIONS, lock: LOCK },
  });
  return {
    close: database.close,
    use: async (work) => {
      try {
        return await database.use(work);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        throw new StoreFailure('The database of batches cannot be used', { cause: error });
      }
    },
  };
}

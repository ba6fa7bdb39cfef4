/** Queries of kysely in the database of a data folder: each connection and each transaction has it alone. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { PgliteEngine } from './pglite-engine.ts';

export async function pgliteDialect(engine: PgliteEngine): Promise<Dialect> {
  const { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } = await import('kysely');
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(engine),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createDriver(engine: PgliteEngine): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
      const { rows, affectedRows } = await engine.query(sql, parameters);
      const result = { rows: rows as R[] }; // whoever asks says what they are
      return affectedRows === undefined ? result : { ...result, numAffectedRows: BigInt(affectedRows) };
    },
    // biome-ignore lint/correctness/useYield: the interface asks for a generator
    streamQuery: async function* () {
      throw new Error('The embedded database has no streams; ask for pages');
    },
  };
  const run = async (sql: string): Promise<void> => {
    await engine.query(sql, []);
  };
  return {
    init: async () => engine.open(),
    acquireConnection: async () => {
      await engine.acquire();
      return connection;
    },
    beginTransaction: () => run('begin'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    releaseConnection: async () => engine.release(),
    destroy: () => engine.close(),
  };
}

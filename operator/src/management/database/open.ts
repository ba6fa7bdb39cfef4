import { MIGRATIONS } from '@gatehouse/crds/records';
import { migrate } from '@gatehouse/crds/sql';
import type { Dialect, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Queries<T = Tables> = Kysely<T>;

export interface Opened {
  readonly queries: Queries;
  close(): Promise<void>;
}

const SCHEMA = 'gatehouse';
const LOCK = 4_028_717_615;

/** With all tables up to date. */
export async function openDatabase(dialect: Dialect): Promise<Opened> {
  const library = await import('kysely'); // only where people are: it takes memory
  const root = new library.Kysely<Tables>({ dialect });
  try {
    await migrate(root, library.sql, { migrations: MIGRATIONS, schema: SCHEMA, lock: LOCK });
    return { queries: root.withSchema(SCHEMA), close: () => root.destroy() };
  } catch (error) {
    await root.destroy();
    throw error;
  }
}

import { MIGRATIONS } from '@gatehouse/crds/records';
import { type Migration, migrate } from '@gatehouse/crds/sql';
import type { Dialect, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Queries<T = Tables> = Kysely<T>;

/** Tables that belong together. */
export interface TableSet {
  /** For errors: completes "the database of …". */
  readonly what: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** The number that processes agree on while they change tables. */
  readonly lock: number;
}

export interface Opened<T> {
  readonly queries: Queries<T>;
  close(): Promise<void>;
}

export const PEOPLE: TableSet = {
  what: 'people',
  schema: 'gatehouse',
  migrations: MIGRATIONS,
  lock: 4_028_717_615,
};

/** With all tables up to date. */
export async function openDatabase<T>(dialect: Dialect, { schema, migrations, lock }: TableSet): Promise<Opened<T>> {
  const library = await import('kysely'); // only where people are: it takes memory
  const root = new library.Kysely<T>({ dialect });
  try {
    await migrate(root, library.sql, { migrations, schema, lock });
    return { queries: root.withSchema(schema), close: () => root.destroy() };
  } catch (error) {
    await root.destroy();
    throw error;
  }
}

import type { Dialect, Kysely } from 'kysely';
import { migrate, SCHEMA } from './migrate.ts';
import type { Tables } from './tables.ts';

export type Queries = Kysely<Tables>;

export interface Opened {
  readonly queries: Queries;
  close(): Promise<void>;
}

/** With all tables up to date. */
export async function openDatabase(dialect: Dialect): Promise<Opened> {
  const library = await import('kysely'); // only where people are: it takes memory
  const root = new library.Kysely<Tables>({ dialect });
  try {
    await migrate(root, library.sql);
    return { queries: root.withSchema(SCHEMA), close: () => root.destroy() };
  } catch (error) {
    await root.destroy();
    throw error;
  }
}

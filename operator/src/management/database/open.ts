/** Loaded when the database is first needed: the library for its queries takes memory. */
import { type Dialect, Kysely } from 'kysely';
import { migrate, SCHEMA } from './migrate.ts';
import type { Tables } from './tables.ts';

export type Queries = Kysely<Tables>;

export interface Opened {
  readonly queries: Queries;
  close(): Promise<void>;
}

/** With all tables up to date. */
export async function openDatabase(dialect: Dialect): Promise<Opened> {
  const root = new Kysely<Tables>({ dialect });
  try {
    await migrate(root);
    return { queries: root.withSchema(SCHEMA), close: () => root.destroy() };
  } catch (error) {
    await root.destroy();
    throw error;
  }
}

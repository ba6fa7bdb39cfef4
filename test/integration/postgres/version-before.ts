/** What the version before this one has in the database, and goes on doing there. */
import { createHash } from 'node:crypto';
import type { Migration } from '@gatehouse/crds/sql';
import { waitFor } from '@gatehouse/test/kit';
import { newUser } from '../../conformance/database/suite.ts';

/** Runs statements; the answer are the rows as JSON. */
type Run = (statements: string) => Promise<string>;

/** Brings an empty database to the version that had these migrations. */
export async function atVersion(schema: string, migrations: readonly Migration[], run: Run): Promise<void> {
  await run(`create schema ${schema}`);
  await run(
    `create table ${schema}.migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
  );
  for (const { name, sql } of migrations) {
    const sha256 = createHash('sha256').update(sql).digest('hex');
    await run(sql);
    await run(`insert into ${schema}.migrations (name, sha256) values ('${name}', '${sha256}')`);
  }
}

export interface Writer extends AsyncDisposable {
  /** Waits until so many rows have been written since the last call. */
  wrote(more: number): Promise<void>;
  end(): Promise<{ readonly failures: readonly string[]; readonly count: number }>;
}

/** Writes and reads users, one after the other, with the columns that the table has now. */
export function writeAsBefore(run: Run): Writer {
  const failures: string[] = [];
  let count = 0;
  let isEnded = false;
  const work = (async () => {
    const columns = await columnsOf(run);
    while (!isEnded) {
      try {
        const user: Record<string, unknown> = newUser();
        const values = columns.map((column) => literal(user[column])).join(', ');
        const id = literal(user['id']);
        await run(`insert into gatehouse.users (${columns.join(', ')}) values (${values})`);
        count += 1;
        const rows = await run(`select ${columns.join(', ')} from gatehouse.users where id = ${id}`);
        if (JSON.parse(rows).length !== 1) failures.push('a row was not there');
      } catch (error) {
        failures.push(String(error));
      }
    }
  })();
  const end = async () => {
    isEnded = true;
    await work;
    return { failures, count };
  };
  return {
    wrote: async (more) => {
      const before = count;
      await waitFor(() => count >= before + more || failures.length > 0, { what: `${more} more rows` });
    },
    end,
    [Symbol.asyncDispose]: async () => {
      await end();
    },
  };
}

async function columnsOf(run: Run): Promise<string[]> {
  const rows: unknown = JSON.parse(
    await run(`select column_name from information_schema.columns
      where table_schema = 'gatehouse' and table_name = 'users' order by ordinal_position`),
  );
  return (rows as { column_name: string }[]).map(({ column_name: name }) => name); // as the query names it
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  const text = value instanceof Date ? value.toISOString() : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** A database of the management API: people, invitations and audit (docs/behaviour/people.md), or the request log. */
import type { Dialect } from 'kysely';
import { type Opened, openDatabase, PEOPLE, type Queries, type TableSet } from './open.ts';
import type { Tables } from './tables.ts';

export type { Queries } from './open.ts';

export interface Database<T = Tables> {
  /**
   * Runs queries. The first call opens the database and brings its tables up to date. Throws DatabaseAway while it cannot be reached.
   */
  use<R>(work: (queries: Queries<T>) => Promise<R>): Promise<R>;
  /** Whether a call has opened it. */
  isOpen(): boolean;
  /** Whether it may hold rows: false while one in a folder was never opened. */
  exists(): boolean;
  /** Waits for calls in flight. */
  close(): Promise<void>;
}

/** The database cannot be reached, or cannot be used. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

export const isAway = (error: unknown): boolean => error instanceof DatabaseAway;

export interface DatabaseOptions {
  /** A new one for each try to open the database. */
  readonly dialect: () => Dialect | Promise<Dialect>;
  /** There is one connection: calls wait for each other. */
  readonly isSingle?: boolean;
  /** Absent: those of people. */
  readonly tables?: TableSet;
  /** Whether it may hold rows; absent: it may. */
  readonly exists?: () => boolean;
  /** Told once for each time that the database goes away. */
  readonly onAway: (error: unknown) => void;
}

/** Opens nothing yet. */
export function createDatabase<T = Tables>({
  dialect,
  isSingle = false,
  tables = PEOPLE,
  exists,
  onAway,
}: DatabaseOptions): Database<T> {
  let opening: Promise<Opened<T>> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isAway = false;
  let isClosed = false;

  const away = (error: unknown): DatabaseAway => {
    if (!isAway) onAway(error);
    isAway = true;
    return new DatabaseAway(
      `The database of ${tables.what} cannot be reached; the log of the management API says why`,
      {
        cause: error,
      },
    );
  };
  const opened = async (): Promise<Opened<T>> => {
    if (isClosed) throw new DatabaseAway('The database is closed');
    opening ??= Promise.resolve(dialect()).then((opened) => openDatabase<T>(opened, tables));
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw away(error);
    }
  };
  const run = async <R>(work: (queries: Queries<T>) => Promise<R>): Promise<R> => {
    const { queries } = await opened();
    try {
      const result = await work(queries);
      isAway = false;
      return result;
    } catch (error) {
      throw isOfConnection(error) ? away(error) : error;
    }
  };
  const inTurn = <R>(work: (queries: Queries<T>) => Promise<R>): Promise<R> => {
    const next = last.then(() => run(work));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    use: isSingle ? inTurn : run,
    isOpen: () => opening !== undefined,
    exists: () => opening !== undefined || exists === undefined || exists(),
    close: async () => {
      isClosed = true;
      await last;
      await opening?.then((database) => database.close()).catch(() => undefined); // it was never open
    },
  };
}

/** Classes and codes of SQLSTATE: connection, authorization, resources, shutdown, read-only standby. */
const AWAY = /^(08|28|53|57P|3D000|25006)/;

/** Errors of sockets have a code of the system, or none; those of statements have five characters of SQLSTATE. */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : undefined;
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) return AWAY.test(code);
  if (code !== undefined) return /^E[A-Z_]+$/.test(code);
  return /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered)/i.test(error.message);
}

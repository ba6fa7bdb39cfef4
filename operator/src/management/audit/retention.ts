/** Deletes records that are older than they are kept. */
import type { Database } from '../database/index.ts';

export interface RetentionOptions {
  readonly database: Database;
  /** Nothing is deleted while it is false. */
  readonly isEnabled: () => boolean;
  readonly days: number;
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
  readonly intervalMs?: number;
}

export interface Retention {
  /** Looks once, now. Never rejects. */
  run(): Promise<void>;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows of one statement: others wait no longer than for these. */
const SLICE = 1_000;

/** Looks every hour. */
export function createRetention(options: RetentionOptions): Retention {
  const { intervalMs = HOUR_MS } = options;
  let running: Promise<void> | undefined;
  let isClosed = false;
  const run = (): Promise<void> => {
    running ??= deleteOld(options, () => isClosed).finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void run(), intervalMs).unref();
  return {
    run,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}

async function deleteOld(
  { database, isEnabled, days, now, onFailure }: RetentionOptions,
  isClosed: () => boolean,
): Promise<void> {
  const before = new Date(now() - days * DAY_MS);
  try {
    while (!isClosed() && isEnabled()) {
      const deleted = await database.use((queries) =>
        queries
          .deleteFrom('audit_records')
          .where('id', 'in', (from) =>
            from.selectFrom('audit_records').select('id').where('at', '<', before).orderBy('at').limit(SLICE),
          )
          .executeTakeFirst(),
      );
      if (Number(deleted.numDeletedRows) < SLICE) return;
    }
  } catch (error) {
    onFailure(error);
  }
}

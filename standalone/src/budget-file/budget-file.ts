import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@gatehouse/crds';
import { type BudgetStore, type BudgetTotal, createMemoryBudgetStore, type Logger } from '@gatehouse/gateway';
import { appendRows, readRows, replaceRows } from './rows.ts';

export interface BudgetFileOptions {
  /** Created with the first total. */
  readonly folder: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** Unix time in ms. */
  readonly now?: () => number;
  /** Between two writes, in ms: so much is lost when the machine ends at once. */
  readonly writeEveryMs?: number;
}

const FILE = 'budgets.jsonl';
const WRITE_EVERY_MS = 1_000;
/** Totals in the file; the oldest ones are left out. */
const MAX_TOTALS = 200_000;
/** Rows that are superseded may outnumber the others, and by so many, before the file is written anew. */
const SLACK_ROWS = 1_000;

/**
 * Counters in memory, written to a file of the folder about once a second: each change is a line, of which the last one of a counter
 * counts. `close` writes the rest. Errors: a text about the file.
 */
export async function openBudgetFile(options: BudgetFileOptions): Promise<Result<BudgetStore, string>> {
  const { folder, logger, now = Date.now, writeEveryMs = WRITE_EVERY_MS } = options;
  const path = join(folder, FILE);
  const read = await readRows(path);
  if (!read.ok) return err(read.error);
  const { totals, damagedRows } = read.value;
  if (damagedRows > 0) logger.warn({ file: path, rows: damagedRows }, 'Lines of the file of budgets were damaged');
  const file = createWriter({ folder, path, totals, rows: read.value.rows, logger });
  const timer = setInterval(() => void file.write(), writeEveryMs).unref();
  const store = createMemoryBudgetStore({ now, maxCounters: MAX_TOTALS, totals: totals.values(), onTotal: file.note });
  return ok({
    sync: store.sync,
    close: async () => {
      clearInterval(timer);
      await file.write();
      await store.close();
    },
  });
}

interface WriterOptions extends Pick<BudgetFileOptions, 'folder' | 'logger'> {
  readonly path: string;
  /** By counter; kept up to date. */
  readonly totals: Map<string, BudgetTotal>;
  /** In the file. */
  rows: number;
}

function createWriter({ folder, path, totals, logger, ...file }: WriterOptions) {
  let changed = new Map<string, BudgetTotal>();
  let writing: Promise<void> | undefined;
  let hasFailed = false;
  let { rows } = file;

  const writeChanges = async (): Promise<void> => {
    const batch = changed;
    changed = new Map();
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (rows + batch.size > 2 * totals.size + SLACK_ROWS) {
        await replaceRows(path, totals.values());
        rows = totals.size;
      } else {
        await appendRows(path, batch.values());
        rows += batch.size;
      }
      hasFailed = false;
    } catch (error) {
      for (const [id, total] of batch) if (!changed.has(id)) changed.set(id, total);
      rows = Number.POSITIVE_INFINITY; // its last line may be torn: the next write replaces the file
      if (!hasFailed) logger.warn({ err: error, file: path }, 'File of budgets could not be written');
      hasFailed = true;
    }
  };
  return {
    note: (total: BudgetTotal): void => {
      const known = totals.get(total.id);
      if (known?.used === total.used && known.periodStartMs === total.periodStartMs) return;
      totals.delete(total.id); // so that it becomes the last
      totals.set(total.id, total);
      changed.set(total.id, total);
      const [oldest] = totals.keys();
      if (totals.size > MAX_TOTALS && oldest !== undefined) totals.delete(oldest);
    },
    /** Resolves when all that was noted before is in the file, or could not be written. */
    write: async (): Promise<void> => {
      await writing;
      if (changed.size === 0) return;
      writing = writeChanges();
      await writing;
    },
  };
}

/** The lines of the file: one JSON object per total, the last one of a counter counts. */
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, isObject, ok, parseJson, type Result } from '@gatehouse/crds';
import type { BudgetTotal } from '@gatehouse/gateway';

export interface Rows {
  /** By counter. */
  readonly totals: Map<string, BudgetTotal>;
  readonly rows: number;
  /** A torn last line, which a process leaves that was killed while it wrote, is not counted. */
  readonly damagedRows: number;
}

/** Lines that are written at once: between them other work goes on. */
const CHUNK_ROWS = 1_000;
const MODE = 0o600;

/** A file that is not there has no rows. Errors: a text about the file. */
export async function readRows(path: string): Promise<Result<Rows, string>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== 'string') {
    if (text.code === 'ENOENT') return ok({ totals: new Map(), rows: 0, damagedRows: 0 });
    return err(`${path} cannot be read (${text.code})`);
  }
  const totals = new Map<string, BudgetTotal>();
  const lines = text.split('\n');
  const torn = lines.pop() === '' ? 0 : 1;
  let damagedRows = 0;
  for (const line of lines) {
    const total = toTotal(line);
    if (total === undefined) damagedRows += 1;
    else totals.set(total.id, total);
  }
  // A torn line cannot be appended to: the next write replaces the file.
  return ok({ totals, rows: torn === 0 ? lines.length : Number.POSITIVE_INFINITY, damagedRows });
}

/** Resolves when the rows have reached the disk. */
export async function appendRows(path: string, totals: Iterable<BudgetTotal>): Promise<void> {
  await writeRows(path, 'a', totals);
}

/** The file has either its old rows or these. */
export async function replaceRows(path: string, totals: Iterable<BudgetTotal>): Promise<void> {
  const next = `${path}.new`;
  await writeRows(next, 'w', totals);
  await rename(next, path);
  await syncFolder(dirname(path));
}

async function writeRows(path: string, flag: 'a' | 'w', totals: Iterable<BudgetTotal>): Promise<void> {
  const file = await open(path, flag, MODE);
  try {
    let chunk: string[] = [];
    const flush = async (): Promise<void> => {
      await file.writeFile(chunk.join('')); // at the position of the file
      chunk = [];
    };
    for (const total of totals) if (chunk.push(`${JSON.stringify(total)}\n`) === CHUNK_ROWS) await flush();
    await flush();
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** So that a renamed file stays after the machine has lost its power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function toTotal(line: string): BudgetTotal | undefined {
  let row: unknown;
  try {
    row = parseJson(line);
  } catch {
    return undefined;
  }
  if (!isObject(row)) return undefined;
  const { id, periodStartMs, generation, used } = row;
  if (typeof id !== 'string' || typeof generation !== 'string') return undefined;
  if (!isCount(periodStartMs) || !isCount(used)) return undefined;
  return { id, periodStartMs, generation, used };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

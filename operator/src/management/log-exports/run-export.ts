/** Goes on with one export for a while. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ExportField, ExportPlace, ExportProgress, ExportRow, LogContent, LogRow } from '@gatehouse/crds/logs';
import { isAway } from '../database/index.ts';
import type { ExportJobs, ExportPart, LeasedExport } from './jobs.ts';
import { needsContent, toLine } from './lines.ts';

/** What an export reads. */
export interface ExportSource {
  /** The newest first, behind a place. `filter` is what was stored when the export was started. */
  rows(filter: unknown, before: ExportPlace | null, limit: number): Promise<readonly LogRow[]>;
  content(row: LogRow): Promise<LogContent | undefined>;
}

export interface RunOptions {
  readonly jobs: ExportJobs;
  readonly source: ExportSource;
  readonly now: () => number;
  /** Longer than a part takes, in ms. */
  readonly leaseMs: number;
  /** Of one turn, in ms: others wait for theirs. */
  readonly turnMs: number;
  /** Of one part before it is packed, about. */
  readonly partBytes: number;
  /** Rows that are read at once. */
  readonly batch: number;
  /** Of all exports of a workspace, packed. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Told what made an export fail. */
  readonly onFailure: (error: unknown) => void;
}

const pack = promisify(gzip);

/**
 * Ends, stops or gives back the export. Rejects, with the lease still held, when the database is away: whoever takes it up next goes on
 * behind the last part.
 */
export async function runExport({ row, otherBytes }: LeasedExport, options: RunOptions): Promise<void> {
  const { jobs, now } = options;
  const { progress } = row;
  const end = (problem: string | null): Promise<void> =>
    jobs.end(row, problem === null ? 'success' : 'failed', problem, new Date(now()));
  if (progress === null) return end('It was started by another version');
  try {
    const outcome = await takeTurn({ row, progress, otherBytes }, options);
    if (outcome === 'lost') return undefined;
    return outcome === 'turn' ? await jobs.release(row) : await end(outcome.problem);
  } catch (error) {
    if (isAway(error)) throw error;
    options.onFailure(error);
    return end('Its logs cannot be read; the log of the management API says why');
  }
}

/** `lost`: it was stopped, or somebody else has taken it up. `turn`: others are next. */
type Outcome = 'lost' | 'turn' | { readonly problem: string | null };

interface Turn {
  readonly row: ExportRow;
  readonly progress: ExportProgress;
  readonly otherBytes: number;
}

async function takeTurn({ row, progress, otherBytes }: Turn, options: RunOptions): Promise<Outcome> {
  const { jobs, source, signal, leaseMs, maxBytes } = options;
  const endsAt = performance.now() + options.turnMs;
  let { before } = progress;
  let records = row.total_records;
  let bytes = otherBytes + row.bytes;
  do {
    const limit = Math.min(options.batch, row.max_records - records);
    const rows = limit > 0 ? await source.rows(progress.filter, before, limit) : [];
    if (rows.length === 0) return { problem: null };
    for await (const part of partsOf(rows, progress.fields, options)) {
      bytes += part.content.length;
      if (bytes > maxBytes) return { problem: tooLarge(maxBytes) };
      if (!(await jobs.addPart(row, part, leaseMs))) return 'lost';
      ({ before } = part);
      records += part.records;
    }
  } while (!signal.aborted && performance.now() < endsAt);
  return 'turn';
}

const tooLarge = (bytes: number): string =>
  `The exports of the workspace have more than ${bytes / 2 ** 20} MiB; ask for fewer fields or a shorter time`;

async function* partsOf(
  rows: readonly LogRow[],
  fields: readonly ExportField[],
  { source, partBytes }: RunOptions,
): AsyncGenerator<ExportPart> {
  const withContent = needsContent(fields);
  let lines: string[] = [];
  let size = 0;
  for (const [i, row] of rows.entries()) {
    const line = toLine(row, withContent ? await source.content(row) : undefined, fields);
    lines.push(line);
    size += line.length;
    if (size < partBytes && i < rows.length - 1) continue;
    const { created_at, id } = row;
    yield { content: await pack(lines.join('')), records: lines.length, before: { created_at, id } };
    lines = [];
    size = 0;
  }
}

/** The files that a batch ends with: each of its rows has a line in one of them. */
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import { newId } from '../../lib/random.ts';
import { ID_LENGTH, objectKey, type StorePorts } from '../api/files.ts';
import type { Lease } from '../job-store.ts';
import type { BatchProblem, BatchProgress, StoredFile } from '../records.ts';
import { BadRow, inputRows } from './input-rows.ts';

export type EndReason =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly problem: BatchProblem };

export interface ResultPorts extends StorePorts {
  readonly lease: Lease;
  readonly json: JsonLimits;
  readonly answered: ReadonlyMap<number, boolean>;
  /** The input; undefined: it is gone. */
  content(): Promise<AsyncIterable<Buffer> | undefined>;
}

/** Ends the batch. `reason`: why rows may be without an answer; undefined: all have one. */
export async function writeResults(
  ports: ResultPorts,
  reason: EndReason | undefined,
  progress: BatchProgress,
): Promise<void> {
  const { lease, jobs, objects, now } = ports;
  const { completed, total } = progress;
  const output = completed > 0 ? await writeFile(ports, 'output', withEnds(lease.lines(true))) : undefined;
  const hasErrors = total > completed;
  const errors = hasErrors ? await writeFile(ports, 'errors', withEnds(errorLines(ports, reason))) : undefined;
  try {
    await lease.save({
      ...progress,
      failed: total - completed,
      status: reason?.kind ?? 'completed',
      problems: reason?.kind === 'failed' ? [reason.problem] : [],
      outputFileId: output?.id ?? null,
      errorFileId: errors?.id ?? null,
      endedAt: now(),
    });
  } catch (error) {
    for (const file of [output, errors]) {
      if (file === undefined) continue;
      await objects.delete(objectKey(file)).catch(() => undefined); // the store is what failed
      await jobs.removeFile(file.workspace, file.id).catch(() => undefined);
    }
    throw error;
  }
}

async function writeFile(
  { lease: { batch }, jobs, objects, now }: ResultPorts,
  what: 'output' | 'errors',
  content: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  const { order } = batch;
  const createdAt = now();
  const file: StoredFile = {
    id: newId('gw_file_', ID_LENGTH),
    workspace: order.workspace,
    filename: `${order.id}_${what}.jsonl`,
    purpose: 'batch_output',
    bytes: 0,
    createdAt,
    expiresAt: createdAt + order.outputLifetimeMs,
    status: 'pending',
  };
  await jobs.addFile(file, Number.MAX_SAFE_INTEGER);
  const bytes = await objects.put(objectKey(file), content, { signal: new Cancellation() });
  await jobs.completeFile({ ...file, bytes });
  return { ...file, bytes };
}

/** Those of rows that have failed, and of rows that were never asked for. */
async function* errorLines(ports: ResultPorts, reason: EndReason | undefined): AsyncGenerator<string> {
  yield* ports.lease.lines(false);
  const content = reason === undefined ? undefined : await ports.content();
  if (reason === undefined || content === undefined) return;
  const { settings, json, lease } = ports;
  const error = errorOf(reason);
  for await (const row of inputRows(content, { ...settings, json, endpoint: lease.batch.order.endpoint })) {
    if (row instanceof BadRow) throw new AppError('INTERNAL', { cause: row }); // the file was checked
    if (ports.answered.has(row.row)) continue;
    yield JSON.stringify({ id: newId('gw_batch_req_', 24), custom_id: row.customId, response: null, error });
  }
}

function errorOf(reason: EndReason): { readonly code: string; readonly message: string } {
  switch (reason.kind) {
    case 'cancelled':
      return { code: 'batch_cancelled', message: 'The batch was cancelled before this row was asked for' };
    case 'expired':
      return { code: 'batch_expired', message: 'The completion window ended before this row was asked for' };
    case 'failed':
      return { code: reason.problem.code, message: reason.problem.message };
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}

/** The output of a batch of a provider as answers to the rows of a batch of the gateway. */
import { isObject } from '@gatehouse/crds';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import { linesOf } from '../../lib/lines.ts';
import { newId } from '../../lib/random.ts';
import type { Answer, Exchange, RowSettlement } from '../../pipeline/index.ts';
import type { Recorder } from '../../record/index.ts';
import { piecesOf } from '../../upstream/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { BadRow, type InputRow } from '../execution/input-rows.ts';
import type { RowAnswer } from '../job-store.ts';
import type { BatchOrder, ProviderBatch } from '../records.ts';
import { contentOf, type ProviderCalls } from './calls.ts';
import { rowName, rowOf } from './input.ts';

/** Counts nothing: whoever follows the batch counts its rows, once. */
export const SILENT_READ: RowSettlement = {
  marks: { read: async () => 0, claim: async () => false },
  budgets: { reserve: () => ({ allowed: true, settle: () => undefined, release: () => undefined }) },
};

export interface OutputOptions {
  readonly calls: ProviderCalls;
  readonly at: ProviderBatch;
  readonly order: BatchOrder;
  readonly json: JsonLimits;
  /** Others count the rows. */
  readonly isFollowed: boolean;
  readonly recorder: Pick<Recorder, 'finish'>;
  /** Longest line, in bytes. */
  readonly maxLineBytes: number;
  /** Rows that have an answer already. */
  readonly answered: ReadonlyMap<number, boolean>;
  rows(): Promise<AsyncIterable<InputRow | BadRow> | undefined>;
  add(answer: RowAnswer): Promise<void>;
}

/**
 * Adds the answers in these files of the provider; they are counted, too, where the input is gone, which names the rows. Throws what
 * reading them throws; then it is done again.
 */
export async function readOutput(files: readonly string[], options: OutputOptions): Promise<'read' | 'input-gone'> {
  const names = await customIds(options);
  for (const file of files) await readFile(file, names ?? new Map(), options);
  return names === undefined ? 'input-gone' : 'read';
}

/** A row that the provider has not answered is an error. */
export async function addMissing(options: OutputOptions): Promise<void> {
  const error = { code: 'answer_missing', message: 'The output of the provider has no answer to this row' };
  for (const [row, customId] of (await customIds(options)) ?? []) {
    if (options.answered.has(row)) continue;
    const line = JSON.stringify({ id: newId('gw_batch_req_', 24), custom_id: customId, response: null, error });
    await options.add({ row, succeeded: false, line });
  }
}

/** Undefined: the input is gone. */
async function customIds({ rows }: OutputOptions): Promise<ReadonlyMap<number, string> | undefined> {
  const input = await rows();
  if (input === undefined) return undefined;
  const names = new Map<number, string>();
  for await (const row of input) {
    if (row instanceof BadRow) throw row; // the file was checked
    names.set(row.row, row.customId);
  }
  return names;
}

async function readFile(file: string, names: ReadonlyMap<number, string>, options: OutputOptions): Promise<void> {
  const { calls, at, order, isFollowed, recorder } = options;
  const id = encodeURIComponent(file);
  const call = {
    operation: 'getFileContent',
    path: `/v1/files/${id}/content`,
    query: `endpoint=${encodeURIComponent(order.endpoint)}`,
    route: { file_id: id },
    ...(isFollowed ? { settlement: SILENT_READ } : {}),
  } as const;
  const isRead = await calls.use(at, call, async (answer: Answer, exchange: Exchange) => {
    const firstByteMs = performance.now();
    let bytes = 0;
    const pieces = piecesOf(contentOf(answer, exchange));
    // A row whose answer is too long to be held is one without an answer: reading it again would not make it shorter.
    for await (const line of linesOf(pieces, options.maxLineBytes, { leavesOutLong: true })) {
      bytes += line.length;
      await addLine(line, names, options);
    }
    const { facts, status } = answer;
    if (isFollowed) facts.settlement?.settle({ status, usage: undefined, cost: undefined });
    else recorder.finish({ exchange, answer, sent: { firstByteMs, bytes, error: undefined } });
    return true;
  });
  if (isRead !== true) throw new Error('The workspace of the batch is gone');
}

async function addLine(line: Buffer, names: ReadonlyMap<number, string>, options: OutputOptions): Promise<void> {
  const { at, json, answered, add } = options;
  if (line.length === 0) return;
  const value = parsedLine(line, json);
  const row = rowOf(at.marker, value?.['custom_id']);
  const customId = row === undefined ? undefined : names.get(row);
  if (value === undefined || row === undefined || customId === undefined || answered.has(row)) return;
  // The name is random and in no request, so that it is nowhere else: numbers keep their digits.
  const given = line.toString('utf8').trim();
  const named = given.replace(JSON.stringify(rowName(at.marker, row)), () => JSON.stringify(customId));
  const text = named === given ? JSON.stringify({ ...value, custom_id: customId }) : named;
  await add({ row, succeeded: hasSucceeded(value), line: text });
}

function hasSucceeded({ response, error }: JsonObject): boolean {
  const status = isObject(response) ? response['status_code'] : undefined;
  return typeof status === 'number' && status >= 200 && status <= 299 && (error === null || error === undefined);
}

export function parsedLine(line: Buffer, json: JsonLimits): JsonObject | undefined {
  try {
    const value = readJson(line, json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

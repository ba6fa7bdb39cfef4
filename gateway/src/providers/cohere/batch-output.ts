/** The output of an embed job as rows of OpenAI's output file. */

import { AppError } from '../../errors/index.ts';
import { AVRO_LIMITS, AvroProblem, Quota, readAvro } from '../../wire/avro/index.ts';
import { MAX_ROW_BYTES, outputRow } from '../../wire/batch-rows/index.ts';
import {
  type DatasetPart,
  fromEmbeddedRecord,
  type JobUsage,
  partsOfDataset,
  shareOf,
  toEmbeddedAnswer,
  usageOfJob,
} from '../../wire/cohere/index.ts';
import { textAt } from '../../wire/json/json.ts';
import { askJob, outputMissing } from '../clouds/objects/index.ts';
import { type Call, type JsonObject, type Procedure, type ProcedureTools, ProviderRefusal } from '../contract.ts';
import { invalidResponse } from '../engine/index.ts';
import { datasetPath, isId } from './account.ts';
import { batchOf, readJob } from './batches.ts';

/** A record has what the row of an upload had, and its vectors: those of all types have some hundred KiB. */
const VECTORS_BYTES = 1024 * 1024;
const LIMITS = { ...AVRO_LIMITS, recordBytes: MAX_ROW_BYTES + VECTORS_BYTES };
/** Of one output: each is a request. */
const MAX_PARTS = 4_096;
/** Cohere does not say how long the files of a dataset take. */
const READY_AFTER_MS = 30_000;
const RUNNING: ReadonlySet<string> = new Set(['in_progress', 'cancelling']);

export const getBatchOutput: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const job = await readJob(call, tools);
    const parts = await partsOf(job, call, tools);
    if (parts.some(({ url }) => url === '')) throw notReady(call);
    const [first, ...rest] = parts.map(({ url }) => checkAddress(url, call, tools));
    if (first === undefined) throw outputMissing(call, 'an empty dataset');
    const rows = rowsOf(
      { content: await openPart(first, call, tools), rest, job, usage: usageOf(job, parts) },
      call,
      tools,
    );
    // An output that cannot be read is an error instead of an answer that breaks off before its first byte.
    const begin = await rows.next();
    return { kind: 'content', contentType: 'application/octet-stream', content: continued(begin, rows) };
  },
};

const notReady = ({ provider }: Call): AppError =>
  new AppError('BATCH_OUTPUT_MISSING', {
    ...{ provider, retryAfterMs: READY_AFTER_MS },
    detail: 'The batch has no output yet: its dataset is not ready',
  });

/** What has been read, and then the rest, which is closed by whoever leaves early, even before the first. */
function continued<T>(begin: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncIterable<T> {
  let read: IteratorResult<T, void> | undefined = begin;
  const iterator: AsyncIterator<T, void> = {
    async next() {
      const result = read;
      read = undefined;
      return result ?? rest.next();
    },
    return() {
      read = undefined;
      return rest.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Rejects with BATCH_OUTPUT_MISSING or UPSTREAM_INVALID_RESPONSE. */
async function partsOf(job: JsonObject, call: Call, tools: ProcedureTools): Promise<readonly DatasetPart[]> {
  const { status, output_file_id: output } = batchOf(job, call);
  if (typeof output !== 'string' || RUNNING.has(status)) throw outputMissing(call, status);
  if (!isId(output)) throw invalidResponse(call, 'output_dataset_id is no id');
  const url = tools.baseUrl() + datasetPath(output);
  const parts = partsOfDataset(await askJob(call, tools, { method: 'GET', url }));
  if (parts.length > MAX_PARTS) throw invalidResponse(call, `the output has more than ${MAX_PARTS} parts`);
  return parts;
}

/** An address that the answer names: over TLS, unless the account itself is not. Throws UPSTREAM_INVALID_RESPONSE. */
function checkAddress(address: string, call: Call, tools: ProcedureTools): string {
  const url = URL.parse(address);
  const isSafe = url?.protocol === 'https:' || url?.protocol === new URL(tools.baseUrl()).protocol;
  if (url !== null && isSafe && url.username === '' && url.password === '') return url.href;
  throw invalidResponse(call, 'a part of the output has no address that may be read');
}

/** The address is a credential by itself, and nothing of the account's goes there. Redirects are refused, too. */
async function openPart(url: string, call: Call, tools: ProcedureTools): Promise<AsyncIterable<Buffer>> {
  try {
    return (await tools.open({ method: 'GET', url, auth: 'none' })).content;
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    throw invalidResponse(call, `a part of the output cannot be read (${error.answer.status})`);
  }
}

function usageOf(job: JsonObject, parts: readonly DatasetPart[]): JobUsage | undefined {
  const counts = parts.map(({ rows }) => rows);
  const isKnown = counts.every((rows) => rows !== undefined);
  return usageOfJob(job, isKnown ? counts.reduce((sum, rows) => sum + rows, 0) : undefined);
}

interface Output {
  /** Of the first part. */
  readonly content: AsyncIterable<Buffer>;
  readonly rest: readonly string[];
  readonly job: JsonObject;
  readonly usage: JobUsage | undefined;
}

async function* rowsOf(output: Output, call: Call, tools: ProcedureTools): AsyncGenerator<Buffer> {
  const { job, usage } = output;
  const { provider } = call;
  const [name, model] = [textAt(job, 'job_id') ?? '', textAt(job, 'model') ?? ''];
  let row = 0;
  try {
    for await (const record of recordsOf(output, call, tools)) {
      const read = fromEmbeddedRecord(record);
      if (!read.ok) throw new AvroProblem(read.error);
      const { customId, vector } = read.value;
      const tokens = usage && shareOf(usage, row);
      row += 1;
      const body = toEmbeddedAnswer({ provider, model, vector, tokens });
      yield outputRow({ id: `${name}-${row}`, customId }, { body, requestId: null });
    }
  } catch (error) {
    if (error instanceof AvroProblem) throw invalidResponse(call, `the output behind row ${row}: ${error.message}`);
    throw error;
  }
}

/** Parts are opened one after the other. */
async function* recordsOf({ content, rest }: Output, call: Call, tools: ProcedureTools): AsyncGenerator<unknown> {
  const options = { memory: tools.memory, limits: LIMITS, quota: new Quota() };
  yield* readAvro(content, options);
  for (const url of rest) yield* readAvro(await openPart(url, call, tools), options);
}

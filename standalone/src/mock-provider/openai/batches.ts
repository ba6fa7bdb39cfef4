import type { CallInside } from '../call-inside.ts';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readObject, readString } from '../json.ts';
import { json, type Reply, refuse } from '../reply.ts';
import { createStore, type Store } from '../store.ts';
import { isBatchLineError, runLines } from './batch-lines.ts';
import { openai, refuseField } from './errors.ts';
import { type OpenaiFiles, toFileObject } from './files.ts';
import { listPage } from './page.ts';

const MAX_BATCHES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const DAY_SECONDS = 86_400;

const ENDPOINTS: ReadonlySet<string> = new Set([
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/responses',
]);

type Batch = ReturnType<typeof toBatch>;
type Batches = Store<Batch>;

interface Places {
  readonly batches: Batches;
  readonly files: OpenaiFiles;
  readonly call: CallInside;
}

/** Batches over the stored files. The work is done when a batch is read for the first time; until then it can be cancelled. */
export function createBatchRoutes(files: OpenaiFiles, call: CallInside): readonly Route[] {
  const batches: Batches = createStore({ maxEntries: MAX_BATCHES, maxBytes: MAX_BYTES });
  const places = { batches, files, call };
  const bodiless = bodilessRoutes(openai);
  return [
    {
      method: 'POST',
      path: '/v1/batches',
      dialect: openai,
      input: 'json',
      handle: (exchange, body) => createBatch(places, exchange, body),
    },
    bodiless('GET', '/v1/batches', ({ query }) => listPage(batches.list(), query)),
    bodiless('GET', /^\/v1\/batches\/([^/]+)$/, (exchange) =>
      withBatch(batches, exchange, (batch) => keep(batches, advance(places, batch))),
    ),
    bodiless('POST', /^\/v1\/batches\/([^/]+)\/cancel$/, (exchange) =>
      withBatch(batches, exchange, (batch) => cancelBatch(batches, batch)),
    ),
  ];
}

function createBatch({ batches, files }: Places, { seed }: Exchange, body: JsonObject): Reply {
  const endpoint = readString(body, 'endpoint');
  if (endpoint === undefined || !ENDPOINTS.has(endpoint)) {
    return refuseField('endpoint', `endpoint must be one of ${[...ENDPOINTS].join(', ')}`);
  }
  if (readString(body, 'completion_window') !== '24h') {
    return refuseField('completion_window', 'completion_window must be 24h');
  }
  const input = readString(body, 'input_file_id');
  if (input === undefined || files.get(input) === undefined) {
    return refuseField('input_file_id', 'input_file_id must be the id of an uploaded file');
  }
  const about = { endpoint, input, metadata: readObject(body, 'metadata') ?? null };
  return keep(batches, toBatch(seed.id('batch_'), seed.createdSeconds, about));
}

interface BatchRequest {
  readonly endpoint: string;
  readonly input: string;
  readonly metadata: JsonObject | null;
}

function toBatch(id: string, createdSeconds: number, { endpoint, input, metadata }: BatchRequest) {
  return {
    id,
    object: 'batch' as const,
    endpoint,
    errors: null as null | { object: 'list'; data: readonly object[] },
    input_file_id: input,
    completion_window: '24h',
    status: 'validating' as 'validating' | 'completed' | 'failed' | 'cancelling' | 'cancelled',
    output_file_id: null as string | null,
    error_file_id: null as string | null,
    created_at: createdSeconds,
    in_progress_at: null as number | null,
    expires_at: createdSeconds + DAY_SECONDS,
    finalizing_at: null as number | null,
    completed_at: null as number | null,
    failed_at: null as number | null,
    expired_at: null as number | null,
    cancelling_at: null as number | null,
    cancelled_at: null as number | null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata,
  };
}

function keep(batches: Batches, batch: Batch): Reply {
  batches.set(batch.id, batch);
  return json(batch);
}

/** The batch as it is now that time has passed. */
function advance(places: Places, batch: Batch): Batch {
  const at = batch.created_at;
  if (batch.status === 'cancelling') return { ...batch, status: 'cancelled', cancelled_at: at };
  if (batch.status !== 'validating') return batch;
  const input = places.files.get(batch.input_file_id);
  const run = runLines(input?.content ?? Buffer.alloc(0), batch, places.call);
  if (isBatchLineError(run)) {
    return { ...batch, status: 'failed', failed_at: at, errors: { object: 'list', data: [run] } };
  }
  const outputOf = (name: 'output' | 'error', lines: readonly object[]): string | null =>
    lines.length === 0 ? null : storeOutput(places.files, batch, name, lines);
  return {
    ...batch,
    status: 'completed',
    in_progress_at: at,
    finalizing_at: at,
    completed_at: at,
    output_file_id: outputOf('output', run.succeeded),
    error_file_id: outputOf('error', run.failed),
    request_counts: {
      total: run.succeeded.length + run.failed.length,
      completed: run.succeeded.length,
      failed: run.failed.length,
    },
  };
}

function storeOutput(files: OpenaiFiles, batch: Batch, name: 'output' | 'error', lines: readonly object[]): string {
  const content = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const about = toFileObject({
    id: `file-${batch.id.replace('batch_', '')}${name}`,
    createdSeconds: batch.created_at,
    filename: `${batch.id}_${name}.jsonl`,
    purpose: 'batch_output',
    content,
  });
  files.set(about.id, about, content);
  return about.id;
}

function cancelBatch(batches: Batches, batch: Batch): Reply {
  if (batch.status !== 'validating') return refuse(409, `Cannot cancel a batch with status '${batch.status}'.`);
  return keep(batches, { ...batch, status: 'cancelling', cancelling_at: batch.created_at });
}

function withBatch(batches: Batches, { params: [id = ''] }: Exchange, answer: (batch: Batch) => Reply): Reply {
  const stored = batches.get(id);
  return stored === undefined ? refuse(404, `No batch found with id '${id}'.`) : answer(stored.about);
}

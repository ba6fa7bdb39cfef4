/** Calls for batches of the gateway's own: docs/behaviour/managed-batches.md#batches. */
import { AppError } from '../../errors/index.ts';
import { newId } from '../../lib/random.ts';
import type { LocalAnswer, ResolvedRequest } from '../../pipeline/index.ts';
import { type BatchOrder, hasEnded, NOT_STARTED, type StoredBatch } from '../records.ts';
import { invalid, jsonAnswer } from './answers.ts';
import { readBatchRequest } from './batch-request.ts';
import { contentOf, findFile, ID_LENGTH, type StorePorts } from './files.ts';
import { batchObject, listObject, shownStatus } from './objects.ts';
import { pageOf } from './query.ts';

export interface BatchPorts extends StorePorts {
  /** Rows get these headers. Throws the AppError that every row would get. */
  checkHeaders(order: Pick<BatchOrder, 'endpoint' | 'headers'>, request: ResolvedRequest): void;
  /** There is work. */
  onCreated(): void;
}

/** OpenAI's only one. */
const WINDOW_MS = 24 * 60 * 60 * 1_000;

export async function createBatch(ports: BatchPorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const { settings, jobs, now } = ports;
  const { exchange, caller, resolution } = request;
  if (resolution.body.kind !== 'json') {
    throw new AppError('CONTENT_TYPE_INVALID', {
      param: 'content-type',
      detail: 'A batch is created with a JSON body',
    });
  }
  const { outputLifetimeMs, ...wanted } = readBatchRequest(resolution.body.value);
  const isKey = exchange.snapshot.keyById(caller.key.id)?.sha256 === caller.keyHash;
  if (!isKey) throw new AppError('BATCH_KEY_UNSUITED');
  const workspace = caller.workspace.name;
  const input = await findFile(ports, workspace, wanted.inputFileId);
  if (input.purpose !== 'batch')
    throw new AppError('FILE_UNKNOWN', { detail: 'The input file is the output of a batch' });
  ports.checkHeaders(wanted, request);
  const createdAt = now();
  const order: BatchOrder = {
    ...wanted,
    id: newId('gw_batch_', ID_LENGTH),
    workspace,
    keyId: caller.key.id,
    createdAt,
    expiresAt: createdAt + WINDOW_MS,
    outputLifetimeMs: Math.min(outputLifetimeMs ?? settings.retentionMs, settings.retentionMs),
  };
  if (!(await jobs.addBatch(order, settings.maxOpenBatches))) {
    throw new AppError('BATCH_LIMIT_REACHED', {
      detail: `The workspace has ${settings.maxOpenBatches} batches under way (GATEHOUSE_BATCH_MAX_OPEN); wait for one of them or cancel it`,
    });
  }
  ports.onCreated();
  return jsonAnswer(batchObject({ order, progress: NOT_STARTED, cancellingAt: undefined }));
}

export async function listBatches({ jobs }: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const page = pageOf(request, ['limit', 'after']);
  const { items, hasMore } = await jobs.batches(request.caller.workspace.name, page);
  const ids = items.map(({ order }) => order.id);
  return jsonAnswer(
    listObject(
      items.map((batch) => batchObject(batch)),
      ids,
      hasMore,
    ),
  );
}

export async function getBatch(ports: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const query = new URLSearchParams(request.exchange.request.query);
  const withDetails = query.get('include_provider_details') ?? 'false';
  if (withDetails !== 'true' && withDetails !== 'false')
    throw invalid('include_provider_details', 'must be true or false');
  return jsonAnswer(batchObject(await batchOf(ports, request), withDetails === 'true'));
}

export async function cancelBatch(ports: BatchPorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const batch = await batchOf(ports, request);
  if (hasEnded(batch.progress)) {
    throw new AppError('PARAMETER_INVALID', {
      param: 'batch_id',
      detail: `The batch cannot be cancelled: it is ${batch.progress.status}`,
    });
  }
  const { workspace, id } = batch.order;
  const cancelled = await ports.jobs.cancelBatch(workspace, id, ports.now());
  ports.onCreated();
  return jsonAnswer(batchObject(cancelled ?? batch));
}

/** The lines that have succeeded; those of errors where there is nothing else. */
export async function getBatchOutput(ports: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const { order, progress } = await batchOf(ports, request);
  const id = progress.outputFileId ?? progress.errorFileId;
  if (id !== null) return contentOf(ports, await findFile(ports, order.workspace, id));
  const why = hasEnded(progress)
    ? `It is ${progress.status} and has none`
    : `It is ${shownStatus(progress)}; ask again later`;
  throw new AppError('BATCH_OUTPUT_MISSING', { detail: `The batch has no output. ${why}` });
}

/** Throws BATCH_UNKNOWN. */
async function batchOf({ jobs }: StorePorts, { exchange, caller }: ResolvedRequest): Promise<StoredBatch> {
  const id = decodeURIComponent(exchange.request.route['batch_id'] ?? '');
  const batch = await jobs.batch(caller.workspace.name, id);
  if (batch !== undefined) return batch;
  throw new AppError('BATCH_UNKNOWN', {
    detail: `The workspace ${caller.workspace.name} has no batch with this id; ids of the gateway's own batches begin with gw_batch_`,
  });
}

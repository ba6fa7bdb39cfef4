/** Asks for one row: a request through the pipeline as the key that has created the batch, with a record of its own. */
import { isObject } from '@gatehouse/crds';
import { AppError, toAppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import {
  type Answer,
  type AnswerBody,
  type Caller,
  type ClientRequest,
  callerOfKey,
  type Exchange,
  type Pipeline,
  type RowPlan,
  type SpanRules,
  traceOf,
} from '../../pipeline/index.ts';
import type { Recorder, Spent } from '../../record/index.ts';
import type { SnapshotHolder } from '../../snapshot/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { BATCH_ENDPOINTS } from '../endpoints.ts';
import { type BatchOrder, type BatchProblem, keyProblem } from '../records.ts';

export interface RowCallPorts {
  readonly pipeline: Pick<Pipeline, 'handle'>;
  readonly recorder: Pick<Recorder, 'finish'>;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
  /** Calls under way: they are waited for, and cancelled in the end, when the process drains. */
  readonly inFlight: { add(cancellation: Cancellation): void; remove(cancellation: Cancellation): void };
  readonly spans: SpanRules | undefined;
  /** Largest answer that is kept, in bytes. */
  readonly maxResponseBytes: number;
  openMemory(): ByteAccount;
}

export interface RowRequest {
  readonly bytes: Buffer;
  readonly body: JsonObject;
}

export type RowResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly requestId: string;
      /** JSON in one line. */
      readonly body: string;
      /** Of an error of the gateway. */
      readonly code: string | undefined;
      readonly retryAfterMs: number | undefined;
    }
  /** The batch may not go on. */
  | { readonly kind: 'no-caller'; readonly problem: BatchProblem }
  /** The process ends. */
  | { readonly kind: 'interrupted' };

export type CallRow = (order: BatchOrder, row: RowRequest) => Promise<RowResult>;

/** The pipeline's answer for a row as a request. */
export type PlanRow = (exchange: Exchange, caller: Caller) => Promise<RowPlan>;

/** What a batch of a provider could do for the row; undefined: its key is gone, or no Snapshot is there. */
export type PlanBatchRow = (order: BatchOrder, row: RowRequest) => Promise<RowPlan | undefined>;

export function createRowPlans(ports: Pick<RowCallPorts, 'snapshots' | 'openMemory'>, plan: PlanRow): PlanBatchRow {
  return async (order, row) => {
    const snapshot = ports.snapshots.current;
    const operation = BATCH_ENDPOINTS.get(order.endpoint);
    const caller = snapshot && callerOfKey(order.keyId, order.workspace, snapshot);
    if (snapshot === undefined || operation === undefined || caller === undefined) return undefined;
    const memory = ports.openMemory();
    const request = requestOf(order, row);
    try {
      const signal = new Cancellation();
      const own = { signal, memory, atEnd: () => undefined, startedMs: performance.now() };
      return await plan({ operation, request, snapshot, caller, trace: traceOf(request, undefined), ...own }, caller);
    } finally {
      memory.close();
    }
  };
}

/** Never rejects. */
export function createRowCall(ports: RowCallPorts): CallRow {
  return async (order, row) => {
    const snapshot = ports.snapshots.current;
    const operation = BATCH_ENDPOINTS.get(order.endpoint);
    if (snapshot === undefined || operation === undefined) return { kind: 'interrupted' };
    const caller = callerOfKey(order.keyId, order.workspace, snapshot);
    if (caller === undefined) return { kind: 'no-caller', problem: keyProblem('key_revoked') };
    const cancellation = new Cancellation();
    const memory = ports.openMemory();
    const tasks: (() => void)[] = [];
    const request = requestOf(order, row);
    const exchange: Exchange = {
      operation,
      request,
      snapshot,
      caller,
      signal: cancellation,
      atEnd: (task) => void tasks.push(task),
      memory,
      startedMs: performance.now(),
      trace: traceOf(request, ports.spans),
    };
    ports.inFlight.add(cancellation);
    try {
      return await answered(ports, exchange);
    } finally {
      ports.inFlight.remove(cancellation);
      memory.close();
      for (const task of tasks) task();
    }
  };
}

/** What an answer used that could not be read to its end is not known. */
const UNREAD: Spent = { status: 200, usage: undefined, cost: undefined };

async function answered(ports: RowCallPorts, exchange: Exchange): Promise<RowResult> {
  const answer = await ports.pipeline.handle(exchange);
  const firstByteMs = performance.now();
  const { traceId } = exchange.trace;
  try {
    const bytes = await bytesOf(answer.body, ports.maxResponseBytes, exchange.memory);
    answer.store?.push(bytes); // before the record, which may keep them
    ports.recorder.finish({ exchange, answer, sent: { firstByteMs, bytes: bytes.length, error: undefined } });
    answer.store?.commit();
    return resultOf(answer, bytes, { traceId, isInterrupted: exchange.signal.cancelled });
  } catch (error) {
    const reason = toAppError(error);
    answer.facts.settlement?.settle(UNREAD);
    ports.recorder.finish({ exchange, answer, sent: { firstByteMs, bytes: 0, error: reason } });
    if (exchange.signal.cancelled) return { kind: 'interrupted' };
    const body = JSON.stringify({ error: { message: reason.message, type: reason.row.type, code: reason.code } });
    const { status } = reason.row;
    return { kind: 'answered', status, requestId: traceId, body, code: reason.code, retryAfterMs: undefined };
  }
}

interface Context {
  readonly traceId: string;
  readonly isInterrupted: boolean;
}

function resultOf({ status, headers, facts }: Answer, bytes: Buffer, { traceId, isInterrupted }: Context): RowResult {
  const code = facts.error?.code;
  if (code === 'KEY_EXPIRED') return { kind: 'no-caller', problem: keyProblem('key_expired') };
  if (isInterrupted && (status < 200 || status > 299)) return { kind: 'interrupted' };
  const requestId = headers['x-request-id'];
  return {
    kind: 'answered',
    status,
    requestId: typeof requestId === 'string' ? requestId : traceId,
    body: oneLine(bytes),
    code,
    retryAfterMs: retryAfterOf(headers['retry-after']),
  };
}

async function bytesOf(body: AnswerBody, maxBytes: number, memory: ByteAccount): Promise<Buffer> {
  if (body.kind === 'bytes') return body.bytes;
  const bytes = await body.upstream.collect(maxBytes, memory);
  body.observer?.push(bytes);
  if (body.transform === undefined) return bytes;
  const pieces = [body.transform.push(bytes), body.transform.end()];
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : (piece ?? NOTHING))));
}

const NOTHING = Buffer.alloc(0);

/** JSON as it is, without ends of lines, which stand between its values alone; a text becomes a string. */
function oneLine(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  try {
    JSON.parse(text);
    return text.replaceAll(/[\r\n]+/g, ' ').trim();
  } catch {
    return JSON.stringify(text);
  }
}

/** Of an answer that has one, in ms. */
export function retryAfterOf(header: string | string[] | undefined): number | undefined {
  const seconds = typeof header === 'string' ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

function requestOf(order: BatchOrder, row: RowRequest): ClientRequest {
  const headers = new Map(Object.entries(order.headers));
  headers.set('content-type', 'application/json');
  headers.set('x-gw-metadata', rowMetadata(order));
  return {
    method: 'POST',
    path: order.endpoint,
    query: '',
    route: {},
    header: (name) => headers.get(name),
    headers: () => headers.entries(),
    checkLength: () => undefined,
    readBody: async () => ({ kind: 'json', bytes: row.bytes, value: row.body }),
  };
}

/** What `gw_options` says, and which batch it is. */
export function rowMetadata({ id, headers }: BatchOrder): string {
  const given: unknown = JSON.parse(headers['x-gw-metadata'] ?? '{}');
  return JSON.stringify({ ...(isObject(given) ? given : {}), batch_id: id });
}

/** The AppError that every row would get for its headers is thrown. */
export function headersRequest(order: Pick<BatchOrder, 'endpoint' | 'headers'>): ClientRequest {
  return requestOf({ ...order, id: '' } as BatchOrder, { bytes: NOTHING, body: {} }); // nothing else of it is read
}

export const isMissingProvider = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'PROVIDER_REQUIRED' || error.code === 'CONFIG_NO_PROVIDER');

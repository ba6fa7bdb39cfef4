import { type BoundedMap, createBoundedMap } from '../bounded-map.ts';
import type { CallInside } from '../call-inside.ts';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readObject, readObjects, readString } from '../json.ts';
import { bytes, json, type Reply, refuse } from '../reply.ts';
import { anthropic } from './errors.ts';
import { listPage } from './page.ts';

const MAX_BATCHES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Bounds the work that one read of results does. */
const MAX_REQUESTS = 10_000;

interface BatchEntry {
  readonly customId: string;
  readonly params: JsonObject;
}

interface Batch {
  readonly id: string;
  readonly createdTime: string;
  /** `in_progress` and `canceling` until the batch is read for the first time. */
  readonly state: 'in_progress' | 'canceling' | 'ended' | 'canceled';
  readonly entries: readonly BatchEntry[];
  /** How many of them succeeded; counted when the batch ends. */
  readonly succeeded: number;
  readonly bytes: number;
}

interface Places {
  readonly batches: BoundedMap<string, Batch>;
  readonly call: CallInside;
}

type BatchAnswer = (batch: Batch, exchange: Exchange) => Reply;

/** Message batches. The requests are answered when results are asked for; a batch ends when it is read for the first time. */
export function createBatchRoutes(call: CallInside): readonly Route[] {
  const places: Places = { batches: createBoundedMap({ maxEntries: MAX_BATCHES, maxBytes: MAX_BYTES }), call };
  const { batches } = places;
  const bodiless = bodilessRoutes(anthropic);
  const at = (method: Route['method'], rest: string, answer: BatchAnswer): Route =>
    bodiless(method, new RegExp(`^/v1/messages/batches/([^/]+)${rest}$`), (exchange) =>
      withBatch(places, exchange, (batch) => answer(batch, exchange)),
    );
  return [
    {
      method: 'POST',
      path: '/v1/messages/batches',
      dialect: anthropic,
      input: 'json',
      handle: (exchange, body) => createBatch(places, exchange, body),
    },
    bodiless('GET', '/v1/messages/batches', (exchange) => {
      const newestFirst = batches.values().toReversed();
      return listPage(
        newestFirst.map((batch) => toBatchObject(batch, exchange)),
        exchange.query,
      );
    }),
    at('GET', '', (batch, exchange) => keep(places, advance(batch, places), exchange)),
    at('GET', '/results', (batch) => answerResults(batch, places)),
    at('POST', '/cancel', (batch, exchange) =>
      batch.state === 'in_progress'
        ? keep(places, { ...batch, state: 'canceling' }, exchange)
        : refuse(400, 'The batch has ended or is being canceled.'),
    ),
    at('DELETE', '', ({ id }) => {
      batches.delete(id);
      return json({ id, type: 'message_batch_deleted' });
    }),
  ];
}

function createBatch(places: Places, exchange: Exchange, body: JsonObject): Reply {
  const entries = readObjects(body, 'requests').flatMap((request): BatchEntry[] => {
    const customId = readString(request, 'custom_id');
    const params = readObject(request, 'params');
    return customId === undefined || params === undefined ? [] : [{ customId, params }];
  });
  if (entries.length === 0 || entries.length > MAX_REQUESTS) {
    return refuse(400, `requests: 1 to ${MAX_REQUESTS} requests with custom_id and params are expected`);
  }
  const { seed, request } = exchange;
  const batch: Batch = {
    id: seed.id('msgbatch_'),
    createdTime: seed.createdTime,
    state: 'in_progress',
    entries,
    succeeded: 0,
    bytes: request.body.length,
  };
  return keep(places, batch, exchange);
}

function keep(places: Places, batch: Batch, exchange: Exchange): Reply {
  places.batches.set(batch.id, batch, batch.bytes);
  return json(toBatchObject(batch, exchange));
}

function advance(batch: Batch, places: Places): Batch {
  if (batch.state === 'canceling') return { ...batch, state: 'canceled' };
  if (batch.state !== 'in_progress') return batch;
  const ended: Batch = { ...batch, state: 'ended' };
  return { ...ended, succeeded: resultsOf(ended, places).filter(({ type }) => type === 'succeeded').length };
}

const STATUSES = { in_progress: 'in_progress', canceling: 'canceling', ended: 'ended', canceled: 'ended' } as const;

function toBatchObject({ id, createdTime, state, entries, succeeded }: Batch, { request }: Exchange) {
  const status = STATUSES[state];
  const isEnded = status === 'ended';
  return {
    id,
    type: 'message_batch' as const,
    processing_status: status,
    request_counts: {
      processing: isEnded ? 0 : entries.length,
      succeeded,
      errored: state === 'ended' ? entries.length - succeeded : 0,
      canceled: state === 'canceled' ? entries.length : 0,
      expired: 0,
    },
    created_at: createdTime,
    expires_at: createdTime,
    ended_at: isEnded ? createdTime : null,
    cancel_initiated_at: state === 'canceling' || state === 'canceled' ? createdTime : null,
    archived_at: null,
    results_url: isEnded ? `http://${request.headers.host ?? ''}/v1/messages/batches/${id}/results` : null,
  };
}

function resultsOf({ state, entries }: Batch, { call }: Places) {
  return entries.map(({ params }) => {
    if (state === 'canceled') return { type: 'canceled' as const };
    const { status, body } = call('/v1/messages', params);
    return status < 400 ? { type: 'succeeded' as const, message: body } : { type: 'errored' as const, error: body };
  });
}

function answerResults(batch: Batch, places: Places): Reply {
  if (STATUSES[batch.state] !== 'ended') return refuse(404, `The batch ${batch.id} has no results yet.`);
  const results = resultsOf(batch, places);
  const lines = batch.entries.map(({ customId }, index) =>
    JSON.stringify({ custom_id: customId, result: results[index] }),
  );
  return bytes(`${lines.join('\n')}\n`, 'application/x-jsonl');
}

function withBatch({ batches }: Places, { params: [id = ''] }: Exchange, answer: (batch: Batch) => Reply): Reply {
  const batch = batches.get(id);
  return batch === undefined ? refuse(404, `Batch not found: ${id}`) : answer(batch);
}

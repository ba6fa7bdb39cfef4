import type { CallInside } from '../call-inside.ts';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readObject, readObjects, readString } from '../json.ts';
import { bytes, json, type Reply, refuse } from '../reply.ts';
import { createStore, type Store, type Stored } from '../store.ts';
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

/** What is said of a batch; its content is the list of its entries as JSON. */
interface About {
  readonly id: string;
  readonly createdTime: string;
  /** `in_progress` and `canceling` until the batch is read for the first time. */
  readonly state: 'in_progress' | 'canceling' | 'ended' | 'canceled';
  readonly total: number;
  /** How many of the entries succeeded; counted when the batch ends. */
  readonly succeeded: number;
}

type Batch = Stored<About>;

interface Places {
  readonly batches: Store<About>;
  readonly call: CallInside;
}

type BatchAnswer = (batch: Batch, exchange: Exchange) => Reply;

/** Message batches. The requests are answered when results are asked for; a batch ends when it is read for the first time. */
export function createBatchRoutes(call: CallInside): readonly Route[] {
  const places: Places = { batches: createStore({ maxEntries: MAX_BATCHES, maxBytes: MAX_BYTES }), call };
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
      const newestFirst = batches.list().toReversed();
      return listPage(
        newestFirst.map((about) => toBatchObject(about, exchange)),
        exchange.query,
      );
    }),
    at('GET', '', (batch, exchange) => keep(places, advance(batch, places), exchange)),
    at('GET', '/results', (batch) => answerResults(batch, places)),
    at('POST', '/cancel', (batch, exchange) =>
      batch.about.state === 'in_progress'
        ? keep(places, changed(batch, { state: 'canceling' }), exchange)
        : refuse(400, 'The batch has ended or is being canceled.'),
    ),
    at('DELETE', '', ({ about: { id } }) => {
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
  const { seed } = exchange;
  const about: About = {
    id: seed.id('msgbatch_'),
    createdTime: seed.createdTime,
    state: 'in_progress',
    total: entries.length,
    succeeded: 0,
  };
  return keep(places, { about, content: Buffer.from(JSON.stringify(entries)) }, exchange);
}

function keep({ batches }: Places, { about, content }: Batch, exchange: Exchange): Reply {
  batches.set(about.id, about, content);
  return json(toBatchObject(about, exchange));
}

function changed({ about, content }: Batch, change: Partial<About>): Batch {
  return { about: { ...about, ...change }, content };
}

function advance(batch: Batch, places: Places): Batch {
  if (batch.about.state === 'canceling') return changed(batch, { state: 'canceled' });
  if (batch.about.state !== 'in_progress') return batch;
  const succeeded = resultsOf(batch, places).filter(({ result }) => result.type === 'succeeded').length;
  return changed(batch, { state: 'ended', succeeded });
}

const STATUSES = { in_progress: 'in_progress', canceling: 'canceling', ended: 'ended', canceled: 'ended' } as const;

function toBatchObject({ id, createdTime, state, total, succeeded }: About, { request }: Exchange) {
  const status = STATUSES[state];
  const isEnded = status === 'ended';
  return {
    id,
    type: 'message_batch' as const,
    processing_status: status,
    request_counts: {
      processing: isEnded ? 0 : total,
      succeeded,
      errored: state === 'ended' ? total - succeeded : 0,
      canceled: state === 'canceled' ? total : 0,
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

function resultsOf({ about, content }: Batch, { call }: Places) {
  const entries = JSON.parse(content.toString()) as readonly BatchEntry[]; // written when the batch was created
  return entries.map(({ customId, params }) => {
    const canceled = { type: 'canceled' as const };
    return { custom_id: customId, result: about.state === 'canceled' ? canceled : resultOf(params, call) };
  });
}

function resultOf(params: JsonObject, call: CallInside) {
  const { status, body } = call('/v1/messages', params);
  return status < 400 ? { type: 'succeeded' as const, message: body } : { type: 'errored' as const, error: body };
}

function answerResults(batch: Batch, places: Places): Reply {
  const { id, state } = batch.about;
  if (STATUSES[state] !== 'ended') return refuse(404, `The batch ${id} has no results yet.`);
  const lines = resultsOf(batch, places).map((line) => JSON.stringify(line));
  return bytes(`${lines.join('\n')}\n`, 'application/x-jsonl');
}

function withBatch({ batches }: Places, { params: [id = ''] }: Exchange, answer: (batch: Batch) => Reply): Reply {
  const batch = batches.get(id);
  return batch === undefined ? refuse(404, `Batch not found: ${id}`) : answer(batch);
}

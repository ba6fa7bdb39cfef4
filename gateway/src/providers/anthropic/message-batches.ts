/** Message batches of the vendor for clients of its own API. Source: Anthropic API, "Message Batches". */
import { err, isObject, ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { atRow, invalidRow } from '../../wire/batch-rows/index.ts';
import { textAt } from '../../wire/json/json.ts';
import type { AnswerRule, Call, Endpoint, JsonObject, MessageBatchEndpointId, RowCheck } from '../contract.ts';
import { batchPath } from './batches.ts';
import { OF_HEADERS } from './endpoints.ts';
import { listQuery } from './files.ts';

const NOTHING = { kind: 'none' } as const;

/**
 * SDKs read results at the URL that the batch names, with the key of the client: as a path it is one of the gateway, where
 * rows are counted, whatever its own address is.
 */
function withOwnResults(batch: JsonObject): JsonObject {
  const id = textAt(batch, 'id');
  if (id === undefined || textAt(batch, 'results_url') === undefined) return batch;
  return { ...batch, results_url: `/v1/messages/batches/${encodeURIComponent(id)}/results` };
}

const oneBatch: AnswerRule = {
  kind: 'read',
  read: (body) => (isObject(body) ? ok(withOwnResults(body)) : err('the answer is no batch')),
};

const listOfBatches: AnswerRule = {
  kind: 'read',
  read(body) {
    if (!isObject(body) || !Array.isArray(body['data'])) return err('the answer has no list of batches');
    return ok({
      ...body,
      data: body['data'].map((batch: unknown) => (isObject(batch) ? withOwnResults(batch) : batch)),
    });
  },
};

const at = (below: string) => (call: Call) => `${batchPath(call)}${below}${listQuery(call)}`;

export const MESSAGE_BATCHES: Readonly<Record<MessageBatchEndpointId, Endpoint>> = {
  createMessageBatch: {
    method: 'POST',
    path: (call) => `/messages/batches${listQuery(call)}`,
    request: { kind: 'table', table: { drop: OF_HEADERS, elsewhere: OF_HEADERS } },
    answer: oneBatch,
  },
  listMessageBatches: {
    method: 'GET',
    path: (call) => `/messages/batches${listQuery(call)}`,
    request: NOTHING,
    answer: listOfBatches,
  },
  getMessageBatch: { method: 'GET', path: at(''), request: NOTHING, answer: oneBatch },
  getMessageBatchResults: { method: 'GET', path: at('/results'), request: NOTHING, answer: { kind: 'binary' } },
  cancelMessageBatch: { method: 'POST', path: at('/cancel'), request: NOTHING, answer: oneBatch },
  deleteMessageBatch: { method: 'DELETE', path: at(''), request: NOTHING, answer: { kind: 'relay' } },
};

const PARAM = 'requests';
/** Members that name no other rows. */
const KNOWN: ReadonlySet<string> = new Set([PARAM, ...OF_HEADERS]);
const KNOWN_OF_ROW: ReadonlySet<string> = new Set(['custom_id', 'params']);

/** Throws MODEL_NOT_ALLOWED also for members that may name a model in a way that is not known. */
export const listedRequests: RowCheck = async ({ params, provider }, tools) => {
  refuseOthers(params, KNOWN, provider);
  const { requests } = params;
  if (!Array.isArray(requests)) {
    throw new AppError('PARAMETER_INVALID', { param: PARAM, provider, detail: `${PARAM} must be a list` });
  }
  for (const [index, row] of requests.entries()) {
    const place = { place: `row ${index + 1}`, param: PARAM };
    const body: unknown = isObject(row) ? row['params'] : undefined;
    if (!isObject(row) || !isObject(body)) throw invalidRow(place, 'params must be a JSON object');
    try {
      refuseOthers(row, KNOWN_OF_ROW, provider);
      tools.checkModel(body);
    } catch (error) {
      throw atRow(error, place);
    }
  }
};

function refuseOthers(body: JsonObject, known: ReadonlySet<string>, provider: string): void {
  const other = Object.keys(body)
    .find((name) => !known.has(name))
    ?.slice(0, 64);
  if (other === undefined) return;
  const detail = `The account admits listed models only: leave out ${other}`;
  throw new AppError('MODEL_NOT_ALLOWED', { provider, param: other, detail });
}

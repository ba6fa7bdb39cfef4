/** Message batches as batches of OpenAI's API. Source: Anthropic API, "Message Batches". */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { RowOutcome } from '../batch-rows/index.ts';
import type { JsonObject, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import { type BatchStatus, secondsOf, toBatchObject } from '../openai/index.ts';
import { fromAnthropicAnswer } from './answer.ts';

/** What rows ask for and their answers are, where nothing else is said: batches of the vendor say no more than that they are messages. */
export const BATCH_ENDPOINT = '/v1/chat/completions';
/** The vendor's own. */
export const MESSAGES_ENDPOINT = '/v1/messages';
export const BATCH_ENDPOINTS = [BATCH_ENDPOINT, MESSAGES_ENDPOINT] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

/** Ids of batches, which stand for the file of their output, too. */
export const isBatchId = (id: string): boolean => id.startsWith('msgbatch_');

export function fromMessageBatch(body: unknown): Result<JsonObject, string> {
  const id = isObject(body) ? textAt(body, 'id') : undefined;
  if (!isObject(body) || id === undefined) return err('the batch has no id');
  const counts = objectAt(body, 'request_counts');
  const count = (name: string): number => numberAt(counts, name) ?? 0;
  const [succeeded, canceled, expired] = [count('succeeded'), count('canceled'), count('expired')];
  const status = statusOf(body, { canceled, expired });
  const created = secondsOf(textAt(body, 'created_at'));
  const ended = secondsOf(textAt(body, 'ended_at'));
  const failed = count('errored') + canceled + expired;
  return ok(
    toBatchObject({
      id,
      endpoint: BATCH_ENDPOINT,
      status,
      output_file_id: hasResults(body) ? id : null,
      created_at: created,
      in_progress_at: created,
      expires_at: secondsOf(textAt(body, 'expires_at')),
      completed_at: status === 'completed' ? ended : undefined,
      expired_at: status === 'expired' ? ended : undefined,
      cancelling_at: secondsOf(textAt(body, 'cancel_initiated_at')),
      cancelled_at: status === 'cancelled' ? ended : undefined,
      request_counts: { total: count('processing') + succeeded + failed, completed: succeeded, failed },
    }),
  );
}

/** A list has the entries that can be read. */
export function fromMessageBatches(body: unknown): Result<object, string> {
  if (!isObject(body) || !Array.isArray(body['data'])) return err('the answer has no list of batches');
  const data = objectsAt(body, 'data').flatMap((entry) => {
    const batch = fromMessageBatch(entry);
    return batch.ok ? [batch.value] : [];
  });
  return ok({ object: 'list', data, ...pageOf(body) });
}

/** The members of a page that both APIs have. */
export const pageOf = (body: JsonObject): JsonObject => ({
  first_id: textAt(body, 'first_id') ?? null,
  last_id: textAt(body, 'last_id') ?? null,
  has_more: body['has_more'] === true,
});

/** Whether there are results that can be read. */
export const hasResults = (batch: JsonObject): boolean =>
  batch['processing_status'] === 'ended' && textAt(batch, 'results_url') !== undefined;

function statusOf(
  batch: JsonObject,
  { canceled, expired }: { readonly canceled: number; readonly expired: number },
): BatchStatus {
  if (batch['processing_status'] === 'canceling') return 'cancelling';
  if (batch['processing_status'] !== 'ended') return 'in_progress';
  if (expired > 0) return 'expired';
  return canceled > 0 ? 'cancelled' : 'completed';
}

/** What became of a row; its answer is one of the endpoint. The error says why a line cannot be read. */
export function fromBatchResult(
  line: unknown,
  ctx: WireContext,
  endpoint: BatchEndpoint = BATCH_ENDPOINT,
): Result<BatchResult, string> {
  const customId = isObject(line) ? textAt(line, 'custom_id') : undefined;
  const result = isObject(line) ? objectAt(line, 'result') : undefined;
  if (customId === undefined || result === undefined) return err('a line of the results has no custom_id or result');
  const type = textAt(result, 'type') ?? '';
  if (type === 'succeeded') {
    const message = objectAt(result, 'message');
    const isOwn = endpoint === MESSAGES_ENDPOINT && message !== undefined;
    const read = isOwn ? ok(message) : fromAnthropicAnswer(result['message'], ctx);
    if (!read.ok) return read;
    return ok({ customId, outcome: { body: read.value, requestId: textAt(message, 'id') ?? null } });
  }
  return ok({ customId, outcome: { error: ENDS.get(type) ?? errorOf(objectAt(result, 'error')) } });
}

export interface BatchResult {
  readonly customId: string;
  readonly outcome: RowOutcome;
}

/** Source of the codes: OpenAI API, "Batch expiration" and "Cancelling a batch". */
const ENDS: ReadonlyMap<string, { readonly code: string; readonly message: string }> = new Map([
  ['canceled', { code: 'batch_cancelled', message: 'The batch was cancelled before the request was sent' }],
  ['expired', { code: 'batch_expired', message: 'The request was not sent before the batch expired' }],
]);

/** Of a row that the vendor has refused: `{type: "error", error: {type, message}}`. */
function errorOf(given: JsonObject | undefined): { readonly code: string; readonly message: string } {
  const error = objectAt(given, 'error') ?? given;
  return {
    code: textAt(error, 'type') ?? 'api_error',
    message: textAt(error, 'message') ?? 'The request failed',
  };
}

/** Lists of models for clients of Anthropic. Source: Anthropic API, "List Models". */
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, textAt } from '../../../wire/json/json.ts';

/** Such clients send the version of their API with every request. */
const SIGN = 'anthropic-version';
const MAX_LIMIT = 1_000;

export interface ListedModels {
  /** Entries of the OpenAI format. */
  readonly data: readonly JsonObject[];
  /** Names for people by id; a model without one is named by its id. */
  readonly displayNames: ReadonlyMap<string, string>;
  /** Of the request: `limit`, `after_id`, `before_id`. */
  readonly query: string;
}

/** Whether the client reads Anthropic's format. `request`: anything with the client's headers. */
export const isAnthropicClient = (request: { header(name: string): string | undefined }): boolean =>
  request.header(SIGN) !== undefined;

/** One page of the list; without `limit` as long as one may be. Throws PARAMETER_INVALID. */
export function toAnthropicList({ data, displayNames, query }: ListedModels): object {
  const asked = new URLSearchParams(query);
  const limit = limitOf(asked.get('limit'));
  const ids = data.map((model) => textAt(model, 'id') ?? '');
  const [after, before] = [asked.get('after_id'), asked.get('before_id')];
  const from = after === null ? 0 : placeOf(ids, after) + 1;
  const to = before === null ? ids.length : placeOf(ids, before);
  const backwards = before !== null && after === null;
  const start = backwards ? Math.max(to - limit, 0) : from;
  const end = Math.min(start + limit, to);
  const shown = ids.slice(start, end);
  return {
    data: data.slice(start, end).map((model) => toEntry(model, displayNames)),
    has_more: backwards ? start > 0 : end < to,
    first_id: shown[0] ?? null,
    last_id: shown.at(-1) ?? null,
  };
}

function limitOf(text: string | null): number {
  const limit = text === null ? MAX_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError('PARAMETER_INVALID', { param: 'limit', detail: `limit must be a number from 1 to ${MAX_LIMIT}` });
}

/** Behind the last one when the model is gone: its page is empty and the last. */
function placeOf(ids: readonly string[], id: string): number {
  const at = ids.indexOf(id);
  return at < 0 ? ids.length : at;
}

function toEntry(model: JsonObject, displayNames: ReadonlyMap<string, string>): JsonObject {
  const id = textAt(model, 'id') ?? '';
  return {
    type: 'model',
    id,
    display_name: displayNames.get(id) ?? textAt(model, 'display_name') ?? id,
    created_at: toDate(numberAt(model, 'created') ?? 0),
  };
}

/** The beginning of Unix time when the date is not known, as in the vendor's API. */
function toDate(seconds: number): string {
  const date = new Date(seconds * 1_000);
  const known = Number.isNaN(date.getTime()) ? new Date(0) : date;
  return known.toISOString().replace('.000Z', 'Z');
}

/** The management API of the account. Source: Fireworks API reference. */
import { AppError } from '../../../errors/index.ts';
import { objectsAt, textAt } from '../../../wire/json/json.ts';
import type { Call, JsonObject, ProcedureTools } from '../../contract.ts';
import { fieldMissing, jsonOfStep, pathSegment } from '../../engine/index.ts';

const ACCOUNT_ID = 'fireworks_account_id';

/** `accounts/ID`, as names of resources begin. Throws PROVIDER_FIELD_MISSING. */
export function accountName({ fields, provider }: Call): string {
  const id = fields.text(ACCOUNT_ID);
  if (id === undefined || id === '') throw fieldMissing(provider, ACCOUNT_ID);
  return `accounts/${pathSegment(id, ACCOUNT_ID)}`;
}

const ID = /^[\w.-]{1,128}$/;

/** An id of the account's own. Throws PARAMETER_INVALID. */
export function checkId(id: unknown, param: string): string {
  if (typeof id === 'string' && ID.test(id) && !/^\.+$/.test(id)) return id;
  throw new AppError('PARAMETER_INVALID', {
    param,
    detail: `${param} must be an id of letters, digits, dots, dashes and underscores`,
  });
}

export const routeId = ({ route }: Call, param: string): string => checkId(route[param], param);

/** The last part of the name of a resource: `accounts/A/datasets/ID`. */
export const idOfName = (name: string | undefined): string | undefined => name?.split('/').at(-1);

export async function askJson(
  tools: ProcedureTools,
  call: Call,
  request: { readonly method: 'GET' | 'POST' | 'DELETE'; readonly url: string; readonly body?: object },
): Promise<JsonObject> {
  const { method, url, body } = request;
  const sent =
    body === undefined
      ? {}
      : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } };
  return jsonOfStep(await tools.ask({ method, url, ...sent }), call);
}

/** Of one request; a list of the account is read so far and no further. */
const PAGE_SIZE = 200;
const MAX_PAGES = 25;
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 50;

type Entry = JsonObject & { readonly id: string };

export interface ListSource {
  /** Name of the collection, which is the member of its pages, too. */
  readonly collection: string;
  /** An entry as the client reads it; undefined: it cannot be read. */
  read(entry: JsonObject): Entry | undefined;
}

/**
 * The page that `limit` and `after` of the client ask for: what comes behind the entry of that id. The pages of the account go by tokens,
 * so that they are read from the first one. Throws PARAMETER_INVALID.
 */
export async function listPage(call: Call, tools: ProcedureTools, source: ListSource): Promise<object> {
  const asked = new URLSearchParams(call.query);
  const limit = limitOf(asked.get('limit'));
  const after = asked.get('after');
  const entries = entriesOf(call, tools, source);
  const data: JsonObject[] = [];
  let isBehind = after === null;
  for (;;) {
    const next = await entries.next();
    if (next.done === true) {
      if (isBehind) return listObject(data, next.value);
      throw new AppError('PARAMETER_INVALID', { param: 'after', detail: 'after names no entry of the list' });
    }
    if (data.length === limit) return listObject(data, true);
    if (isBehind) data.push(next.value);
    isBehind ||= next.value.id === after;
  }
}

/** Returns whether there is more behind what is read at most. */
async function* entriesOf(
  call: Call,
  tools: ProcedureTools,
  { collection, read }: ListSource,
): AsyncGenerator<Entry, boolean> {
  let token = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ pageSize: String(PAGE_SIZE), ...(token === '' ? {} : { pageToken: token }) });
    const url = `${tools.baseUrl()}/${accountName(call)}/${collection}?${query}`;
    const answer = await askJson(tools, call, { method: 'GET', url });
    yield* objectsAt(answer, collection).flatMap((entry) => read(entry) ?? []);
    token = textAt(answer, 'nextPageToken') ?? '';
    if (token === '') return false;
  }
  return true;
}

function limitOf(text: string | null): number {
  const limit = text === null ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, MAX_LIMIT);
  throw new AppError('PARAMETER_INVALID', { param: 'limit', detail: 'limit must be a number from 1' });
}

const listObject = (data: readonly JsonObject[], hasMore: boolean): object => ({
  object: 'list',
  data,
  first_id: data[0]?.['id'] ?? null,
  last_id: data.at(-1)?.['id'] ?? null,
  has_more: hasMore,
});

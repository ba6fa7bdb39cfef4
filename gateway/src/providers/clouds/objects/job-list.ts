/** Lists of jobs whose pages go by tokens, for clients that go by the id of the last entry. */
import { AppError } from '../../../errors/index.ts';
import type { Call, JsonObject } from '../../contract.ts';

export type Entry = JsonObject & { readonly id: string };

export interface JobPage {
  readonly data: readonly Entry[];
  /** Undefined: there is no more. */
  readonly next: string | undefined;
}

export interface JobSource {
  /** Of one page of the service. */
  readonly maxLimit: number;
  /** The id that an entry would have; undefined: the text is a token. */
  idOf(after: string): string | undefined;
  read(limit: number, token: string): Promise<JobPage>;
}

const DEFAULT_LIMIT = 20;
/** Read at most to find an entry. */
const MAX_PAGES = 50;

/** `after` is the id of an entry, or the `last_id` of the page before: the token of the next one. Throws PARAMETER_INVALID. */
export async function listJobs({ query }: Call, source: JobSource): Promise<object> {
  const asked = new URLSearchParams(query);
  const limit = limitOf(asked.get('limit'), source);
  const after = asked.get('after') ?? '';
  const id = source.idOf(after);
  if (id !== undefined) return pageBehind(id, limit, source);
  const { data, next } = await source.read(limit, after);
  return listObject(data, next);
}

async function pageBehind(id: string, limit: number, source: JobSource): Promise<object> {
  const data: Entry[] = [];
  let isBehind = false;
  for await (const entry of entriesOf(source)) {
    if (data.length === limit) return { ...listObject(data, undefined), has_more: true };
    if (isBehind) data.push(entry);
    isBehind ||= entry.id === id;
  }
  if (isBehind) return listObject(data, undefined);
  throw new AppError('PARAMETER_INVALID', { param: 'after', detail: 'after names no entry of the list' });
}

async function* entriesOf({ maxLimit, read }: JobSource): AsyncGenerator<Entry> {
  let token: string | undefined = '';
  for (let pages = 0; pages < MAX_PAGES && token !== undefined; pages += 1) {
    const page: JobPage = await read(maxLimit, token);
    yield* page.data;
    token = page.next;
  }
}

const listObject = (data: readonly Entry[], next: string | undefined): object => ({
  object: 'list',
  data,
  first_id: data[0]?.id ?? null,
  last_id: next ?? data.at(-1)?.id ?? null,
  has_more: next !== undefined,
});

function limitOf(text: string | null, { maxLimit }: JobSource): number {
  const limit = text === null ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, maxLimit);
  throw new AppError('PARAMETER_INVALID', { param: 'limit', detail: 'limit must be a number from 1' });
}

/** Ids and lists of what an account keeps at the vendor. */
import { AppError } from '../../errors/index.ts';
import { type Entry, type JobPage, listJobs } from '../clouds/objects/index.ts';
import type { Call } from '../contract.ts';

const ID = /^[\w.-]{1,256}$/;

/** It is no path. */
export const isId = (id: string): boolean => ID.test(id) && !/^\.+$/.test(id);

/** Throws PARAMETER_INVALID. */
export function checkId(id: unknown, param: string): string {
  if (typeof id === 'string' && isId(id)) return id;
  throw new AppError('PARAMETER_INVALID', {
    param,
    detail: `${param} must be an id of letters, digits, dots, dashes and underscores`,
  });
}

export const datasetPath = (id: string): string => `/v1/datasets/${id}`;
export const fileId = ({ route }: Call): string => checkId(route['file_id'], 'file_id');

export const JOBS = '/v1/embed-jobs';
export const jobPath = ({ route }: Call): string => `${JOBS}/${checkId(route['batch_id'], 'batch_id')}`;

/** Of one request. */
const PAGE_SIZE = 100;
/** A place in the list, which is what `last_id` of a page names. */
const PLACE = /^\d{1,6}$/;

/** Requests for one page, at most. */
const MAX_READS = 50;

/** Entries from a place on, undefined where one cannot be read; fewer than asked for are the last. */
type ReadEntries = (from: number, limit: number) => Promise<readonly (Entry | undefined)[]>;

/** The page of `limit` and `after`, of the entries that `keep` admits; absent: of all. Rejects with PARAMETER_INVALID. */
export const listPage = (call: Call, read: ReadEntries, keep?: (entry: Entry) => boolean): Promise<object> =>
  listJobs(call, {
    maxLimit: PAGE_SIZE,
    idOf: (after) => (after === '' || PLACE.test(after) ? undefined : after),
    read: async (limit, token): Promise<JobPage> => {
      const data: Entry[] = [];
      let next: string | undefined;
      const size = keep === undefined ? limit : PAGE_SIZE;
      for await (const place of placesFrom(Number(token), size, read)) {
        const { entry } = place;
        next = place.next;
        if (entry !== undefined && (keep?.(entry) ?? true)) data.push(entry);
        if (data.length === limit) break;
      }
      return { data, next };
    },
  });

interface Place {
  /** Undefined: it cannot be read, or there is none. */
  readonly entry: Entry | undefined;
  /** Undefined: it is the last. */
  readonly next: string | undefined;
}

async function* placesFrom(start: number, size: number, read: ReadEntries): AsyncGenerator<Place> {
  let from = start;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const entries = await read(from, size);
    const end = entries.length < size ? from + entries.length : undefined;
    for (const entry of entries) {
      from += 1;
      yield { entry, next: from === end ? undefined : String(from) };
    }
    if (end === undefined) continue;
    if (entries.length === 0) yield { entry: undefined, next: undefined };
    return;
  }
}

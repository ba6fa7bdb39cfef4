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
    detail: `${param} is an id of letters, digits, dots, dashes and underscores`,
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

/** The page of `limit` and `after`. `read`: entries from a place on, undefined where one cannot be read; fewer than asked for are the last. Throws PARAMETER_INVALID. */
export const listPage = (
  call: Call,
  read: (from: number, limit: number) => Promise<readonly (Entry | undefined)[]>,
): Promise<object> =>
  listJobs(call, {
    maxLimit: PAGE_SIZE,
    idOf: (after) => (after === '' || PLACE.test(after) ? undefined : after),
    read: async (limit, token): Promise<JobPage> => {
      const from = Number(token);
      const entries = await read(from, limit);
      const data = entries.filter((entry) => entry !== undefined);
      return { data, next: entries.length < limit ? undefined : String(from + entries.length) };
    },
  });

export const invalidAnswer = ({ provider }: Call, problem: string): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', {
    provider,
    detail: `Invalid response received from ${provider}: ${problem}`,
  });

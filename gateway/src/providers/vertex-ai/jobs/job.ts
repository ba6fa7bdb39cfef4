/** What calls for jobs of the project have in common. */

import { AppError } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../../wire/json/json.ts';
import { askJob as ask, type Entry, type JobRequest, listJobs, parseJobId } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, ProcedureResult, ProcedureTools } from '../../contract.ts';
import { projectPath } from '../paths.ts';

const ID = /^\d{1,20}$/;

export interface JobKind {
  /** Of paths, and the member of lists. */
  readonly collection: string;
  /** Segment of the route. */
  readonly param: string;
  /** Undefined: it cannot be read. */
  read(job: JsonObject, call: Call): Entry | undefined;
}

interface PathRequest extends Omit<JobRequest, 'url'> {
  /** Behind the path of the project. */
  readonly path: string;
}

export const askJob = (call: Call, tools: ProcedureTools, request: PathRequest): Promise<JsonObject> =>
  ask(call, tools, { ...request, url: `${tools.baseUrl()}${projectPath(call)}/${request.path}` });

const pathOf = (call: Call, { collection, param }: JobKind): string =>
  `${collection}/${parseJobId(call.route[param] ?? '', ID, param)}`;

export const readJob = (call: Call, tools: ProcedureTools, kind: JobKind): Promise<JsonObject> =>
  askJob(call, tools, { method: 'GET', path: pathOf(call, kind) });

export const jobResult = (job: JsonObject, call: Call, kind: JobKind): ProcedureResult => {
  const value = kind.read(job, call);
  if (value !== undefined) return { kind: 'json', value };
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
};

/** The answer to a cancellation is empty: the job is read behind it. */
export async function cancelJob(call: Call, tools: ProcedureTools, kind: JobKind): Promise<ProcedureResult> {
  await tools.ask({ method: 'POST', url: `${tools.baseUrl()}${projectPath(call)}/${pathOf(call, kind)}:cancel` });
  return jobResult(await readJob(call, tools, kind), call, kind);
}

/** Of the service. */
const MAX_LIMIT = 100;

export async function jobsOf(call: Call, tools: ProcedureTools, kind: JobKind): Promise<object> {
  return listJobs(call, {
    maxLimit: MAX_LIMIT,
    idOf: (after) => (ID.test(after) ? after : undefined),
    async read(limit, token) {
      const query = new URLSearchParams({ pageSize: String(limit), ...(token === '' ? {} : { pageToken: token }) });
      const answer = await askJob(call, tools, { method: 'GET', path: `${kind.collection}?${query}` });
      const data = objectsAt(answer, kind.collection).flatMap((job) => kind.read(job, call) ?? []);
      return { data, next: textAt(answer, 'nextPageToken') || undefined };
    },
  });
}

/** `JOB_STATE_RUNNING` is `RUNNING`. */
export const stateOf = (job: JsonObject): string => (textAt(job, 'state') ?? '').replace(/^JOB_STATE_/, '');

/** The last segment of a name of the service. */
export const lastOf = (name: string | undefined): string | undefined => name?.split('/').at(-1);

export const encoded = (uri: string | undefined): string | undefined =>
  uri === undefined ? undefined : percentEncoded(uri);

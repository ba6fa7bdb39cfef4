/** What calls for jobs of the control plane have in common. */

import { AppError } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../../wire/json/json.ts';
import {
  askJob as ask,
  type Entry,
  type JobRequest,
  listJobs,
  refuseSetting,
  repeatedlyDecoded,
} from '../../clouds/objects/index.ts';
import type { Call, JsonObject, ProcedureTools } from '../../contract.ts';
import { fieldMissing } from '../../engine/index.ts';
import { controlPlaneUrl } from '../hosts.ts';

interface PathRequest extends Omit<JobRequest, 'url'> {
  /** Path and query. */
  readonly path: string;
}

export const askJob = (call: Call, tools: ProcedureTools, request: PathRequest): Promise<JsonObject> =>
  ask(call, tools, { ...request, url: controlPlaneUrl(call) + request.path });

const ROLE = 'role_arn';
const ROLE_FIELD = 'aws_job_role_arn';

/** The role that a job runs as: that of a stored account, whatever the call names. Throws AppError. */
export function roleOf(params: JsonObject, call: Call): string {
  const own = call.fields.text(ROLE_FIELD);
  const named = textAt(params, ROLE);
  if (call.stored === true) {
    if (own === undefined) throw fieldMissing(call.provider, ROLE_FIELD);
    if (named === undefined || named === own) return own;
    throw refuseSetting(ROLE, call);
  }
  const role = named ?? own;
  if (role !== undefined && role !== '') return role;
  throw new AppError('PARAMETER_INVALID', { param: ROLE, detail: `${ROLE} is missing` });
}

interface JobList {
  readonly path: string;
  /** Member with the jobs. */
  readonly member: string;
  /** Undefined: it cannot be read. */
  read(job: JsonObject): Entry | undefined;
}

/** Of the service. */
const MAX_LIMIT = 1_000;

export async function jobsOf(call: Call, tools: ProcedureTools, { path, member, read }: JobList): Promise<object> {
  return listJobs(call, {
    maxLimit: MAX_LIMIT,
    idOf(after) {
      const arn = repeatedlyDecoded(after, (text) => text.startsWith('arn:'));
      return arn === undefined ? undefined : percentEncoded(arn);
    },
    async read(limit, token) {
      const query = new URLSearchParams({ maxResults: String(limit), ...(token === '' ? {} : { nextToken: token }) });
      const answer = await askJob(call, tools, { method: 'GET', path: `${path}?${query}` });
      const data = objectsAt(answer, member).flatMap((job) => read(job) ?? []);
      return { data, next: textAt(answer, 'nextToken') || undefined };
    },
  });
}

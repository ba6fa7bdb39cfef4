/** Embed jobs of the account as batches. */

import { ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { type BatchEntry, EMBED_ENDPOINT, fromEmbedJob, toEmbedJob } from '../../wire/cohere/index.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { toBatchObject } from '../../wire/openai/index.ts';
import { taking } from '../../wire/params/params.ts';
import { askJob, required } from '../clouds/objects/index.ts';
import type { Call, Endpoint, JsonObject, Procedure, ProcedureTools } from '../contract.ts';
import { invalidResponse } from '../engine/index.ts';
import { withProviderOptions } from '../openai-like/index.ts';
import { checkId, JOBS, jobPath, listPage } from './account.ts';

const INPUT = 'input_file_id';
const FLOAT = 'float';
/** Of texts that a client sends, in characters. */
const MAX_TEXT = 256;
const MAX_TYPES = 16;

export const createBatch: Procedure = {
  offer: 'mapped',
  checksModels: true,
  takes: taking([
    ...['model', INPUT, 'endpoint', 'completion_window', 'provider_options'],
    ...['input_type', 'name', 'embedding_types', 'truncate'],
  ]),
  async run(call, tools) {
    const params = withoutNulls(withProviderOptions(withoutNulls(call.params), call));
    const { model } = params;
    if (typeof model !== 'string' || model === '') {
      throw invalid(call, 'model', 'is missing: all rows run the model of the batch');
    }
    tools.checkModel(params);
    const dataset = checkId(required(params, INPUT), INPUT);
    checkParams(params, call);
    const body = toEmbedJob(params, { model, dataset });
    const job = await askJob(call, tools, { method: 'POST', url: tools.baseUrl() + JOBS, body });
    const id = textAt(job, 'job_id');
    if (id === undefined || id === '') throw invalidResponse(call, 'the job has no job_id');
    const batch = toBatchObject({
      ...{ id, model, endpoint: EMBED_ENDPOINT, status: 'in_progress', input_file_id: dataset },
      created_at: Math.floor(call.now() / 1_000),
    });
    return { kind: 'json', value: batch };
  },
};

/** In which null means that they are not there. */
const OPTIONAL: ReadonlySet<string> = new Set([
  ...['completion_window', 'input_type', 'name', 'embedding_types', 'truncate', 'provider_options'],
]);

const withoutNulls = (params: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(params).filter(([name, value]) => value !== null || !OPTIONAL.has(name)));

const invalid = ({ provider }: Call, param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, provider, detail: `${param} ${rule}` });

/** Throws PARAMETER_INVALID or OPERATION_UNSUPPORTED. */
function checkParams(params: JsonObject, call: Call): void {
  const { provider } = call;
  const { endpoint = EMBED_ENDPOINT, completion_window: window = '24h', embedding_types: types } = params;
  if (endpoint !== EMBED_ENDPOINT) {
    const shown = typeof endpoint === 'string' ? endpoint.slice(0, 64) : 'this endpoint';
    throw new AppError('OPERATION_UNSUPPORTED', {
      ...{ param: 'endpoint', provider },
      detail: `Batches of ${shown} are not supported by ${provider}: endpoint must be ${EMBED_ENDPOINT}`,
    });
  }
  if (window !== '24h') throw invalid(call, 'completion_window', `must be 24h for batches of ${provider}`);
  for (const param of ['input_type', 'name', 'truncate']) {
    if (!isShortText(params[param])) throw invalid(call, param, `must be a text of 1 to ${MAX_TEXT} characters`);
  }
  if (types === undefined) return;
  const isList = Array.isArray(types) && types.length <= MAX_TYPES && types.every((type) => typeof type === 'string');
  if (!isList || !types.includes(FLOAT)) {
    throw invalid(
      call,
      'embedding_types',
      `must be a list of types with ${FLOAT} among them: the output has these vectors`,
    );
  }
}

const isShortText = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT);

export const getBatch: Endpoint = {
  method: 'GET',
  path: jobPath,
  request: { kind: 'none' },
  answer: {
    kind: 'read',
    read(body, { provider }) {
      const batch = fromEmbedJob(body);
      return batch.ok ? ok({ ...batch.value, provider }) : batch;
    },
  },
};

export const readJob = (call: Call, tools: ProcedureTools): Promise<JsonObject> =>
  askJob(call, tools, { method: 'GET', url: tools.baseUrl() + jobPath(call) });

/** Throws UPSTREAM_INVALID_RESPONSE. */
export function batchOf(job: JsonObject, call: Call): BatchEntry {
  const batch = fromEmbedJob(job);
  if (batch.ok) return batch.value;
  throw invalidResponse(call, batch.error);
}

export const cancelBatch: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    await askJob(call, tools, { method: 'POST', url: `${tools.baseUrl()}${jobPath(call)}/cancel` });
    const batch = batchOf(await readJob(call, tools), call);
    // The job may not show yet what was asked of it.
    return { kind: 'json', value: batch.status === 'in_progress' ? { ...batch, status: 'cancelling' } : batch };
  },
};

/** The vendor lists all jobs at once. */
export const listBatches: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    let all: Promise<readonly BatchEntry[]> | undefined;
    const jobs = async (): Promise<readonly BatchEntry[]> => {
      const answer = await askJob(call, tools, { method: 'GET', url: tools.baseUrl() + JOBS });
      return objectsAt(answer, 'embed_jobs').flatMap((job) => {
        const batch = fromEmbedJob(job);
        return batch.ok ? [batch.value] : [];
      });
    };
    const read = async (from: number, limit: number): Promise<readonly BatchEntry[]> => {
      all ??= jobs();
      return (await all).slice(from, from + limit);
    };
    return { kind: 'json', value: await listPage(call, read) };
  },
};

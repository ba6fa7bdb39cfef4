/** Embed jobs of the account as batches. */
import { ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { type BatchEntry, EMBED_ENDPOINT, fromEmbedJob, toEmbedJob } from '../../wire/cohere/index.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { toBatchObject } from '../../wire/openai/index.ts';
import { taking } from '../../wire/params/params.ts';
import { askJob, required } from '../clouds/objects/index.ts';
import type { Call, Endpoint, JsonObject, Procedure, ProcedureTools } from '../contract.ts';
import { withProviderOptions } from '../openai-like/index.ts';
import { checkId, invalidAnswer, JOBS, jobPath, listPage } from './account.ts';

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
    const params = withProviderOptions(call.params, call);
    const model = required(params, 'model');
    tools.checkModel(params);
    const dataset = checkId(required(params, INPUT), INPUT);
    checkParams(params, call);
    const body = toEmbedJob(params, { model, dataset });
    const job = await askJob(call, tools, { method: 'POST', url: tools.baseUrl() + JOBS, body });
    const id = textAt(job, 'job_id');
    if (id === undefined || id === '') throw invalidAnswer(call, 'the job has no job_id');
    const batch = toBatchObject({
      ...{ id, model, endpoint: EMBED_ENDPOINT, status: 'in_progress', input_file_id: dataset },
      created_at: Math.floor(call.now() / 1_000),
    });
    return { kind: 'json', value: batch };
  },
};

/** Throws PARAMETER_INVALID or OPERATION_UNSUPPORTED. */
function checkParams(params: JsonObject, { provider }: Call): void {
  const invalid = (param: string, rule: string): AppError =>
    new AppError('PARAMETER_INVALID', { param, provider, detail: `${param} ${rule}` });
  const { endpoint = EMBED_ENDPOINT, completion_window: window = '24h', embedding_types: types } = params;
  if (endpoint !== EMBED_ENDPOINT) {
    const shown = typeof endpoint === 'string' ? endpoint.slice(0, 64) : 'this endpoint';
    throw new AppError('OPERATION_UNSUPPORTED', {
      ...{ param: 'endpoint', provider },
      detail: `Batches of ${shown} are not supported by ${provider}: endpoint is ${EMBED_ENDPOINT}`,
    });
  }
  if (window !== '24h') throw invalid('completion_window', `is 24h for batches of ${provider}`);
  for (const param of ['input_type', 'name', 'truncate']) {
    if (!isShortText(params[param])) throw invalid(param, `is a text of 1 to ${MAX_TEXT} characters`);
  }
  if (types === undefined) return;
  const isList = Array.isArray(types) && types.length <= MAX_TYPES && types.every((type) => typeof type === 'string');
  if (!isList || !types.includes(FLOAT)) {
    throw invalid('embedding_types', `is a list of types with ${FLOAT} among them: the output has these vectors`);
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
  throw invalidAnswer(call, batch.error);
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

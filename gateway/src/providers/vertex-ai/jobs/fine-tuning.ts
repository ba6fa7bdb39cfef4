/** Fine-tuning jobs of OpenAI's API as tuning jobs. Source: Vertex AI REST reference, TuningJob. */
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { secondsOf } from '../../../wire/openai/index.ts';
import { taking } from '../../../wire/params/params.ts';
import { objectUri, parseObject, required } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, Procedure } from '../../contract.ts';
import { requireModel } from '../../engine/index.ts';
import { withProviderOptions } from '../../openai-like/index.ts';
import { GCS, namedModel } from '../files/index.ts';
import { askJob, cancelJob, encoded, type JobKind, jobResult, jobsOf, lastOf, readJob, stateOf } from './job.ts';

/** Names of hyperparameters at OpenAI and at the service. */
const HYPERPARAMETERS = [
  ['n_epochs', 'epochCount'],
  ['learning_rate_multiplier', 'learningRateMultiplier'],
  ['batch_size', 'adapterSize'],
] as const;

const STATUSES: ReadonlyMap<string, string> = new Map([
  ['RUNNING', 'running'],
  ['UPDATING', 'running'],
  ['SUCCEEDED', 'succeeded'],
  ['PARTIALLY_SUCCEEDED', 'succeeded'],
  ['FAILED', 'failed'],
  ['CANCELLING', 'cancelled'],
  ['CANCELLED', 'cancelled'],
  ['EXPIRED', 'cancelled'],
]);

const JOBS: JobKind = {
  collection: 'tuningJobs',
  param: 'job_id',
  read(job) {
    const id = lastOf(textAt(job, 'name'));
    if (id === undefined) return undefined;
    const spec = objectAt(job, 'supervisedTuningSpec');
    const given = objectAt(spec, 'hyperParameters');
    const status = STATUSES.get(stateOf(job)) ?? 'queued';
    return {
      id,
      object: 'fine_tuning.job',
      created_at: secondsOf(textAt(job, 'createTime')) ?? null,
      finished_at: secondsOf(textAt(job, 'endTime')) ?? null,
      model: textAt(job, 'baseModel') ?? null,
      fine_tuned_model: textAt(objectAt(job, 'tunedModel'), 'model') ?? null,
      suffix: textAt(job, 'tunedModelDisplayName') ?? null,
      status,
      training_file: encoded(textAt(spec, 'trainingDatasetUri')) ?? null,
      validation_file: encoded(textAt(spec, 'validationDatasetUri')) ?? null,
      hyperparameters: withoutAbsent(
        Object.fromEntries(
          HYPERPARAMETERS.map(([name, own]) => [name, numberIn(given, own) ?? textAt(given, own)] as const),
        ),
      ),
      trained_tokens: trainedTokens(job) ?? null,
      result_files: [],
      error: status === 'failed' ? { code: 'failed', message: problemOf(job), param: null } : null,
    };
  },
};

const problemOf = (job: JsonObject): string => textAt(objectAt(job, 'error'), 'message') ?? 'The job has failed';

const trainedTokens = (job: JsonObject): number | undefined =>
  numberIn(objectAt(objectAt(job, 'tuningDataStats'), 'supervisedTuningDataStats'), 'totalBillableTokenCount');

/** Whole numbers are texts, too. */
function numberIn(source: JsonObject | undefined, name: string): number | undefined {
  const text = textAt(source, name);
  return numberAt(source, name) ?? (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined);
}

export const createFinetune: Procedure = {
  offer: 'mapped',
  takes: taking([
    ...['model', 'suffix', 'training_file', 'validation_file', 'hyperparameters', 'method', 'provider_options'],
  ]),
  async run(call, tools) {
    const body = toJob(withProviderOptions(call.params, call), call);
    return jobResult(await askJob(call, tools, { method: 'POST', path: JOBS.collection, body }), call, JOBS);
  },
};

/** Throws PARAMETER_INVALID, MODEL_REQUIRED or ACCOUNT_SETTING_REFUSED. */
function toJob(params: JsonObject, call: Call): object {
  const uri = (param: string): string =>
    objectUri(GCS, parseObject(required(params, param), { call, rules: GCS, param }));
  const validation = params['validation_file'];
  const model = namedModel(requireModel(call), 'model', call);
  return withoutAbsent({
    baseModel: model.resource.startsWith('projects/') ? model.resource : model.name,
    tunedModelDisplayName: textAt(params, 'suffix'),
    supervisedTuningSpec: withoutAbsent({
      trainingDatasetUri: uri('training_file'),
      validationDatasetUri: validation === undefined || validation === null ? undefined : uri('validation_file'),
      hyperParameters: hyperparametersOf(params),
    }),
  });
}

/** At the top, or of the method. */
function hyperparametersOf(params: JsonObject): JsonObject | undefined {
  const method = objectAt(params, 'method');
  const given =
    objectAt(params, 'hyperparameters') ?? objectAt(objectAt(method, textAt(method, 'type') ?? ''), 'hyperparameters');
  const values = HYPERPARAMETERS.flatMap(([name, own]) => {
    const value = given?.[name];
    return value === undefined || value === null || value === 'auto' ? [] : [[own, value] as const];
  });
  return values.length === 0 ? undefined : Object.fromEntries(values);
}

export const getFinetune: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => jobResult(await readJob(call, tools, JOBS), call, JOBS),
};

export const cancelFinetune: Procedure = {
  offer: 'mapped',
  run: (call, tools) => cancelJob(call, tools, JOBS),
};

export const listFinetunes: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => ({ kind: 'json', value: await jobsOf(call, tools, JOBS) }),
};

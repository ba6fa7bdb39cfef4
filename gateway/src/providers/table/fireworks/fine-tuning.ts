/** Supervised fine-tuning jobs of the account as jobs of OpenAI's API. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { secondsOf } from '../../../wire/openai/index.ts';
import { taking } from '../../../wire/params/params.ts';
import type { Call, Endpoint, JsonObject, Procedure } from '../../contract.ts';
import { invalidAnswer, pathSegment, requireModel } from '../../engine/index.ts';
import { withProviderOptions } from '../../openai-like/index.ts';
import { accountName, askJson, checkId, idOfName, listPage, routeId } from './account.ts';

const COLLECTION = 'supervisedFineTuningJobs';
const NOTHING = { kind: 'none' } as const;

const jobsPath = (call: Call): string => `/${accountName(call)}/${COLLECTION}`;
const jobPath = (call: Call): string => `${jobsPath(call)}/${routeId(call, 'job_id')}`;

/** Settings of the vendor that pass as they are: none of them names a model, an account or an address. */
const OWN_SETTINGS = ['loraRank', 'maxContextLength', 'batchSize', 'earlyStop', 'isTurbo', 'evalAutoCarveout'];

const takes = taking([
  ...['model', 'training_file', 'validation_file', 'suffix', 'hyperparameters', 'method', 'learning_rate'],
  ...['output_model', 'provider_options', ...OWN_SETTINGS],
]);

type Job = JsonObject & { readonly id: string; readonly status: string };

const answer: Endpoint['answer'] = {
  kind: 'read',
  read(body, call) {
    const job = toJob(body);
    return job.ok ? ok({ ...job.value, provider: call.provider }) : job;
  },
};

export const createFinetune: Endpoint = {
  method: 'POST',
  path: jobsPath,
  request: {
    kind: 'write',
    takes: () => takes,
    write: (params, call) => ok(toBody(withProviderOptions(params, call), call)),
  },
  answer,
};

export const getFinetune: Endpoint = { method: 'GET', path: jobPath, request: NOTHING, answer };

export const listFinetunes: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => ({
    kind: 'json',
    value: await listPage(call, tools, {
      collection: COLLECTION,
      read: (entry) => {
        const job = toJob(entry);
        return job.ok ? job.value : undefined;
      },
    }),
  }),
};

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

/** The vendor deletes what is cancelled: the job is read before, and one that has ended is left alone. */
export const cancelFinetune: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const url = tools.baseUrl() + jobPath(call);
    const body = await askJson(tools, call, { method: 'GET', url });
    const job = toJob(body);
    if (!job.ok) {
      const { provider } = call;
      const { message } = invalidAnswer(provider, Buffer.from(JSON.stringify(body)));
      throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider, detail: message });
    }
    if (ENDED.has(job.value.status)) {
      throw new AppError('PARAMETER_INVALID', {
        param: 'job_id',
        detail: `The job has ended: it has ${job.value.status}`,
      });
    }
    await tools.ask({ method: 'DELETE', url });
    return { kind: 'json', value: { ...job.value, status: 'cancelled' } };
  },
};

/** Throws PARAMETER_INVALID. */
function toBody(params: JsonObject, call: Call): JsonObject {
  const account = accountName(call);
  const dataset = (name: string): string | undefined =>
    params[name] === undefined || params[name] === null
      ? undefined
      : `${account}/datasets/${checkId(params[name], name)}`;
  const training = dataset('training_file');
  if (training === undefined)
    throw new AppError('PARAMETER_INVALID', { param: 'training_file', detail: 'training_file is missing' });
  const settings = hyperparametersOf(params);
  const output = textAt(params, 'output_model');
  return withoutAbsent({
    ...Object.fromEntries(OWN_SETTINGS.map((name) => [name, params[name]])),
    dataset: training,
    evaluationDataset: dataset('validation_file'),
    displayName: textAt(params, 'suffix'),
    baseModel: modelName(requireModel(call), 'accounts/fireworks'),
    epochs: numberAt(settings, 'n_epochs'),
    learningRate: numberAt(params, 'learning_rate') ?? numberAt(settings, 'learning_rate_multiplier'),
    outputModel: output === undefined ? undefined : modelName(output, account),
  });
}

/** Models are resources of accounts; a bare name is one of the account. */
const modelName = (model: string, account: string): string =>
  model.startsWith('accounts/') ? model : `${account}/models/${pathSegment(model, 'model')}`;

/** At the top, or of the method. */
function hyperparametersOf(params: JsonObject): JsonObject | undefined {
  const method = objectAt(params, 'method');
  return (
    objectAt(params, 'hyperparameters') ?? objectAt(objectAt(method, textAt(method, 'type') ?? ''), 'hyperparameters')
  );
}

const RUNNING = ['CREATING', 'RUNNING', 'EVALUATION', 'WRITING_RESULTS', 'ROLLOUT'];
const STATUSES: ReadonlyMap<string, string> = new Map([
  ['COMPLETED', 'succeeded'],
  ['FAILED', 'failed'],
  ...['CANCELLED', 'DELETING'].map((state) => [state, 'cancelled'] as const),
  ...RUNNING.map((state) => [state, 'running'] as const),
]);

function toJob(body: unknown): Result<Job, string> {
  const id = isObject(body) ? idOfName(textAt(body, 'name')) : undefined;
  if (!isObject(body) || id === undefined) return err('the job has no name');
  const status = STATUSES.get((textAt(body, 'state') ?? '').replace(/^JOB_STATE_/, '')) ?? 'queued';
  return ok({
    id,
    object: 'fine_tuning.job',
    created_at: secondsOf(textAt(body, 'createTime')) ?? null,
    finished_at: secondsOf(textAt(body, 'completedTime')) ?? null,
    model: textAt(body, 'baseModel') ?? null,
    fine_tuned_model: status === 'succeeded' ? (textAt(body, 'outputModel') ?? null) : null,
    status,
    training_file: idOfName(textAt(body, 'dataset')) ?? null,
    validation_file: idOfName(textAt(body, 'evaluationDataset')) ?? null,
    hyperparameters: withoutAbsent({
      n_epochs: numberAt(body, 'epochs'),
      learning_rate_multiplier: numberAt(body, 'learningRate'),
    }),
    suffix: textAt(body, 'displayName') ?? null,
    trained_tokens: null,
    result_files: [],
    error: status === 'failed' ? problemOf(objectAt(body, 'status')) : null,
  });
}

const problemOf = (given: JsonObject | undefined): JsonObject => ({
  code: textAt(given, 'code') ?? 'failed',
  message: textAt(given, 'message') ?? 'The job has failed',
  param: null,
});

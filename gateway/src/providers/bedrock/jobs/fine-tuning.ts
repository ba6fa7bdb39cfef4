/** Fine-tuning jobs of OpenAI's API as customization jobs. Source: Amazon Bedrock API reference. */

import { randomUUID } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { scalarText } from '../../../lib/scalar-text.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { secondsOf } from '../../../wire/openai/index.ts';
import { taking } from '../../../wire/params/params.ts';
import { folderOf, objectUri, parseJobId, parseObject, parsePrefix, required } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, Procedure, ProcedureTools } from '../../contract.ts';
import { requireModel } from '../../engine/index.ts';
import { withProviderOptions } from '../../openai-like/index.ts';
import { S3 } from '../files/index.ts';
import { askJob, jobsOf, roleOf } from './job.ts';

const JOBS = '/model-customization-jobs';
const JOB_ID =
  /^(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]{1,32}:\d{12}:model-customization-job\/[A-Za-z0-9.:-]{1,128}\/[a-z0-9]{12}|[a-zA-Z0-9](?:-*[a-zA-Z0-9+.]){0,62})$/;

/** Names of hyperparameters at OpenAI and at the service, where they are texts. */
const HYPERPARAMETERS = [
  ['n_epochs', 'epochCount'],
  ['batch_size', 'batchSize'],
  ['learning_rate_multiplier', 'learningRate'],
] as const;

export const createFinetune: Procedure = {
  offer: 'mapped',
  takes: taking([
    ...['model', 'suffix', 'training_file', 'validation_file', 'hyperparameters', 'method', 'role_arn', 'job_name'],
    ...['customization_type', 'output_file', 'provider_options'],
  ]),
  async run(call, tools) {
    const params = withProviderOptions(call.params, call);
    const body = toJob(params, call);
    const arn = textAt(await askJob(call, tools, { method: 'POST', path: JOBS, body }), 'jobArn');
    if (arn === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
    const created = {
      ...body,
      jobArn: arn,
      status: 'InProgress',
      creationTime: new Date(call.now()).toISOString(),
    };
    return { kind: 'json', value: toFinetune(created) ?? {} };
  },
};

/** Throws PARAMETER_INVALID, PROVIDER_FIELD_MISSING, MODEL_REQUIRED or ACCOUNT_SETTING_REFUSED. */
function toJob(params: JsonObject, call: Call): JsonObject {
  const suffix = required(params, 'suffix');
  const object = (param: string) => parseObject(required(params, param), { call, rules: S3, param });
  const training = object('training_file');
  const validation = params['validation_file'];
  const output = textAt(params, 'output_file');
  return withoutAbsent({
    baseModelIdentifier: requireModel(call),
    customModelName: suffix,
    jobName: textAt(params, 'job_name') ?? `gateway-finetune-${randomUUID()}`,
    customizationType: textAt(params, 'customization_type') ?? 'FINE_TUNING',
    roleArn: roleOf(params, call),
    trainingDataConfig: { s3Uri: objectUri(S3, training) },
    validationDataConfig:
      validation === undefined || validation === null
        ? undefined
        : { validators: [{ s3Uri: objectUri(S3, object('validation_file')) }] },
    outputDataConfig: {
      s3Uri: parsePrefix(output ?? folderOf(S3, training) + suffix, {
        ...{ call, rules: S3 },
        param: output === undefined ? 'suffix' : 'output_file',
      }),
    },
    hyperParameters: hyperparametersOf(params),
  });
}

/** At the top, or of the method. */
function hyperparametersOf(params: JsonObject): JsonObject | undefined {
  const method = objectAt(params, 'method');
  const given =
    objectAt(params, 'hyperparameters') ?? objectAt(objectAt(method, textAt(method, 'type') ?? ''), 'hyperparameters');
  const texts = HYPERPARAMETERS.flatMap(([name, own]) => {
    const value = given?.[name];
    if (value === undefined || value === null || value === 'auto') return [];
    const text = scalarText(value);
    if (text !== '') return [[own, text] as const];
    throw new AppError('PARAMETER_INVALID', { param: `hyperparameters.${name}`, detail: `${name} must be a number` });
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

const pathOf = (call: Call): string =>
  `${JOBS}/${percentEncoded(parseJobId(call.route['job_id'] ?? '', JOB_ID, 'job_id'))}`;

async function jobOf(call: Call, tools: ProcedureTools): Promise<{ readonly kind: 'json'; readonly value: object }> {
  const job = toFinetune(await askJob(call, tools, { method: 'GET', path: pathOf(call) }));
  if (job !== undefined) return { kind: 'json', value: job };
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
}

export const getFinetune: Procedure = { offer: 'mapped', run: jobOf };

export const cancelFinetune: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    await askJob(call, tools, { method: 'POST', path: `${pathOf(call)}/stop` });
    return await jobOf(call, tools);
  },
};

export const listFinetunes: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => ({
    kind: 'json',
    value: await jobsOf(call, tools, { path: JOBS, member: 'modelCustomizationJobSummaries', read: toFinetune }),
  }),
};

const STATUSES: ReadonlyMap<string, string> = new Map([
  ['Completed', 'succeeded'],
  ['Failed', 'failed'],
  ['InProgress', 'running'],
  ['Stopping', 'cancelled'],
  ['Stopped', 'cancelled'],
]);

/** Undefined: it has no ARN. */
function toFinetune(job: JsonObject): (JsonObject & { readonly id: string }) | undefined {
  const arn = textAt(job, 'jobArn');
  if (arn === undefined) return undefined;
  const status = STATUSES.get(textAt(job, 'status') ?? '') ?? 'queued';
  const file = (uri: string | undefined): string | null => (uri === undefined ? null : percentEncoded(uri));
  const [validator] = objectsAt(objectAt(job, 'validationDataConfig'), 'validators');
  return {
    id: percentEncoded(arn),
    object: 'fine_tuning.job',
    job_name: textAt(job, 'jobName') ?? null,
    created_at: secondsOf(textAt(job, 'creationTime')) ?? null,
    finished_at: secondsOf(textAt(job, 'endTime')) ?? null,
    model: textAt(job, 'baseModelIdentifier') ?? textAt(job, 'baseModelArn') ?? null,
    fine_tuned_model: textAt(job, 'outputModelArn') ?? textAt(job, 'customModelArn') ?? null,
    suffix: textAt(job, 'outputModelName') ?? textAt(job, 'customModelName') ?? null,
    status,
    training_file: file(textAt(objectAt(job, 'trainingDataConfig'), 's3Uri')),
    validation_file: file(textAt(validator, 's3Uri')),
    hyperparameters: numbersOf(objectAt(job, 'hyperParameters')),
    trained_tokens: null,
    result_files: [],
    error: status === 'failed' ? { code: 'failed', message: problemOf(job), param: null } : null,
  };
}

const problemOf = (job: JsonObject): string => textAt(job, 'failureMessage') ?? 'The job has failed';

function numbersOf(given: JsonObject | undefined): JsonObject {
  const texts = isObject(given) ? given : {};
  return Object.fromEntries(
    HYPERPARAMETERS.flatMap(([name, own]) => {
      const number = numberAt(texts, own) ?? Number(textAt(texts, own) ?? Number.NaN);
      return Number.isNaN(number) ? [] : [[name, number] as const];
    }),
  );
}

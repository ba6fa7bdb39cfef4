/** Batches of OpenAI's API as invocation jobs. Source: Amazon Bedrock API reference. */

import { randomUUID } from 'node:crypto';
import { AppError } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { toBatchObject } from '../../../wire/openai/index.ts';
import { taking } from '../../../wire/params/params.ts';
import { folderOf, objectUri, parseJobId, parseObject, parsePrefix, required } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, Procedure, ProcedureTools } from '../../contract.ts';
import { rowCall } from '../../engine/index.ts';
import { withProviderOptions } from '../../openai-like/index.ts';
import { invocationType, S3 } from '../files/index.ts';
import { resolveModel } from '../model.ts';
import { BATCH_ID, toBatch } from './batch-job.ts';
import { askJob, jobsOf, roleOf } from './job.ts';

const JOB = '/model-invocation-job';
const INPUT = 'input_file_id';
/** What the service has beside, and what chooses no place, role or key. */
const OWN_OPTIONS = ['clientRequestToken', 'timeoutDurationInHours', 'modelInvocationType'];

export const createBatch: Procedure = {
  offer: 'mapped',
  checksModels: true,
  takes: taking([
    ...['model', INPUT, 'endpoint', 'completion_window', 'job_name', 'output_data_config', 'role_arn'],
    ...['provider_options', ...OWN_OPTIONS],
  ]),
  async run(call, tools) {
    const params = withProviderOptions(call.params, call);
    const model = required(params, 'model');
    tools.checkModel(params);
    const body = await toJob(params, call, tools);
    const answer = await askJob(call, tools, { method: 'POST', path: JOB, body });
    const arn = textAt(answer, 'jobArn');
    if (arn === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
    const batch = toBatchObject({
      ...{ id: percentEncoded(arn), status: 'validating', model },
      endpoint: textAt(params, 'endpoint') ?? '/v1/chat/completions',
      input_file_id: percentEncoded(body.inputDataConfig.s3InputDataConfig.s3Uri),
      created_at: Math.floor(call.now() / 1_000),
    });
    return { kind: 'json', value: { ...batch, status: 'submitted' } };
  },
};

/** Rejects with PARAMETER_INVALID, PROVIDER_FIELD_MISSING or ACCOUNT_SETTING_REFUSED. */
async function toJob(params: JsonObject, call: Call, tools: ProcedureTools) {
  const model = required(params, 'model');
  const input = parseObject(required(params, INPUT), { call, rules: S3, param: INPUT });
  const roleArn = roleOf(params, call);
  const facts = await resolveModel(
    rowCall(call, { endpoint: 'chatComplete', params: {}, model, without: ['aws_bedrock_model'] }),
    { services: tools.services, signal: tools.signal },
  );
  const type = params['modelInvocationType'] ?? invocationType(facts, textAt(params, 'endpoint') ?? '');
  return {
    ...withoutAbsent(Object.fromEntries(OWN_OPTIONS.map((name) => [name, params[name]]))),
    modelId: model,
    ...(type === 'InvokeModel' ? {} : { modelInvocationType: type }),
    inputDataConfig: { s3InputDataConfig: { s3Uri: objectUri(S3, input) } },
    jobName: textAt(params, 'job_name') ?? `gateway-batch-job-${randomUUID()}`,
    outputDataConfig: outputConfig(params, folderOf(S3, input), call),
    roleArn,
  };
}

/** Below the folder of the input, unless the call says where. */
function outputConfig(params: JsonObject, folder: string, call: Call): object {
  const given = params['output_data_config'];
  const param = 'output_data_config';
  const config = objectAt(params, param);
  const uri = typeof given === 'string' ? given : textAt(objectAt(config, 's3OutputDataConfig') ?? config, 's3Uri');
  if (given !== undefined && given !== null && uri === undefined) {
    throw new AppError('PARAMETER_INVALID', { param, detail: `${param} must be {"s3OutputDataConfig": {"s3Uri"}}` });
  }
  const s3Uri = uri === undefined ? folder : parsePrefix(uri, { call, rules: S3, param });
  const key = call.fields.text('aws_server_side_encryption_kms_key_id');
  return { s3OutputDataConfig: { s3Uri, ...(key === undefined ? {} : { s3EncryptionKeyId: key }) } };
}

const pathOf = (call: Call): string =>
  `${JOB}/${percentEncoded(parseJobId(call.route['batch_id'] ?? '', BATCH_ID, 'batch_id'))}`;

export const readJob = (call: Call, tools: ProcedureTools): Promise<JsonObject> =>
  askJob(call, tools, { method: 'GET', path: pathOf(call) });

async function batchOf(call: Call, tools: ProcedureTools): Promise<{ readonly kind: 'json'; readonly value: object }> {
  const batch = toBatch(await readJob(call, tools));
  if (batch !== undefined) return { kind: 'json', value: batch };
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
}

export const getBatch: Procedure = { offer: 'mapped', run: batchOf };

export const cancelBatch: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    await askJob(call, tools, { method: 'POST', path: `${pathOf(call)}/stop` });
    return await batchOf(call, tools);
  },
};

export const listBatches: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => ({
    kind: 'json',
    value: await jobsOf(call, tools, { path: `${JOB}s`, member: 'invocationJobSummaries', read: toBatch }),
  }),
};

/** Batches of OpenAI's API as batch prediction jobs. Source: Vertex AI REST reference. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../errors/index.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { taking } from '../../../wire/params/params.ts';
import { folderOf, objectUri, parseObject, parsePrefix, required } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, Procedure } from '../../contract.ts';
import { withProviderOptions } from '../../openai-like/index.ts';
import { GCS, namedModel } from '../files/index.ts';
import { BATCHES } from './batch-job.ts';
import { askJob, cancelJob, jobResult, jobsOf, readJob } from './job.ts';

const INPUT = 'input_file_id';
const OUTPUT = 'output_data_config';

export const createBatch: Procedure = {
  offer: 'mapped',
  checksModels: true,
  takes: taking(['model', INPUT, 'endpoint', 'completion_window', 'job_name', OUTPUT, 'provider_options', 'labels']),
  async run(call, tools) {
    const params = withProviderOptions(call.params, call);
    tools.checkModel(params);
    const job = await askJob(call, tools, { method: 'POST', path: BATCHES.collection, body: toJob(params, call) });
    return jobResult(job, call, BATCHES);
  },
};

/** Throws PARAMETER_INVALID or ACCOUNT_SETTING_REFUSED. */
function toJob(params: JsonObject, call: Call): object {
  const model = namedModel(required(params, 'model'), 'model', call);
  const input = parseObject(required(params, INPUT), { call, rules: GCS, param: INPUT });
  return withoutAbsent({
    displayName: textAt(params, 'job_name') ?? randomUUID(),
    model: model.resource,
    inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: [objectUri(GCS, input)] } },
    outputConfig: {
      predictionsFormat: 'jsonl',
      gcsDestination: { outputUriPrefix: outputPrefix(params, folderOf(GCS, input), call) },
    },
    instanceConfig: { excludedFields: ['requestId'], includedFields: [], instanceType: 'object' },
    labels: objectAt(params, 'labels'),
  });
}

/** The folder of the input, unless the call says where. */
function outputPrefix(params: JsonObject, folder: string, call: Call): string {
  const given = params[OUTPUT];
  if (given === undefined || given === null) return folder;
  const config = objectAt(params, OUTPUT);
  const uri =
    typeof given === 'string' ? given : textAt(objectAt(config, 'gcsDestination') ?? config, 'outputUriPrefix');
  if (uri !== undefined) return parsePrefix(uri, { call, rules: GCS, param: OUTPUT });
  throw new AppError('PARAMETER_INVALID', {
    param: OUTPUT,
    detail: `${OUTPUT} must be {"gcsDestination": {"outputUriPrefix"}}`,
  });
}

export const getBatch: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => jobResult(await readJob(call, tools, BATCHES), call, BATCHES),
};

export const cancelBatch: Procedure = {
  offer: 'mapped',
  run: (call, tools) => cancelJob(call, tools, BATCHES),
};

export const listBatches: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => ({ kind: 'json', value: await jobsOf(call, tools, BATCHES) }),
};

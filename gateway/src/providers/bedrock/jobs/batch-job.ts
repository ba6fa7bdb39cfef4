/** An invocation job as a batch of OpenAI's API. Source: Amazon Bedrock, GetModelInvocationJob. */
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import { secondsOf, toBatchObject } from '../../../wire/openai/index.ts';
import type { JsonObject } from '../../contract.ts';

/** Models that make embeddings have it in their names. */
const EMBEDDINGS_MODEL = /embed/;

/** By ARN, or by the last part of it. */
export const BATCH_ID = /^(?:arn:aws[a-z-]*:bedrock:[a-z0-9-]{1,32}:\d{12}:model-invocation-job\/)?[a-z0-9]{12}$/;

/** The words of the service in the spelling of OpenAI: `InProgress` is `in_progress`. */
export const statusOf = (job: JsonObject): string =>
  (textAt(job, 'status') ?? 'Submitted').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

const uriOf = (job: JsonObject, config: string, store: string): string | undefined =>
  textAt(objectAt(objectAt(job, config), store), 's3Uri');

export const inputUri = (job: JsonObject): string | undefined => uriOf(job, 'inputDataConfig', 's3InputDataConfig');
export const outputUri = (job: JsonObject): string | undefined => uriOf(job, 'outputDataConfig', 's3OutputDataConfig');

/** Where the service writes the rows of an input of one object; undefined: it is not known. */
export function outputOf(job: JsonObject): string | undefined {
  const [input, output, arn] = [inputUri(job), outputUri(job), textAt(job, 'jobArn')];
  const name = input?.split('/').at(-1);
  if (output === undefined || arn === undefined || name === undefined || name === '') return undefined;
  return `${output.endsWith('/') ? output : `${output}/`}${arn.split('/').at(-1)}/${name}.out`;
}

const encoded = (uri: string | undefined): string | undefined => (uri === undefined ? undefined : percentEncoded(uri));

/** Undefined: it has no ARN. */
export function toBatch(job: JsonObject): (JsonObject & { readonly id: string }) | undefined {
  const id = encoded(textAt(job, 'jobArn'));
  if (id === undefined) return undefined;
  const status = statusOf(job);
  const message = textAt(job, 'message');
  const endedAt = secondsOf(textAt(job, 'endTime'));
  const isFailed = status === 'failed';
  const model = textAt(job, 'modelId');
  const batch = toBatchObject({
    id,
    endpoint: EMBEDDINGS_MODEL.test(model ?? '') ? '/v1/embeddings' : '/v1/chat/completions',
    status: 'validating',
    model,
    input_file_id: encoded(inputUri(job)),
    output_file_id: status === 'completed' || status === 'partially_completed' ? encoded(outputOf(job)) : undefined,
    created_at: secondsOf(textAt(job, 'submitTime')),
    expires_at: secondsOf(textAt(job, 'jobExpirationTime')),
    finalizing_at: endedAt,
    completed_at: status === 'completed' || status === 'partially_completed' ? endedAt : undefined,
    failed_at: isFailed ? (endedAt ?? secondsOf(textAt(job, 'lastModifiedTime'))) : undefined,
    expired_at: status === 'expired' ? endedAt : undefined,
    cancelled_at: status === 'stopped' ? endedAt : undefined,
    errors: message === undefined || message === '' ? undefined : [{ code: 'failed', message }],
  });
  return { ...batch, id, status };
}

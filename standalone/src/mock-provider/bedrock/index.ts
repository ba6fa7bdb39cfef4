import type { Exchange, Route } from '../exchange.ts';
import type { JsonObject } from '../json.ts';
import type { Reply } from '../reply.ts';
import { answerConverse, countConverse, streamConverse } from './converse.ts';
import { bedrock } from './errors.ts';
import { invokeModel, streamInvoked } from './invoke.ts';

export { bedrock } from './errors.ts';

const post = (action: string, handle: (exchange: Exchange, body: JsonObject) => Reply): Route => ({
  method: 'POST',
  path: new RegExp(`^/model/([^/]+)/${action}$`),
  dialect: bedrock,
  input: 'json',
  model: 'path',
  handle,
});

/** The paths of Bedrock's runtime. Signatures are not verified. */
export function createBedrockRoutes(): readonly Route[] {
  return [
    post('converse', answerConverse),
    post('converse-stream', streamConverse),
    post('count-tokens', countConverse),
    post('invoke', invokeModel),
    post('invoke-with-response-stream', streamInvoked),
  ];
}

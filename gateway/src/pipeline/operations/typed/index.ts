/** Operations in a format that the gateway knows: the provider declares an endpoint for each. */
import type { EndpointId } from '../../../providers/contract.ts';
import { buildRequest, framingOf } from '../../../providers/engine/index.ts';
import { isEncoded, isEventStream } from '../../attempt/map/index.ts';
import type { OperationHandler, ServedCall } from '../handler.ts';
import { errorAnswer, streamAnswer, successAnswer } from './answer.ts';

/** Calls of an endpoint of the provider. `model`: whether the member `model` of the body names the model that runs. */
export function typedHandler(endpoint: EndpointId, { model }: { readonly model: 'body' | 'none' }): OperationHandler {
  return {
    endpoint,
    readsStream: true,
    passesQuery: false,
    endpointOf: ({ endpoints }) => endpoints[endpoint],
    modelAt: () => ({ kind: model }),
    buildRequest: ({ resolved, call }, parts) => buildRequest(resolved.target, call, parts),
    isStreamed,
    isEventStream: ({ endpoint }, response) => endpoint?.answer.kind !== 'binary' || isEventStream(response),
    mapAnswer: successAnswer,
    mapError: errorAnswer,
    mapStream: streamAnswer,
  };
}

/** Streams are relayed only with status 200, and as the bytes they are: one in an encoding that was not asked for is read whole. */
const isStreamed: OperationHandler['isStreamed'] = ({ call, endpoint }: ServedCall, response) => {
  if (response.status !== 200 || endpoint === undefined) return false;
  if (endpoint.answer.kind === 'binary') return true;
  const rule = endpoint.stream;
  if (!call.stream || rule === undefined || isEncoded(response)) return false;
  return isEventStream(response) || (rule.kind === 'decode' && framingOf(rule, call) !== 'sse');
};

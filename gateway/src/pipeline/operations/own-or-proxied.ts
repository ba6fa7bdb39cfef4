/** Calls of resources that the gateway keeps itself, unless a provider is named: docs/behaviour/managed-batches.md. */
import { isOwn } from '../resolve/own.ts';
import {
  ANY_BODY,
  COMPLETIONS,
  type LocalAnswer,
  type LocalPorts,
  type Operation,
  type OperationRoute,
  type OwnResourceCall,
  type ResolvedRequest,
} from './operation.ts';
import { proxiedAs } from './proxy/checked-as.ts';
import { PROXY_HANDLER } from './proxy/handler.ts';

export const ownOrProxied = (id: OwnResourceCall, method: OperationRoute['method'], path: string): Operation => ({
  id,
  routes: [{ method, path }],
  scopes: COMPLETIONS,
  bodies: ANY_BODY,
  cacheable: false,
  checkedAs: proxiedAs,
  errors: 'openai',
  streamFormat: 'events',
  handler: PROXY_HANDLER,
  mayBeOwn: true,
  answerLocally: ownAnswer(id),
});

/** Undefined: a provider has the resource. */
export const ownAnswer =
  (call: OwnResourceCall) =>
  (request: ResolvedRequest, { ownResources }: LocalPorts): Promise<LocalAnswer> | undefined =>
    isOwn(request.exchange, request.resolution) ? ownResources.answer(call, request) : undefined;

/** Calls for files, batches and fine-tuning jobs that a provider keeps, or the gateway itself: docs/behaviour/files-and-batches.md. */
import type { Procedure, Provider, ResourceEndpointId, RowCheck } from '../../providers/contract.ts';
import { isOwn } from '../resolve/own.ts';
import type { OperationHandler } from './handler.ts';
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
import { typedHandler } from './typed/index.ts';

interface ResourceRow {
  readonly route: OperationRoute;
  /** Default: any. The gateway judges bodies of its own resources itself. */
  readonly bodies?: Operation['bodies'];
  /** Whether the member `model` of the body names the model that runs; `rows`: each row of the body; `unknown`: others name it. Default: no model runs. */
  readonly model?: 'body' | 'rows' | 'unknown';
  readonly reportsRows?: Operation['reportsRows'];
  readonly createsBatch?: true;
  /** Default: those of OpenAI. */
  readonly errors?: Operation['errors'];
}

/** A call for a resource of a provider. */
export function resourceOperation(
  id: ResourceEndpointId,
  { route, bodies = ANY_BODY, model, reportsRows, createsBatch, errors = 'openai' }: ResourceRow,
): Operation {
  return {
    id,
    routes: [route],
    scopes: COMPLETIONS,
    bodies,
    cacheable: false,
    keptByProvider: true,
    ...(reportsRows === undefined ? {} : { reportsRows }),
    ...(createsBatch === undefined ? {} : { createsBatch }),
    checkedAs: proxiedAs,
    errors,
    streamFormat: 'events',
    handler: resourceHandler(id, model),
  };
}

function resourceHandler(id: ResourceEndpointId, model: ResourceRow['model']): OperationHandler {
  const procedureOf = ({ endpoints, procedures }: Pick<Provider, 'endpoints' | 'procedures'>): Procedure | undefined =>
    endpoints[id] === undefined ? procedures?.[id] : undefined;
  const rowCheckOf = ({ endpoints, rowChecks }: Pick<Provider, 'endpoints' | 'rowChecks'>): RowCheck | undefined =>
    endpoints[id] === undefined ? undefined : rowChecks?.[id];
  return {
    ...typedHandler(id, { model: model === 'body' ? 'body' : 'none' }),
    readsStream: false,
    passesQuery: true,
    modelAt: (provider) => {
      if (model === 'rows') return rowCheckOf(provider) && { kind: model };
      if (model !== 'unknown') return { kind: model ?? 'none' };
      const isChecked = procedureOf(provider)?.checksModels === true || rowCheckOf(provider) !== undefined;
      return isChecked ? { kind: 'none' } : undefined;
    },
    procedureOf,
    rowCheckOf,
  };
}

/** As above, of the gateway's own where the request names no provider, or the gateway. */
export const ownResourceOperation = (id: OwnResourceCall, row: ResourceRow): Operation => ({
  ...resourceOperation(id, row),
  mayBeOwn: true,
  answerLocally: ownAnswer(id),
});

/** Undefined: a provider has the resource. */
const ownAnswer =
  (call: OwnResourceCall) =>
  (request: ResolvedRequest, { ownResources }: LocalPorts): Promise<LocalAnswer> | undefined =>
    isOwn(request.exchange, request.resolution) ? ownResources.answer(call, request) : undefined;

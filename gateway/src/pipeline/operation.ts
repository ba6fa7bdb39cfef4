/** The operations of the data plane and what each needs; behaviour-lifecycle 1.3. */
import type { EndpointId } from '../providers/contract.ts';

export type OperationId = EndpointId | 'listModels' | 'proxy';

/** The format a client speaks: decides how answers, streams and errors look. */
export type Protocol = 'chat' | 'completion' | 'embedding' | 'messages' | 'responses' | 'models' | 'proxy';

export interface Operation {
  readonly id: OperationId;
  readonly protocol: Protocol;
  /** One of these scopes opens the operation. */
  readonly scopes: readonly string[];
  /** The body is a JSON object that the gateway reads. */
  readonly json: boolean;
  /** The response cache may be asked (behaviour-cache 6.1). */
  readonly cacheable: boolean;
}

const COMPLETIONS = ['completions.write'];

const operation = (id: OperationId, protocol: Protocol, more: Partial<Operation> = {}): Operation => ({
  id,
  protocol,
  scopes: COMPLETIONS,
  json: true,
  cacheable: true,
  ...more,
});

const READ = { json: false, cacheable: false } as const;

export const OPERATIONS = {
  chatComplete: operation('chatComplete', 'chat'),
  complete: operation('complete', 'completion'),
  embed: operation('embed', 'embedding'),
  messages: operation('messages', 'messages'),
  messagesCountTokens: operation('messagesCountTokens', 'messages', { cacheable: false }),
  createModelResponse: operation('createModelResponse', 'responses'),
  getModelResponse: operation('getModelResponse', 'responses', READ),
  deleteModelResponse: operation('deleteModelResponse', 'responses', READ),
  listResponseInputItems: operation('listResponseInputItems', 'responses', READ),
  listModels: operation('listModels', 'models', {
    ...READ,
    scopes: ['virtual_keys.list', 'models.list', ...COMPLETIONS],
  }),
  proxy: operation('proxy', 'proxy', { json: false }),
} as const satisfies Record<OperationId, Operation>;

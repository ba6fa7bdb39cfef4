/** The paths of the data plane and the operations behind them; behaviour-lifecycle 1.3. */
import { OPERATIONS, type Operation } from '../pipeline/index.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly operation: Operation;
}

const route = (method: Route['method'], path: string, operation: Operation): Route => ({ method, path, operation });

export const ROUTES: readonly Route[] = [
  route('POST', '/v1/chat/completions', OPERATIONS.chatComplete),
  route('POST', '/v1/completions', OPERATIONS.complete),
  route('POST', '/v1/embeddings', OPERATIONS.embed),
  route('POST', '/v1/messages', OPERATIONS.messages),
  route('POST', '/v1/messages/count_tokens', OPERATIONS.messagesCountTokens),
  route('POST', '/v1/responses', OPERATIONS.createModelResponse),
  route('GET', '/v1/responses/:response_id', OPERATIONS.getModelResponse),
  route('DELETE', '/v1/responses/:response_id', OPERATIONS.deleteModelResponse),
  route('GET', '/v1/responses/:response_id/input_items', OPERATIONS.listResponseInputItems),
  route('GET', '/v1/models', OPERATIONS.listModels),
  // Everything else below /v1 but the management API; PATCH is not routed.
  route('GET', '/v1/*', OPERATIONS.proxy),
  route('POST', '/v1/*', OPERATIONS.proxy),
  route('PUT', '/v1/*', OPERATIONS.proxy),
  route('DELETE', '/v1/*', OPERATIONS.proxy),
];

import { AppError } from '../../../errors/index.ts';
import type { Caller, Exchange } from '../../exchange.ts';

/** Segments of routes that name what one account has: no other one can answer. */
const RESOURCES = ['file_id', 'batch_id', 'job_id', 'response_id'];

/** Names an account with the operation that the target's provider does not have. Other errors stay as they are. */
export function withSuggestion(
  error: AppError,
  { exchange, caller }: { readonly exchange: Exchange; readonly caller: Caller },
): AppError {
  const { operation, request, snapshot } = exchange;
  if (error.code !== 'OPERATION_UNSUPPORTED' || error.param !== undefined) return error;
  if (RESOURCES.some((name) => request.route[name] !== undefined)) return error;
  const known = snapshot.providers(caller.workspace.name);
  const other = known.find(({ provider }) => operation.handler.endpointOf(provider) !== undefined);
  if (other === undefined) return error;
  const { slug } = other;
  return new AppError(error.code, {
    detail: `${error.message}; in the workspace ${caller.workspace.name} @${slug} offers it, for example with x-gw-config: {"provider":"@${slug}"}`,
    ...(error.provider === undefined ? {} : { provider: error.provider }),
  });
}

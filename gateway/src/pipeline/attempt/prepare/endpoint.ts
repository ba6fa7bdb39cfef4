/** Which endpoint of a provider serves a call: the operation's own, or that of an adapter where the provider has none. */
import type { Call, Endpoint, Provider } from '../../../providers/contract.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { Adaptation, Adapters } from '../../adapters/index.ts';
import type { Operation } from '../../operations/index.ts';

export interface ServingEndpoint {
  readonly id: Call['endpoint'];
  readonly endpoint: Endpoint | undefined;
  /** In the format of the endpoint. */
  readonly params: JsonObject;
  readonly adaptation: Adaptation | undefined;
}

export interface EndpointInput {
  readonly adapters: Adapters;
  readonly operation: Operation;
  readonly provider: Provider;
  /** In the format of the operation. */
  readonly params: JsonObject;
  /** The call as the operation's own endpoint would get it. */
  ownCall(): Call;
}

/** Throws what an adapter throws. */
export function servingEndpoint({ adapters, operation, provider, params, ownCall }: EndpointInput): ServingEndpoint {
  const { handler, id } = operation;
  const own = { id: handler.endpoint, endpoint: handler.endpointOf(provider), params, adaptation: undefined };
  const adapter = adapters.find(id, provider);
  if (adapter === undefined) return own;
  const call = ownCall();
  if (own.endpoint !== undefined && own.endpoint.supports?.(call) !== false) return own;
  const adaptation = adapter.adapt(params, call);
  const endpoint = provider.endpoints[adapter.endpoint];
  return { id: adapter.endpoint, endpoint, params: adaptation.params, adaptation };
}

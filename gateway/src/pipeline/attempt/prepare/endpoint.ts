/** Which endpoint of a provider serves a call: the operation's own, or that of an adapter where the provider has none. */
import type { Call, Endpoint } from '../../../providers/contract.ts';
import { NOTHING_DROPPED, saysParam } from '../../../providers/engine/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { Adaptation, Adapters } from '../../adapters/index.ts';
import type { Door } from '../../doors/index.ts';
import type { Exchange } from '../../exchange.ts';
import { endpointOf } from '../../operations/index.ts';
import { type CallFacts, ClientCall } from './call.ts';

export interface ServingEndpoint {
  readonly id: Call['endpoint'];
  readonly endpoint: Endpoint | undefined;
  /** In the format of the endpoint. */
  readonly params: JsonObject;
  readonly adaptation: Adaptation | undefined;
  /** Parameters of the client's API that the provider does not have. */
  readonly dropped: readonly string[];
}

export interface EndpointInput {
  readonly adapters: Adapters;
  readonly exchange: Exchange;
  readonly facts: CallFacts;
  /** In the format of the operation. */
  readonly params: JsonObject;
  readonly strict: boolean;
}

/** Throws what an adapter throws. */
export function servingEndpoint({ adapters, exchange, facts, params, strict }: EndpointInput): ServingEndpoint {
  const { door, id: operation } = exchange.operation;
  const { provider } = facts.target;
  const { id, endpoint } = endpointOf(exchange.operation, provider);
  const own = { id, endpoint, params, adaptation: undefined, dropped: NOTHING_DROPPED };
  const adapter = adapters.find(operation, provider);
  if (adapter === undefined && door?.vendorParams === undefined) return own;
  const call = new ClientCall(exchange, facts, { endpoint: own.id, params, strict, hidesUsage: false });
  if (adapter === undefined) return { ...own, ...withoutForeign(params, door ?? {}, { endpoint, call }) };
  if (endpoint !== undefined && endpoint.supports?.(call) !== false) return own;
  const other = provider.endpoints[adapter.endpoint];
  const { model } = call;
  const adaptation = adapter.adapt(params, {
    ...{ provider: call.provider, model, newId: call.newId, now: facts.now },
    has: (param) => other && saysParam(other, param, call),
  });
  return {
    ...{ id: adapter.endpoint, endpoint: other, params: adaptation.params, adaptation },
    dropped: adaptation.dropped ?? NOTHING_DROPPED,
  };
}

/** Leaves out the members that the endpoint does not name: other vendors refuse what they do not know. */
function withoutForeign(
  params: JsonObject,
  { vendorParams = [], forOthers, refuseAt }: Pick<Door, 'vendorParams' | 'forOthers' | 'refuseAt'>,
  { endpoint, call }: { readonly endpoint: Endpoint | undefined; readonly call: Call },
): Pick<ServingEndpoint, 'params' | 'dropped'> {
  if (endpoint === undefined) return { params, dropped: NOTHING_DROPPED };
  const isForeign = (name: string): boolean => saysParam(endpoint, name, call) !== true;
  refuseAt?.(params, { names: (name) => !isForeign(name), isPlain: endpoint.request.kind === 'table' });
  const others = forOthers !== undefined && isForeign(forOthers.ownParam) ? forOthers : undefined;
  const said = others?.params(params) ?? params;
  const leftOut = others?.leftOut?.(params) ?? NOTHING_DROPPED;
  const foreign = vendorParams.filter((name) => said[name] !== undefined && isForeign(name));
  if (foreign.length === 0) return { params: said, dropped: leftOut };
  const kept = Object.entries(said).filter(([name]) => !foreign.includes(name));
  return { params: Object.fromEntries(kept), dropped: [...leftOut, ...foreign] };
}

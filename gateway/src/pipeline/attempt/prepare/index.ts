/** The account and the call of one target: what all later steps of an attempt share. */
import type { Call, ProviderServices } from '../../../providers/contract.ts';
import { type Leaf, shapeParams } from '../../../routing/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { callerFacts } from '../../caller-facts.ts';
import type { ServedCall } from '../../operations/index.ts';
import type { Resolution } from '../../resolve/index.ts';
import { viaHeaders } from '../../via.ts';
import type { AttemptInput, AttemptPorts } from '../ports.ts';
import { createCall, modelOf } from './call.ts';
import { type Forwarding, forwardedHeaders } from './client-headers.ts';
import { ranksBelow } from './credential-scope.ts';
import { type ServingEndpoint, servingEndpoint } from './endpoint.ts';
import { type ResolvedTarget, resolveTarget } from './target.ts';

export { modelOf } from './call.ts';
export { clientHeaders } from './client-headers.ts';
export { type ResolvedTarget, targetIdentity } from './target.ts';

export interface Prepared extends ServedCall {
  readonly input: AttemptInput;
  readonly leaf: Leaf;
  readonly resolved: ResolvedTarget;
  readonly forwarded: Readonly<Record<string, string>>;
  /** Headers of the call that the provider's hooks have read. */
  readonly headersRead: ReadonlyMap<string, string>;
  /** The `Via` header for a custom host, which may be a gateway again. */
  readonly via: Readonly<Record<string, string>> | undefined;
  /** The headers of the last call: credentials in them are taken out of its answer. */
  readonly sent: { headers: Readonly<Record<string, string>> };
}

/** `params`: instead of those that the target shapes. Throws the AppError of a target that cannot be used. */
export function prepare(
  ports: AttemptPorts,
  input: AttemptInput,
  leaf: Leaf,
  params: JsonObject = shapeParams(input.resolution.params, leaf.settings.shape),
): Prepared {
  const { exchange, caller, resolution } = input;
  const model = modelOf(params);
  const { request, snapshot, operation } = exchange;
  const { providers, hosts } = ports;
  const asked = { operation, params, model, nowMs: ports.now() };
  const resolved = resolveTarget(leaf, { providers, hosts, request, caller, snapshot, resolution, ...asked });
  const { provider, fields, stored, ownIdentity } = resolved.target;
  const strict = leaf.settings.strict && !resolution.headerOverrides.relaxed;
  const { keyHeaders } = caller;
  const headersRead = new Map<string, string>();
  const facts = { provider: provider.id, model, fields, stored, ownIdentity, keyHeaders, headersRead, now: ports.now };
  const own = { endpoint: operation.handler.endpoint, params, strict, hidesUsage: false };
  const ownCall = (): Call => createCall(exchange, { ...facts, ...own });
  const serving = servingEndpoint({ adapters: ports.adapters, operation, provider, params, ownCall });
  const { endpoint, adaptation } = serving;
  const asking = withUsageAsked(ports, { input, serving, provider: provider.id, model });
  const call = createCall(exchange, {
    ...facts,
    endpoint: serving.id,
    params: asking ?? serving.params,
    hidesUsage: asking !== undefined,
    // An adapter reads what only clients that are not strict would get.
    strict: strict && adaptation === undefined,
  });
  const forwarded = forwardedHeaders({ request, caller, snapshot }, forwardingOf(leaf, resolution, resolved));
  const via = resolved.target.namedHost ? viaHeaders(request, ports.gatewayName) : undefined;
  const sent = { headers: {} };
  const headers = { forwarded, headersRead, via, sent };
  return { input, operation, leaf, resolved, params, provider, endpoint, adaptation, call, ...headers };
}

interface UsageInput {
  readonly input: AttemptInput;
  readonly serving: ServingEndpoint;
  readonly provider: string;
  readonly model: string;
}

/**
 * The parameters of a stream whose usage is needed and was not asked for: by a sink, or by an adapter, which writes it in the
 * format of the client. Undefined: they are sent as they are.
 */
function withUsageAsked(
  ports: AttemptPorts,
  { input, serving: { endpoint, params, adaptation }, provider, model }: UsageInput,
): JsonObject | undefined {
  if (endpoint?.askForUsage === undefined || params['stream'] !== true) return undefined;
  const { exchange, caller } = input;
  const question = { operation: exchange.operation.id, caller: callerFacts(caller), provider, model };
  if (adaptation === undefined && !ports.needsStreamUsage(question)) return undefined;
  const asking = endpoint.askForUsage(params);
  return asking === params ? undefined : asking;
}

/** The headers to forward, and whether a credential among them may go beside the one that is stored. */
function forwardingOf(leaf: Leaf, { headerOverrides, plan }: Resolution, { storedBy }: ResolvedTarget): Forwarding {
  const asked = headerOverrides.forwardHeaders;
  const namedBy = asked === undefined ? plan.owner : 'client';
  return {
    names: asked ?? leaf.settings.forwardHeaders,
    credentials: storedBy === undefined || !ranksBelow(namedBy, storedBy),
  };
}

/** Retry and timeout of a target, where the request's own timeout wins. */
export const sendSettings = ({ leaf, input }: Prepared) => ({
  retry: leaf.settings.retry,
  requestTimeoutMs: input.resolution.headerOverrides.requestTimeoutMs ?? leaf.settings.requestTimeoutMs,
});

/** The request holds what side calls bring: files go into the body that is written for the provider. */
export function servicesOf(
  ports: AttemptPorts,
  { input, resolved }: Pick<Prepared, 'input' | 'resolved'>,
): ProviderServices {
  return ports.servicesFor(resolved.hostOrigin, input.exchange.memory);
}

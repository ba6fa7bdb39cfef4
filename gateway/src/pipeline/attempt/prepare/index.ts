/** The account and the call of one target: what all later steps of an attempt share. */
import { AppError } from '../../../errors/index.ts';
import type { Call, ProviderServices } from '../../../providers/contract.ts';
import {
  droppedNames,
  MAX_DROPPED_NAMES,
  NOTHING_DROPPED,
  type PreparedTarget,
} from '../../../providers/engine/index.ts';
import type { Capture, CapturedAttempt } from '../../../record/index.ts';
import { type Leaf, type LeafSettings, NO_RETRY, shapeParams } from '../../../routing/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { callerFacts } from '../../caller-facts.ts';
import { ownFormModelOf } from '../../exchange.ts';
import { openGuards, type TargetGuards } from '../../guardrails/index.ts';
import { countsUsage } from '../../limits/index.ts';
import { type Operation, type ServedCall, takesForms } from '../../operations/index.ts';
import { type PromptUse, promptOfTarget, providerOfSlug, type Resolution } from '../../resolve/index.ts';
import { viaOf } from '../../via.ts';
import type { AttemptInput, AttemptPorts } from '../ports.ts';
import { type AttemptSpan, attemptSpan } from './attempt-span.ts';
import { ClientCall, modelOf } from './call.ts';
import { forwardedHeaders } from './client-headers.ts';
import { ranksBelow } from './credential-scope.ts';
import { type ServingEndpoint, servingEndpoint } from './endpoint.ts';
import { type ResolvedTarget, resolveTarget } from './target.ts';

export { modelOf } from './call.ts';
export { clientHeaders, mayBeAdded } from './client-headers.ts';
export { checkModelOfRow } from './model-allow-list.ts';
export { isModelName } from './named-models.ts';
export { pricesOf } from './prices.ts';
export { type ResolvedTarget, targetIdentity } from './target.ts';

export interface Prepared extends ServedCall {
  readonly input: AttemptInput;
  /** As the prompt of the target changes it. */
  readonly resolution: Resolution;
  /** The saved prompt that the call is made of. */
  readonly prompt: PromptUse | undefined;
  readonly leaf: Leaf;
  /** Retry and timeout of the target, where the request's own timeout wins. */
  readonly settings: Pick<LeafSettings, 'retry' | 'requestTimeoutMs'>;
  readonly resolved: ResolvedTarget;
  readonly forwarded: Readonly<Record<string, string>>;
  /** Headers of the call that the provider's hooks have read, where answers are cached. */
  readonly headersRead: ReadonlyMap<string, string> | undefined;
  /** Parameters of the client that the provider does not have: they are left out. */
  readonly droppedParams: readonly string[];
  /** Whether the client takes nothing beyond its format; an adapter reads what others would get, so that `call` says less. */
  readonly strict: boolean;
  /** The `Via` header for a custom host, which may be a gateway again. */
  readonly via: string | undefined;
  /** Undefined: no guardrail looks at the call. */
  readonly guards: TargetGuards | undefined;
  /** Headers and bodies for the request log; undefined: none are kept. */
  readonly captured: CapturedAttempt | undefined;
  /** Undefined: no spans are made. */
  readonly span: AttemptSpan | undefined;
  /** The headers of the last call: credentials in them are taken out of its answer; and where it went. */
  readonly sent: { headers: Readonly<Record<string, string>>; origin: string | undefined };
}

/** What checks of the request have made of a call. */
export type Replaced = Pick<Prepared, 'params' | 'forwarded' | 'guards' | 'resolution' | 'prompt'>;

const NO_HEADERS: Readonly<Record<string, string>> = {};

const retryOf = ({ isSentOnce }: AttemptInput['exchange'], { settings }: Leaf): LeafSettings['retry'] =>
  isSentOnce === true ? NO_RETRY : settings.retry;

/** `replaced`: instead of what the target and the client say. Throws the AppError of a target that cannot be used. */
export function prepare(ports: AttemptPorts, input: AttemptInput, leaf: Leaf, replaced?: Replaced): Prepared {
  const own = replaced === undefined ? promptFor(input, leaf) : undefined;
  const { exchange, caller } = input;
  const { request, snapshot, operation } = exchange;
  const asIs = own?.resolution ?? replaced?.resolution ?? input.resolution;
  const { params, resolution } = shaped(asIs, { operation, leaf, replaced });
  const model = modelOf(params);
  const { headerOverrides } = resolution;
  const { providers, hosts, adapters, now } = ports;
  const asked = { providers, hosts, request, caller, snapshot, resolution, operation, params, model, nowMs: now() };
  const resolved = resolveTarget(leaf, asked);
  const { target } = resolved;
  const { provider } = target;
  const { cache, requestTimeoutMs } = leaf.settings;
  const strict = leaf.settings.strict && !headerOverrides.relaxed;
  const headersRead = cache === undefined ? undefined : new Map<string, string>();
  const facts = { target, model, keyHeaders: caller.keyHeaders, headersRead, now };
  const serving = servingEndpoint({ adapters, exchange, facts, params, strict });
  const { endpoint, adaptation } = serving;
  const isStream = serving.params['stream'] === true;
  const asking = isStream
    ? withUsageAsked(ports, { input, resolved, serving, provider: provider.id, model })
    : undefined;
  const guards = replaced === undefined ? openGuards(ports.guardrails, input, leaf) : replaced.guards;
  const call = new ClientCall(exchange, facts, {
    endpoint: serving.id,
    params: asking ?? serving.params,
    hidesUsage: asking !== undefined,
    strict: strict && adaptation === undefined && !mayTellMore(operation, isStream, guards),
    placeOf: adaptation?.placeOf,
  });
  return {
    input,
    resolution,
    prompt: own?.prompt ?? replaced?.prompt ?? resolution.prompt?.use,
    operation,
    leaf,
    settings: {
      retry: retryOf(exchange, leaf),
      requestTimeoutMs: headerOverrides.requestTimeoutMs ?? requestTimeoutMs,
    },
    resolved,
    params,
    provider,
    endpoint,
    adaptation,
    call,
    forwarded: replaced?.forwarded ?? forwardedOf(input, leaf, resolved),
    headersRead,
    strict,
    droppedParams: droppedOf({ call, serving, operation }, target, leaf.settings),
    guards,
    via: target.namedHost ? viaOf(request, ports.gatewayName) : undefined,
    captured: input.captured && captureOf(input.captured, { params, resolution: input.resolution }),
    span: exchange.trace.span && attemptSpan(exchange.trace.span),
    sent: { headers: NO_HEADERS, origin: undefined },
  };
}

/**
 * A door and an adapter read what only clients that are not strict would get. Windows change a text as it passes, and not what quotes it
 * behind.
 */
function mayTellMore({ door }: Operation, isStream: boolean, guards: TargetGuards | undefined): boolean {
  if (door === undefined) return false;
  const hooks = guards?.hooks.output ?? [];
  return !isStream || hooks.some(({ buffer }) => buffer) || hooks.every(({ window }) => window === undefined);
}

function captureOf(
  captured: Capture,
  { params, resolution }: { readonly params: JsonObject; readonly resolution: Resolution },
): CapturedAttempt {
  const attempt = captured.openAttempt();
  if (captured.isWhole && params !== resolution.params) attempt.params = params;
  return attempt;
}

interface ShapeInput {
  readonly operation: Operation;
  readonly leaf: Leaf;
  readonly replaced: Replaced | undefined;
}

/** The parameters as the target shapes them. Of a form the model alone is one; what the config makes of it takes its place. */
function shaped(
  resolution: Resolution,
  { operation, leaf, replaced }: ShapeInput,
): { readonly params: JsonObject; readonly resolution: Resolution } {
  const isForm = takesForms(operation);
  const own = isForm ? ownFormModelOf(resolution) : '';
  const given = own === '' ? resolution.params : { model: own };
  const params = replaced?.params ?? shapeParams(given, leaf.settings.shape, operation.door?.mergedParams);
  const model = isForm ? modelOf(params) : '';
  return { params, resolution: model === '' || model === own ? resolution : { ...resolution, formModel: model } };
}

/** The request with the prompt of the target in place of its own. */
function promptFor(
  { exchange, caller, resolution }: AttemptInput,
  leaf: Leaf,
): { readonly resolution: Resolution; readonly prompt: PromptUse } | undefined {
  const { prompt } = resolution;
  const own = promptOfTarget(leaf, { exchange, caller, prompted: prompt });
  if (own === undefined) return undefined;
  const isNamed = own.provider === undefined || prompt?.namesProvider === true;
  const requestProvider = isNamed
    ? resolution.requestProvider
    : providerOfSlug(own.provider ?? '', { caller, snapshot: exchange.snapshot });
  return { resolution: { ...resolution, params: own.params, requestProvider }, prompt: own.use };
}

/** Throws PARAMETER_UNSUPPORTED where the config refuses to leave them out. */
function droppedOf(
  {
    call,
    serving,
    operation,
  }: { readonly call: Call; readonly serving: ServingEndpoint; readonly operation: Operation },
  { compiled, provider: called }: PreparedTarget,
  { unsupportedParams }: Pick<LeafSettings, 'unsupportedParams'>,
): readonly string[] {
  const takes = operation.handler.procedureOf?.(called)?.takes;
  const own =
    takes === undefined ? compiled.endpoints.get(call.endpoint)?.dropped?.(call) : droppedNames(call.params, takes);
  const names = namesForClient(own ?? NOTHING_DROPPED, serving);
  const [first] = names;
  if (first === undefined || unsupportedParams === 'drop') return names;
  const { provider } = call;
  throw new AppError('PARAMETER_UNSUPPORTED', {
    param: first,
    provider,
    detail: `${provider} does not have ${names.join(', ')} in ${call.operation}, and the config has unsupported_params: error; leave ${names.length > 1 ? 'them' : 'it'} out`,
  });
}

function namesForClient(names: readonly string[], { adaptation, dropped }: ServingEndpoint): readonly string[] {
  if (dropped.length === 0 && adaptation === undefined) return names;
  const named = names.map((name) => adaptation?.nameOf?.(name) ?? name);
  return [...new Set([...dropped, ...named])].slice(0, MAX_DROPPED_NAMES);
}

interface UsageInput {
  readonly input: AttemptInput;
  readonly resolved: ResolvedTarget;
  readonly serving: ServingEndpoint;
  readonly provider: string;
  readonly model: string;
}

/**
 * The parameters of a stream whose usage is needed and was not asked for: by a limit, by a sink, or by an adapter, which writes
 * it in the format of the client. Undefined: they are sent as they are.
 */
function withUsageAsked(
  ports: AttemptPorts,
  { input, resolved, serving: { endpoint, params, adaptation }, provider, model }: UsageInput,
): JsonObject | undefined {
  if (endpoint?.askForUsage === undefined) return undefined;
  const { exchange, caller } = input;
  const question = { operation: exchange.operation.id, caller: callerFacts(caller), provider, model };
  const isNeeded = adaptation !== undefined || countsUsage({ input, resolved }) || ports.needsStreamUsage(question);
  if (!isNeeded) return undefined;
  const asking = endpoint.askForUsage(params);
  return asking === params ? undefined : asking;
}

/** Rows that a provider packs, or of which it sends the end alone, could not be counted. */
const SELECTS_BYTES: ReadonlySet<string> = new Set(['accept-encoding', 'if-range', 'range']);

/** The headers that the config or the request asks to forward; a credential only where it may go beside the stored one. */
function forwardedOf(
  { exchange: { operation, request, snapshot }, caller, resolution: { headerOverrides, plan } }: AttemptInput,
  leaf: Leaf,
  { storedBy }: ResolvedTarget,
): Readonly<Record<string, string>> {
  const asked = headerOverrides.forwardHeaders;
  const given = asked ?? leaf.settings.forwardHeaders;
  if (given.length === 0) return NO_HEADERS;
  const names = operation.reportsRows === undefined ? given : given.filter((name) => !SELECTS_BYTES.has(name));
  const namedBy = asked === undefined ? plan.owner : 'client';
  const credentials = storedBy === undefined || !ranksBelow(namedBy, storedBy);
  return forwardedHeaders({ request, caller, snapshot }, { names, credentials });
}

/** The request holds what side calls bring: files go into the body that is written for the provider. */
export function servicesOf(
  ports: AttemptPorts,
  { input, resolved }: Pick<Prepared, 'input' | 'resolved'>,
): ProviderServices {
  return ports.servicesFor(resolved.hostOrigin, input.exchange.memory);
}

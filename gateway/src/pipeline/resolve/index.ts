/** From a request to a plan: body, config, provider and the headers that overrule a config; docs/behaviour/requests.md. */
import { modelSlugOf, type TargetCaps } from '@gatehouse/crds/config';
import { AppError } from '../../errors/index.ts';
import { parseHeaderList } from '../../lib/header-list.ts';
import { mergeObjects } from '../../lib/json/index.ts';
import type { Provider } from '../../providers/contract.ts';
import { compilePlan, type RoutingPlan } from '../../routing/index.ts';
import { checkCustomHost, type HostPolicy } from '../../upstream/host-guard/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Caller, Exchange, RequestBody } from '../exchange.ts';
import { type Metadata, metadataOf } from '../metadata.ts';
import { createConfigResolver } from './config.ts';
import {
  type ProviderInput,
  providerOfHeaders,
  providerOfModel,
  type RequestProvider,
  slugSuggestion,
} from './provider.ts';
import { refuseInline } from './saved-only.ts';

export { headerFields, namesOwnFields, type RequestProvider } from './provider.ts';
export { nameSuggestion } from './suggest.ts';

/** Everything the attempts need to know about a request. */
export interface Resolution {
  readonly plan: RoutingPlan;
  readonly body: RequestBody;
  /** The JSON body with a provider prefix taken off the model; `{}` for other bodies. */
  readonly params: JsonObject;
  readonly metadata: Metadata;
  /** The provider the request itself names. */
  readonly requestProvider: RequestProvider | undefined;
  /** Headers that overrule the config. */
  readonly headerOverrides: HeaderOverrides;
}

export interface HeaderOverrides {
  readonly requestTimeoutMs: number | undefined;
  readonly customHost: string | undefined;
  readonly forwardHeaders: readonly string[] | undefined;
  /** The header switches strictness off; nothing switches it on again. */
  readonly relaxed: boolean;
  readonly cacheNamespace: string | undefined;
  readonly cacheRefresh: boolean;
  /** `Cache-Control` of the request. */
  readonly cacheControl: string | undefined;
}

export interface Resolver {
  /** Throws the AppError of the first rule the request breaks. */
  resolve(exchange: Exchange, caller: Caller): Promise<Resolution>;
}

export interface ResolverOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly hosts: HostPolicy;
  readonly caps: TargetCaps;
  /** The whole deployment accepts saved configs only (BLOCK_INLINE_CONFIG). */
  readonly savedConfigsOnly: boolean;
}

/** The plan of a request without config: one target, completed from the headers. */
const PLAIN_PLAN = compilePlan({}, { saved: undefined, credential: () => undefined });

const NO_PARAMS: JsonObject = {};

export function createResolver(options: ResolverOptions): Resolver {
  const configs = createConfigResolver(options);
  return {
    resolve: async (exchange, caller) => {
      const { request, snapshot, operation } = exchange;
      checkContentType(exchange);
      const body = await request.readBody(operation.bodies);
      if (options.savedConfigsOnly || snapshot.organisation.savedConfigsOnly || caller.workspace.savedConfigsOnly) {
        refuseInline(request);
      }
      const plan = configs.resolve(request, caller, snapshot);
      const input: ProviderInput = {
        request,
        caller,
        snapshot,
        providers: options.providers,
        hosts: options.hosts,
      };
      const named = providerOfHeaders(input);
      const clean = withoutModelPrefix(body.kind === 'json' ? body.value : NO_PARAMS, input);
      const requestProvider = named ?? clean.provider;
      checkPlan(plan, { requestProvider, params: clean.params, exchange, caller });
      return {
        plan: plan ?? PLAIN_PLAN,
        body,
        params: clean.params,
        metadata: metadataOf(request, caller),
        requestProvider,
        headerOverrides: headerOverridesOf(exchange, options.hosts),
      };
    },
  };
}

/** The media types of bodies, but for `binary`, which has any. */
const MEDIA_TYPES = {
  json: 'application/json',
  form: 'multipart/form-data',
};

/** Throws AppError CONTENT_TYPE_INVALID for a body that the operation does not take. */
function checkContentType({ operation: { bodies }, request }: Exchange): void {
  if (bodies.includes('binary')) return;
  const type = request.header('content-type');
  if (type === undefined || type === '') return;
  const media = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (bodies.includes('json') && (media === MEDIA_TYPES.json || media.endsWith('+json'))) return;
  if (bodies.includes('form') && media === MEDIA_TYPES.form) return;
  const taken = bodies.flatMap((kind) => (kind === 'json' || kind === 'form' ? [MEDIA_TYPES[kind]] : []));
  throw new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: `Invalid content type passed: ${media}; this operation takes ${taken.join(' or ')}`,
  });
}

function withoutModelPrefix(
  params: JsonObject,
  input: ProviderInput,
): { readonly params: JsonObject; readonly provider: RequestProvider | undefined } {
  const { model } = params;
  const found = typeof model === 'string' && model.startsWith('@') ? providerOfModel(model, input) : undefined;
  if (found === undefined) return { params, provider: undefined };
  return { params: mergeObjects(NO_PARAMS, params, { model: found.model }), provider: found.provider };
}

interface PlanInput {
  readonly requestProvider: RequestProvider | undefined;
  readonly params: JsonObject;
  readonly exchange: Exchange;
  readonly caller: Caller;
}

function checkPlan(plan: RoutingPlan | undefined, input: PlanInput): void {
  const { requestProvider, exchange, caller } = input;
  const { snapshot, operation } = exchange;
  if (operation.answerLocally !== undefined) return; // answers itself when nothing is named
  if (requestProvider === undefined && (plan === undefined || plan.needsRequestProvider)) {
    throw missingProvider(plan, input);
  }
  const missing = plan?.slugs.filter((slug) => snapshot.provider(caller.workspace.name, slug) === undefined) ?? [];
  const [first] = missing;
  if (first === undefined) return;
  throw new AppError('PROVIDER_SLUG_UNKNOWN', {
    param: 'x-gw-config',
    detail: `The config names providers or virtual keys that do not exist in the workspace ${caller.workspace.name}: ${missing.join(', ')}${slugSuggestion(first, caller, snapshot)}`,
  });
}

/** No provider is named; a model with an unknown slug is the likeliest reason. */
function missingProvider(plan: RoutingPlan | undefined, { params, exchange, caller }: PlanInput): AppError {
  const slug = typeof params['model'] === 'string' ? modelSlugOf(params['model']) : undefined;
  const { snapshot } = exchange;
  if (slug !== undefined) {
    return new AppError('PROVIDER_SLUG_UNKNOWN', {
      param: 'model',
      detail: `The model names the provider @${slug}, which does not exist in the workspace ${caller.workspace.name}${slugSuggestion(slug, caller, snapshot)}`,
    });
  }
  if (plan !== undefined) return new AppError('CONFIG_NO_PROVIDER', { param: 'x-gw-provider' });
  const example = snapshot.providers(caller.workspace.name)[0]?.slug ?? 'my-provider';
  return new AppError('PROVIDER_REQUIRED', {
    param: 'x-gw-provider',
    detail: `Either x-gw-config or x-gw-provider is needed: send x-gw-provider: @${example}, the model as @${example}/MODEL, or x-gw-config with the slug of a saved config`,
  });
}

function headerOverridesOf({ request }: Exchange, hosts: HostPolicy): HeaderOverrides {
  const forward = request.header('x-gw-forward-headers');
  return {
    requestTimeoutMs: readTimeout(request.header('x-gw-request-timeout')),
    customHost: readCustomHost(request.header('x-gw-custom-host'), hosts),
    forwardHeaders: forward === undefined ? undefined : parseHeaderList(forward),
    relaxed: request.header('x-gw-strict-open-ai-compliance')?.trim().toLowerCase() === 'false',
    cacheNamespace: request.header('x-gw-cache-namespace'),
    cacheRefresh: request.header('x-gw-cache-force-refresh')?.trim().toLowerCase() === 'true',
    cacheControl: request.header('cache-control'),
  };
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 86_400_000) return value;
  throw new AppError('HEADER_INVALID', {
    param: 'x-gw-request-timeout',
    detail: 'x-gw-request-timeout must be a whole number of milliseconds, at most 86400000',
  });
}

function readCustomHost(text: string | undefined, hosts: HostPolicy): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const checked = checkCustomHost(text, hosts, 'request');
  if (checked.ok) return trimSlash(text.trim());
  throw new AppError('CUSTOM_HOST_REFUSED', {
    param: 'x-gw-custom-host',
    detail: `Invalid custom host passed: ${checked.error}`,
  });
}

const trimSlash = (text: string): string => text.replace(/\/+$/, '');

/** From a request to a plan: body, config, provider and the headers that overrule a config; docs/behaviour/requests.md. */
import type { TargetCaps } from '@gatehouse/crds/config';
import { AppError } from '../../errors/index.ts';
import { mergeObjects } from '../../lib/json/index.ts';
import type { Provider } from '../../providers/contract.ts';
import { compilePlan, type RoutingPlan } from '../../routing/index.ts';
import type { HostPolicy } from '../../upstream/host-guard/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import {
  type Caller,
  type ClientRequest,
  type Exchange,
  formModelOf,
  modelOfPath,
  type RequestBody,
} from '../exchange.ts';
import { refuseUnknownGuardrails } from '../guardrails/index.ts';
import { type Metadata, metadataOf } from '../metadata.ts';
import { callOf } from '../operations/operation.ts';
import { createConfigResolver } from './config.ts';
import { refuseLateModel } from './form-model.ts';
import { HeaderOverrides } from './header-overrides.ts';
import { asksForOwn, isOwn } from './own.ts';
import type { PromptedRequest } from './prompted-request.ts';
import {
  namingHeader,
  type ProviderInput,
  providerOfHeaders,
  providerOfModel,
  providerOfSlug,
  type RequestProvider,
  slugSuggestion,
} from './provider.ts';
import { refuseInline } from './saved-only.ts';
import { refuseBadPrompts } from './target-prompt.ts';

export { findFormModel } from './form-model.ts';
export { HeaderOverrides } from './header-overrides.ts';
export { isOwn } from './own.ts';
export { type PromptedRequest, type PromptUse, promptOf } from './prompted-request.ts';
export {
  headerFields,
  namesOwnFields,
  providerOfModel,
  providerOfSlug,
  type RequestProvider,
} from './provider.ts';
export { nameSuggestion } from './suggest.ts';
export { promptOfTarget } from './target-prompt.ts';

/** Everything the attempts need to know about a request. */
export interface Resolution {
  readonly plan: RoutingPlan;
  readonly body: RequestBody;
  /** The JSON body with a provider prefix taken off the model; `{}` for other bodies. */
  readonly params: JsonObject;
  /** The model of a form whose provider prefix was taken off. */
  readonly formModel?: string | undefined;
  readonly metadata: Metadata;
  /** The provider the request itself names, else that of its prompt. */
  readonly requestProvider: RequestProvider | undefined;
  /** The saved prompt that the body was made of. */
  readonly prompt?: PromptSource | undefined;
  /** Headers that overrule the config. */
  readonly headerOverrides: HeaderOverrides;
}

/** The saved prompt of a request. */
export interface PromptSource extends PromptedRequest {
  /** Whether the request names its provider itself: that one comes before those of prompts. */
  readonly namesProvider: boolean;
}

export interface Resolver {
  /** Throws the AppError of the first rule the request breaks. `prompted`: the body is made of a saved prompt. */
  resolve(exchange: Exchange, caller: Caller, body: RequestBody, prompted?: PromptedRequest): Resolution;
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
    resolve: (exchange, caller, body, prompted) => {
      const { request, snapshot } = exchange;
      if (isSavedOnly(exchange, caller, options)) refuseInline(request);
      const config = configs.resolve(request, caller, snapshot);
      const { providers, hosts } = options;
      const input: ProviderInput = { request, caller, snapshot, providers, hosts };
      const named = asksForOwn(exchange) ? undefined : providerOfHeaders(input);
      const ofPath = modelOfPath(request);
      const clean = withoutModelPrefix(paramsOf(body, ofPath), input);
      const ofForm = modelOfForm(body, ofPath, input);
      const namedProvider = named ?? clean.provider ?? ofForm?.provider;
      const gives = namedProvider !== undefined && config !== undefined && isDefault(request);
      const chosen = gives ? givingWay(config, request, caller) : config;
      refuseBadPrompts(chosen, { exchange, caller, prompted });
      const requestProvider = namedProvider ?? providerOfPrompt(prompted, exchange, input);
      checkPlan(chosen, { requestProvider, exchange, caller });
      refuseLateModel(body, { exchange, isNamed: named !== undefined });
      const plan = chosen ?? PLAIN_PLAN;
      refuseUnknownGuardrails({ exchange, caller, resolution: { plan } });
      return {
        plan,
        body,
        params: clean.params,
        formModel: ofForm?.model,
        metadata: metadataOf(request, caller),
        requestProvider,
        prompt: prompted && { ...prompted, namesProvider: namedProvider !== undefined },
        headerOverrides: new HeaderOverrides(request, hosts),
      };
    },
  };
}

/** Whether what a request writes out itself is refused; that it names the gateway is nothing of the kind. */
const isSavedOnly = (
  exchange: Exchange,
  { workspace }: Caller,
  { savedConfigsOnly }: Pick<ResolverOptions, 'savedConfigsOnly'>,
): boolean =>
  (savedConfigsOnly || exchange.snapshot.organisation.savedConfigsOnly || workspace.savedConfigsOnly) &&
  !asksForOwn(exchange);

/** The account of a prompt, for requests that name none. What is answered here needs none. */
function providerOfPrompt(
  prompted: PromptedRequest | undefined,
  { operation }: Exchange,
  input: ProviderInput,
): RequestProvider | undefined {
  if (prompted?.provider === undefined || operation.answerLocally !== undefined) return undefined;
  return providerOfSlug(prompted.provider, input);
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

/** The parameters of a JSON body, with the model that the path names in place of its own. */
function paramsOf(body: RequestBody, ofPath: string | undefined): JsonObject {
  if (body.kind !== 'json') return NO_PARAMS;
  return ofPath === undefined ? body.value : mergeObjects(NO_PARAMS, body.value, { model: ofPath });
}

/** The model of a form where it is not that of its own fields. */
function modelOfForm(
  body: RequestBody,
  ofPath: string | undefined,
  input: ProviderInput,
): { readonly model: string; readonly provider: RequestProvider | undefined } | undefined {
  if (body.kind !== 'form') return undefined;
  const model = ofPath ?? formModelOf(body);
  const found = model.startsWith('@') ? providerOfModel(model, input) : undefined;
  return found ?? (ofPath === undefined ? undefined : { model: ofPath, provider: undefined });
}

/** A config that the request did not ask for. */
const isDefault = (request: ClientRequest): boolean => request.header('x-gw-config') === undefined;

/**
 * A default config for a request that names its provider: its settings, unless it uses the request's provider itself. Throws
 * CONFIG_LOCKED where the config of the key decides alone.
 */
function givingWay(config: RoutingPlan, request: ClientRequest, { key }: Caller): RoutingPlan {
  if (config.settingsAlone === undefined) return config;
  if (!key.defaults.allowConfigOverride && key.defaults.config !== undefined) {
    throw new AppError('CONFIG_LOCKED', { param: namingHeader(request) ?? 'model' });
  }
  return config.settingsAlone;
}

interface PlanInput {
  readonly requestProvider: RequestProvider | undefined;
  readonly exchange: Exchange;
  readonly caller: Caller;
}

function severalTargets({ leafCount }: RoutingPlan, operation: Exchange['operation']): AppError {
  const own = operation.mayBeOwn === true ? ', or gw for what the gateway keeps itself' : '';
  return new AppError('CONFIG_INVALID', {
    param: 'x-gw-config',
    detail: `One provider keeps what ${callOf(operation)} is about: only one target is allowed, and the config has ${leafCount}; name one in x-gw-provider${own}`,
  });
}

function checkPlan(plan: RoutingPlan | undefined, input: PlanInput): void {
  const { requestProvider, exchange, caller } = input;
  const { snapshot, operation } = exchange;
  if (operation.answerLocally !== undefined && operation.mayBeOwn !== true) return; // answers itself when nothing is named
  if (operation.mayBeOwn === true && isOwn(exchange, { plan: plan ?? PLAIN_PLAN, requestProvider })) return;
  if (requestProvider === undefined && (plan === undefined || plan.needsRequestProvider)) {
    throw missingProvider(plan, input);
  }
  if (operation.keptByProvider === true && plan !== undefined && plan.leafCount > 1)
    throw severalTargets(plan, operation);
  const missing = plan?.slugs.filter((slug) => snapshot.provider(caller.workspace.name, slug) === undefined) ?? [];
  const [first] = missing;
  if (plan === undefined || first === undefined) return;
  const suggestion = slugSuggestion(first, caller, snapshot, plan.virtualKeys.includes(first) ? '' : '@');
  throw new AppError('PROVIDER_SLUG_UNKNOWN', {
    param: 'x-gw-config',
    detail: `The config names providers or virtual keys that do not exist in the workspace ${caller.workspace.name}: ${missing.join(', ')}${suggestion}`,
  });
}

/** No provider is named. */
function missingProvider(plan: RoutingPlan | undefined, { exchange, caller }: PlanInput): AppError {
  const { snapshot } = exchange;
  if (plan !== undefined) return new AppError('CONFIG_NO_PROVIDER', { param: 'x-gw-provider' });
  const example = snapshot.providers(caller.workspace.name)[0]?.slug ?? 'my-provider';
  return new AppError('PROVIDER_REQUIRED', {
    param: 'x-gw-provider',
    detail: `Either x-gw-config or x-gw-provider is needed: send x-gw-provider: @${example}, the model as @${example}/MODEL, or x-gw-config with the slug of a saved config`,
  });
}

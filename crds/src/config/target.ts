import { z } from 'zod';
import {
  atomicList,
  int,
  namespaceName,
  objectName,
  opaque,
  pattern,
  stringMap,
  text,
  withCelRules,
} from '../schema/index.ts';
import { cache } from './cache.ts';
import { MAX_CONDITIONAL_ROOT_TARGETS, MAX_NESTED_LIST, MAX_TIMEOUT_MS } from './limits.ts';
import { retry } from './retry.ts';
import { SAVED_RULES } from './saved-rules.ts';
import { statusCodes, strategy } from './strategy.ts';

/** The name of an entry of a Secret. */
export const secretKey = (description: string) =>
  pattern(/^[-._a-zA-Z0-9]+$/, 'letters, digits, dots, dashes or underscores', 253).meta({ description });

/** A Secret: one key, or (without `key`) every secret field of the provider. */
export const secretRef = z
  .strictObject({
    name: objectName('name is the name of the Secret.'),
    namespace: namespaceName(
      'namespace is the namespace of the Secret; absent: that of the object. Another namespace needs a ReferenceGrant there.',
    ).optional(),
    key: secretKey('key is the entry with the API key; absent: every secret field of the provider is read.').optional(),
  })
  .meta({ description: 'secretRef names the Secret with the credential.' });

export type SecretRef = z.output<typeof secretRef>;

/** Vendor fields of a provider by their catalogue name. */
export const settings = stringMap(
  'settings are the non-secret fields of the provider, named as in the provider reference.',
  64,
  16_384,
);

/** One deployment behind an alias: docs/behaviour/providers.md#deployments. */
export const deployment = z.strictObject({
  deploymentId: text('deploymentId is the name of the deployment at the provider.', 256),
  alias: text('alias is the model name that selects the deployment.', 256).optional(),
  apiVersion: text('apiVersion overrides the API version for the deployment.', 64).optional(),
  isDefault: z.boolean().meta({ description: 'isDefault takes the models that no alias matches.' }).optional(),
});

export type Deployment = z.output<typeof deployment>;

const guardrail = z
  .union([z.string().min(1).max(253), z.record(z.string(), z.unknown())])
  .meta({ description: 'A guardrail slug, or a guardrail written out.', opaque: true });

/** The short form of guardrails: slugs or objects. */
const guardrailList = (description: string) => atomicList(guardrail, description, 64);

/** The long form of hooks. */
const hookList = (description: string) => atomicList(opaque('A hook written out.'), description, 64);

/** The members that targets have in resources and in inline configs alike. */
const common = {
  name: text('name identifies the target in conditions.', 256).optional(),
  strategy: strategy.optional(),
  provider: text('provider is a provider id, or @slug of a managed provider.', 256).optional(),
  virtualKey: text('virtualKey is the older way to name a managed provider by its slug.', 256).optional(),
  passthrough: z
    .boolean()
    .meta({ description: 'passthrough takes the managed provider from the request: x-gw-provider, then the model.' })
    .optional(),
  promptId: text('promptId renders a saved prompt for the target.', 256).optional(),
  weight: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .meta({ description: 'weight is the share of a loadbalance target relative to its siblings, 1 when absent.' })
    .optional(),
  overrideParams: opaque('overrideParams replace members of the request body, top-level keys only.').optional(),
  defaultParams: opaque('defaultParams add top-level keys that the client did not send.').optional(),
  dropParams: atomicList(
    z.string().min(1).max(512),
    'dropParams are body paths removed last, e.g. a.b or a[*].b.',
    64,
  ).optional(),
  retry: retry.optional(),
  cache: cache.optional(),
  requestTimeout: int('requestTimeout ends a call after this many ms; 0 means never.', 0, MAX_TIMEOUT_MS).optional(),
  customHost: text('customHost replaces the base URL of the provider, version segment included.', 2048).optional(),
  forwardHeaders: atomicList(
    z.string().min(1).max(256),
    'forwardHeaders names client headers that are passed to the provider untouched.',
    64,
  ).optional(),
  inputGuardrails: guardrailList('inputGuardrails check the request.').optional(),
  outputGuardrails: guardrailList('outputGuardrails check the answer.').optional(),
  inputMutators: guardrailList('inputMutators change the request.').optional(),
  outputMutators: guardrailList('outputMutators change the answer.').optional(),
  beforeRequestHooks: hookList('beforeRequestHooks is the long form of input guardrails and mutators.').optional(),
  afterRequestHooks: hookList('afterRequestHooks is the long form of output guardrails and mutators.').optional(),
  strictOpenAiCompliance: z
    .boolean()
    .meta({ description: 'strictOpenAiCompliance false adds fields beyond the OpenAI format to answers.' })
    .optional(),
  unsupportedParams: z
    .enum(['drop', 'error'])
    .meta({
      description:
        'unsupportedParams error refuses requests with parameters that the provider does not have; else they are left out and named in x-gw-dropped-params.',
    })
    .optional(),
  fetchIntegratedModels: z
    .boolean()
    .meta({ description: 'fetchIntegratedModels answers GET /v1/models from the catalogue.' })
    .optional(),
  onStatusCodes: statusCodes(
    'onStatusCodes belongs into strategy or retry: a saved config is refused with it here, an inline one ignores it.',
  ).optional(),
  deployments: atomicList(deployment, 'deployments map model names to deployments of one account.', 100).optional(),
};

/** The members that resources and inline configs share. */
export type CommonFields = Readonly<z.output<z.ZodObject<typeof common>>>;

/** A config or target inside a Kind. */
export interface KindConfig extends CommonFields {
  readonly secretRef?: SecretRef | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly targets?: readonly KindConfig[] | undefined;
}

/** A config or target as clients send it; unknown members are vendor fields. */
export interface InlineConfig extends CommonFields {
  readonly apiKey?: string | undefined;
  readonly targets?: readonly InlineConfig[] | undefined;
}

type Targets<T> = z.ZodOptional<z.ZodArray<z.ZodType<T>>>;

const targetsOf = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1).max(MAX_CONDITIONAL_ROOT_TARGETS).meta({
    description: 'targets are what the strategy picks from; each has the members of a config again.',
    listType: 'atomic',
    recursive: true,
    recursiveMaxItems: MAX_NESTED_LIST,
  });

/**
 * A config or target inside a Kind: strict, credentials by reference only, vendor fields under `settings` with the names
 * of the provider catalogue.
 */
export const kindConfig: z.ZodType<KindConfig> = withCelRules(
  z.strictObject({
    ...common,
    secretRef: secretRef.optional(),
    settings: settings.optional(),
    get targets(): Targets<KindConfig> {
      return targetsOf(kindConfig).optional();
    },
  }),
  SAVED_RULES,
);

/** A config or target as sent in a header or over REST: credentials are literal, unknown keys are vendor fields. */
export const inlineConfig: z.ZodType<InlineConfig> = z.looseObject({
  ...common,
  apiKey: z
    .string()
    .min(1)
    .max(16_384)
    .meta({ description: 'apiKey is the credential of the provider.', secret: true })
    .optional(),
  get targets(): Targets<InlineConfig> {
    return targetsOf(inlineConfig).optional();
  },
});

/** Names of the shared members: in an inline config all others are vendor fields. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set([...Object.keys(common), 'targets']);

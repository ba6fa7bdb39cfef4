/** The objects of an installation of some size: mostly ApiKeys, with workspaces, accounts and configs in proportion. */
import { hash } from 'node:crypto';
import { type KubeThing, ours } from '../../operator/operator/support.ts';

export interface Places {
  readonly organisation: string;
  /** A workspace each, of the same name. */
  readonly tenants: readonly string[];
}

/** What is shared by all, in the organisation's namespace. */
export const INTEGRATION = 'shared';
/** The Secret of the Integration, and its key. */
export const CREDENTIAL = { name: 'account', key: 'api-key' } as const;

/** The gateway key whose requests show which edit is served. */
export const PROBE_KEY = 'gwk_a_key_of_the_propagation_bench';
/** The GatewayConfig that is edited, in the first tenant. */
export const EDITED = 'edited';

/** One object in so many is a GatewayConfig; the same for Providers. */
const CONFIG_EVERY = 20;
const PROVIDER_EVERY = 50;

/** `count` objects beside the workspaces themselves, spread evenly over the tenants; the probe's key is one of them. */
export function* populationOf(count: number, { organisation, tenants }: Places): Generator<KubeThing> {
  yield integration(organisation);
  yield* tenants.map((tenant) => access(organisation, tenant));
  for (let i = 1 + tenants.length; i < count - 1; i += 1) {
    const namespace = tenants[i % tenants.length] ?? '';
    if (i % CONFIG_EVERY === 0) yield configOf(`config-${i}`, namespace, i);
    else if (i % PROVIDER_EVERY === 1) yield providerOf(`provider-${i}`, namespace);
    else yield apiKeyOf({ namespace, name: `key-${i}`, key: `gwk_bench_${i}` });
  }
  yield apiKeyOf({ namespace: tenants[0] ?? '', name: 'probe', key: PROBE_KEY, config: EDITED });
}

/** `count` ApiKeys and nothing else. */
export function* keysOf(count: number, { tenants }: Pick<Places, 'tenants'>): Generator<KubeThing> {
  for (let i = 0; i < count; i += 1) {
    const namespace = tenants[i % tenants.length] ?? '';
    yield apiKeyOf({ namespace, name: `key-${i}`, key: `gwk_bench_${i}` });
  }
}

const integration = (namespace: string): KubeThing =>
  ours('Integration', { namespace, name: INTEGRATION }, { provider: 'openai', secretRef: CREDENTIAL });

const access = (namespace: string, tenant: string): KubeThing =>
  ours(
    'IntegrationAccess',
    { namespace, name: tenant },
    { integrationRef: { name: INTEGRATION }, workspaceRef: { name: tenant } },
  );

const providerOf = (name: string, namespace: string): KubeThing =>
  ours('Provider', { namespace, name }, { integrationRef: { name: INTEGRATION } });

interface Key {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  readonly config?: string;
  readonly usageLimits?: readonly object[];
}

export const apiKeyOf = ({ namespace, name, key, config, usageLimits }: Key): KubeThing =>
  ours(
    'ApiKey',
    { namespace, name },
    {
      type: 'workspace-service',
      displayName: `Application ${name}`,
      sha256: hash('sha256', key),
      scopes: ['completions.write', 'virtual_keys.list'],
      defaults: { metadata: { app: name }, ...(config === undefined ? {} : { configRef: { name: config } }) },
      rateLimits: [{ type: 'requests', unit: 'rpm', value: 600 }],
      ...(usageLimits === undefined ? {} : { usageLimits }),
    },
  );

const configOf = (name: string, namespace: string, revision: number): KubeThing =>
  ours(
    'GatewayConfig',
    { namespace, name },
    {
      config: {
        strategy: { mode: 'fallback', onStatusCodes: [429, 500, 502, 503] },
        retry: { attempts: 2 },
        targets: ['gpt-4o', 'gpt-4o-mini'].map((model) => ({
          provider: 'openai',
          secretRef: CREDENTIAL,
          overrideParams: { model, user: `revision-${revision}` },
        })),
      },
    },
  );

/** The gateway key whose requests are under the Guardrail that is edited. */
export const GUARDED_KEY = 'gwk_a_guarded_key_of_the_propagation_bench';
const GUARDED = 'guarded';

/** A key, its config, and the Guardrail that the config names. */
export const guardedBy = (namespace: string, upstream: string): readonly KubeThing[] => [
  editedGuardrail(namespace, false),
  ours(
    'GatewayConfig',
    { namespace, name: GUARDED },
    {
      config: {
        provider: 'openai',
        customHost: `${upstream}/v1`,
        secretRef: CREDENTIAL,
        inputGuardrails: [GUARDED],
      },
    },
  ),
  apiKeyOf({ namespace, name: GUARDED, key: GUARDED_KEY, config: GUARDED }),
];

/** The Guardrail that is edited: it denies what the bench says, or lets it pass. */
export const editedGuardrail = (namespace: string, denies: boolean): KubeThing =>
  ours(
    'Guardrail',
    { namespace, name: GUARDED },
    {
      checks: [{ id: 'default.contains', parameters: { words: [denies ? 'hi' : 'Aurora'], operator: 'none' } }],
      actions: { deny: true },
    },
  );

/** The gateway key whose requests are under the RateLimitPolicy that is edited. */
export const LIMITED_KEY = 'gwk_a_limited_key_of_the_propagation_bench';
const LIMITED = 'limited';

/** A key with the config of the guarded one, and the policy that limits it. */
export const limitedBy = (namespace: string): readonly KubeThing[] => [
  editedPolicy(namespace, 1_000),
  apiKeyOf({ namespace, name: LIMITED, key: LIMITED_KEY, config: GUARDED }),
];

/** The RateLimitPolicy that is edited; with 1 it refuses all but the first request of the day. */
export const editedPolicy = (namespace: string, value: number): KubeThing =>
  ours(
    'RateLimitPolicy',
    { namespace, name: LIMITED },
    {
      ...{ type: 'requests', unit: 'rpd', value },
      conditions: [{ key: 'metadata.app', values: [LIMITED] }],
      groupBy: [{ key: 'api_key' }],
    },
  );

/** A key with a budget of one request. */
export const budgetedKey = (namespace: string, name: string, key: string): KubeThing => {
  const usageLimits = [{ name: 'main', type: 'requests', creditLimit: '1' }];
  return apiKeyOf({ namespace, name, key, config: GUARDED, usageLimits });
};

/** The config that is edited: its model is the number of the edit. */
export const editedConfig = (namespace: string, upstream: string, model: string): KubeThing =>
  ours(
    'GatewayConfig',
    { namespace, name: EDITED },
    {
      config: {
        provider: 'openai',
        customHost: `${upstream}/v1`,
        secretRef: CREDENTIAL,
        overrideParams: { model },
      },
    },
  );

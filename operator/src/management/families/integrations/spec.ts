/** The members of an integration in bodies, in resources and in answers. */
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { integrations } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { invalid } from '../../http/rest-error.ts';
import type { Draft, StoredObject } from '../../store/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { newSecretName } from '../account.ts';
import { showSettings, toConnection } from '../connection.ts';
import type { Services } from '../family.ts';
import { givenFields } from '../fields.ts';
import { showRateLimits, showUsageLimits } from '../limits.ts';
import { MASK } from '../masks.ts';
import { showMappings } from '../secret-mappings.ts';

export type IntegrationObject = StoredObject<'Integration'>;
export type AccessObject = StoredObject<'IntegrationAccess'>;
export type IntegrationFields = z.output<typeof integrations.update.body>;
type Spec = ResourceOf<'Integration'>['spec'];
type Before = Partial<Spec> & Pick<Spec, 'provider'>;
type Deployments = Spec['deployments'];
type Value = string | null;

export interface Known {
  /** Of the resource. */
  readonly name: string;
  readonly randomName: Services['randomName'];
  /** Whether the credential goes to a new place for another reason than the members of the account. */
  readonly isMoved?: boolean;
  /** Undefined: the body does not say. */
  readonly mappings?: readonly object[] | null | undefined;
}

/** Words of clients for what is so without a word. */
const USUAL: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ['aws_auth_type', new Set(['accessKey'])],
  ['vertex_auth_type', new Set(['basic', 'serviceAccount'])],
  ['azure_auth_mode', new Set(['default'])],
]);

/** What is given over what is there. Throws RestError INVALID. */
export function toDraft(
  body: IntegrationFields,
  { name, randomName, isMoved = false, mappings }: Known,
  before: Before,
): Draft {
  const { fields, deployments } = toFields(body.configurations ?? {});
  const connection = toConnection(
    { provider: before.provider, key: body.key, fields, path: ['configurations'] },
    {
      ...{ name, newSecretName: () => newSecretName(name, randomName), isMoved },
      spec: mappings === undefined ? before : { ...before, secretMappings: undefined },
    },
  );
  const multiplier = body.pricing_adjustments === null ? null : body.pricing_adjustments?.multiplier;
  const factor = multiplier === null ? null : multiplier?.default;
  const spec = {
    ...before,
    ...connection.spec,
    ...givenFields({
      displayName: body.name,
      secretMappings: mappings,
      description: body.description,
      deployments,
      priceMultiplier: typeof factor === 'number' ? String(factor) : factor,
    }),
  };
  return { spec, secret: connection.secret, retired: connection.retired };
}

interface GivenFields {
  readonly fields: Readonly<Record<string, Value>>;
  readonly deployments: Deployments | null | undefined;
}

function toFields(configurations: Readonly<Record<string, unknown>>): GivenFields {
  const { azure_deployment_config: deployments, is_key_required: _, ...rest } = configurations;
  const fields = Object.entries(rest).filter(([name]) => !name.startsWith('masked_'));
  return {
    fields: Object.fromEntries(fields.map(([name, value]) => [name, toValue(name, value)])),
    deployments: toDeployments(deployments),
  };
}

function toValue(name: string, value: unknown): Value {
  if (value === null || USUAL.get(name)?.has(value) === true) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (name === 'vertex_service_account_json') return JSON.stringify(value);
  throw problem(
    name,
    name === 'custom_headers' ? 'headers of an account are written into its resource' : 'expected a text',
  );
}

const problem = (name: string, message: string) =>
  invalid([{ code: 'invalid', path: ['configurations', name], message }], 'body');

function toDeployments(given: unknown): Deployments | null | undefined {
  if (given === undefined || given === null) return given;
  if (!Array.isArray(given)) throw problem('azure_deployment_config', 'expected a list');
  return given.map((one: Readonly<Record<string, unknown>>) => {
    const { azure_deployment_name: deploymentId, alias, azure_api_version: apiVersion, is_default: isDefault } = one;
    // The resource is checked against its schema.
    return { deploymentId, ...givenFields({ alias, apiVersion, isDefault }) } as NonNullable<Deployments>[number];
  });
}

/** The access of one workspace, or of all: a list has one budget and one limit at most. */
export function showAccess(access: AccessObject) {
  const budgets = showUsageLimits(access);
  const limits = showRateLimits(access);
  return {
    enabled: access.spec.enabled,
    usage_limits: budgets.length === 0 ? null : budgets,
    rate_limits: limits.length === 0 ? null : limits,
  };
}

export const toItem = ({ meta, spec }: IntegrationObject, { workspace }: Home, { organisationId }: Tenancy) => ({
  object: 'integration' as const,
  id: meta.uid,
  slug: meta.name,
  name: spec.displayName ?? meta.name,
  description: spec.description ?? null,
  ai_provider_id: spec.provider,
  type: workspace === undefined ? ('organisation' as const) : ('workspace' as const),
  status: 'active' as const,
  organisation_id: organisationId,
  workspace_id: workspace?.id ?? null,
  created_at: meta.createdAt,
  last_updated_at: meta.updatedAt,
});

export function toRecord(object: IntegrationObject, home: Home, { tenancy, grants }: Shown) {
  const { spec } = object;
  const all = grants.find(({ spec: { allWorkspaces } }) => allWorkspaces === true);
  const factor = spec.priceMultiplier;
  return {
    ...toItem(object, home, tenancy),
    masked_key: spec.secretRef === undefined ? null : MASK,
    configurations: { ...showSettings(spec, 'snake'), ...showDeployments(spec.deployments) },
    global_workspace_access_settings: all === undefined ? null : showAccess(all),
    allow_all_models: spec.allowAllModels,
    workspace_count: grants.filter(({ spec: { workspaceRef, enabled } }) => workspaceRef !== undefined && enabled)
      .length,
    secret_mappings: showMappings(spec.secretMappings, { provider: spec.provider, in: 'configurations' }),
    pricing_adjustments: factor === undefined ? null : { multiplier: { default: Number(factor) } },
  };
}

export interface Shown {
  readonly tenancy: Tenancy;
  /** What grants the integration. */
  readonly grants: readonly AccessObject[];
}

const showDeployments = (deployments: Deployments) =>
  deployments === undefined
    ? {}
    : {
        azure_deployment_config: deployments.map(({ deploymentId, alias, apiVersion, isDefault }) => ({
          azure_deployment_name: deploymentId,
          alias,
          azure_api_version: apiVersion,
          is_default: isDefault,
        })),
      };

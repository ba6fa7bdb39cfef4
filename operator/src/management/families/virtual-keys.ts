import { virtualKeys } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { Draft, StoredObject } from '../store/index.ts';
import type { Home, Tenancy } from '../tenancy/index.ts';
import { newSecretName } from './account.ts';
import { providerIdOf, showSettings, toConnection } from './connection.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from './family.ts';
import { givenFields } from './fields.ts';
import { findObject } from './find.ts';
import { lastResetAt, showRateLimits, showStatus, showUsageLimit, toRateLimits, toUsageLimits } from './limits.ts';
import { MASK } from './masks.ts';
import { pageOf } from './pages.ts';
import { referenceHomes, showMappings, toMappings } from './secret-mappings.ts';
import { newSlug } from './slugs.ts';
import { type FieldNames, written } from './write.ts';

const WHAT = 'virtual key';
const KIND = 'VirtualKey';
const NAMES: FieldNames = {
  displayName: 'name',
  description: 'note',
  secretRef: 'key',
  settings: 'provider',
  deployments: 'deploymentConfig',
  deploymentId: 'deploymentName',
  apiVersion: 'apiVersion',
};

type VirtualKey = StoredObject<'VirtualKey'>;
type Fields = z.output<typeof virtualKeys.update.body>;
type Deployments = NonNullable<Fields['deploymentConfig']>;

interface Shown {
  readonly home: Home;
  readonly tenancy: Tenancy;
  readonly nowMs: number;
}

function toView(object: VirtualKey, { home, tenancy: { organisationId }, nowMs }: Shown) {
  const { meta, spec } = object;
  return {
    object: 'virtual-key' as const,
    id: meta.uid,
    slug: meta.name,
    name: spec.displayName ?? meta.name,
    note: spec.description ?? null,
    status: showStatus(object, nowMs),
    ai_provider_name: spec.provider,
    masked_api_key: spec.secretRef === undefined ? null : MASK,
    model_config: { ...showSettings(spec, 'camel'), ...showDeployments(spec) },
    models: spec.models === undefined ? null : [...spec.models],
    usage_limits: showUsageLimit(object),
    rate_limits: showRateLimits(object),
    last_reset_at: lastResetAt(object),
    secret_mappings: showMappings(spec.secretMappings, { provider: spec.provider, in: 'model_config' }),
    expires_at: spec.expiresAt ?? null,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
    workspace_id: home.workspace?.id ?? organisationId,
    organisation_id: organisationId,
  };
}

const showDeployments = ({ deployments }: VirtualKey['spec']) =>
  deployments === undefined
    ? {}
    : {
        deploymentConfig: deployments.map(({ deploymentId, alias, apiVersion, isDefault }) => ({
          deploymentName: deploymentId,
          alias,
          apiVersion,
          is_default: isDefault,
        })),
      };

const toDeployments = (given: Deployments) =>
  given.map(({ deploymentName, alias, apiVersion, is_default: isDefault }) => ({
    deploymentId: deploymentName,
    ...givenFields({ alias, apiVersion, isDefault }),
  }));

const OWN_MEMBERS: ReadonlySet<string> = new Set([...Object.keys(virtualKeys.create.body.shape), 'provider']);

/** The members that are fields of the provider. */
const providerFieldsOf = (body: object): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !OWN_MEMBERS.has(name)));

type Before = Partial<VirtualKey['spec']> & Pick<VirtualKey['spec'], 'provider'>;

interface Known {
  readonly name: string;
  readonly randomName: Services['randomName'];
  readonly nowMs: number;
  readonly mappings: Awaited<ReturnType<typeof toMappings>>;
}

/** What is given over what is there. */
function toDraft(body: Fields, { name, randomName, nowMs, mappings }: Known, before: Before): Draft {
  const { deploymentName, deploymentConfig } = body;
  const provider = body.provider === undefined ? before.provider : providerIdOf(body.provider);
  const fields = {
    ...providerFieldsOf(body),
    ...(deploymentName === undefined ? {} : { deployment_id: deploymentName }),
  };
  const connection = toConnection(
    { provider, key: body.key, fields, path: [] },
    {
      name,
      spec: mappings === undefined ? before : { ...before, secretMappings: undefined },
      newSecretName: () => newSecretName(name, randomName),
    },
  );
  const spec = {
    ...before,
    provider,
    ...connection.spec,
    ...givenFields({
      displayName: body.name,
      secretMappings: mappings,
      description: body.note,
      models: body.models,
      deployments: deploymentConfig && toDeployments(deploymentConfig),
      usageLimits: toUsageLimits(body, before.usageLimits, nowMs),
      rateLimits: toRateLimits(body.rate_limits),
      expiresAt: body.expires_at,
    }),
  };
  return { spec, secret: connection.secret, retired: connection.retired };
}

async function find(call: Pick<RestCall, 'caller' | 'path'>, services: Services) {
  const { object, home } = await findObject(KIND, call.path['slug'] ?? '', { call, services }, WHAT);
  const { namespace, name } = object.meta;
  return { object, home, place: { kind: KIND, namespace, name } as const };
}

export const VIRTUAL_KEYS: readonly BoundOperation[] = [
  serveOperation(virtualKeys.list, async ({ caller, query }, { store, tenancy, now }) => {
    const home = await tenancy.workspaceOf(caller, query.workspace_id);
    const shown = { home, tenancy, nowMs: now() };
    return pageOf(await store.list(KIND, home.namespace), query, (object) => toView(object, shown));
  }),
  serveOperation(virtualKeys.create, async ({ caller, body, force }, { store, tenancy, randomName, now }) => {
    const home = await tenancy.workspaceOf(caller, body.workspace_id ?? undefined);
    const name = body.slug ?? newSlug({ prefix: '', name: body.name, length: 15 }, randomName);
    const provider = providerIdOf(body.provider);
    const mappings = await toMappings(
      body.secret_mappings,
      { provider, namespaces: referenceHomes(home, tenancy) },
      { store },
    );
    const draft = toDraft(body, { name, randomName, nowMs: now(), mappings }, { provider });
    const made = await store.create({ kind: KIND, namespace: home.namespace, name }, draft, { force });
    const { meta } = written(made, WHAT, NAMES);
    return { success: true as const, data: { id: meta.uid, slug: meta.name } };
  }),
  serveOperation(virtualKeys.get, async (call, services) => {
    const { object, home } = await find(call, services);
    return toView(object, { home, tenancy: services.tenancy, nowMs: services.now() });
  }),
  serveOperation(virtualKeys.update, async (call, services) => {
    const { place, home, object } = await find(call, services);
    const { randomName, tenancy } = services;
    const provider = call.body.provider === undefined ? object.spec.provider : providerIdOf(call.body.provider);
    const account = { provider, namespaces: referenceHomes(home, tenancy) };
    const mappings = await toMappings(call.body.secret_mappings, account, services);
    const change = ({ spec }: VirtualKey) =>
      toDraft(call.body, { name: place.name, randomName, nowMs: services.now(), mappings }, spec);
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(virtualKeys.delete, async (call, services) => {
    const { place } = await find(call, services);
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
];

import { providers } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { referenceAbsent } from '../http/rest-error.ts';
import type { StoredObject } from '../store/index.ts';
import type { Home, Tenancy } from '../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from './family.ts';
import { givenFields } from './fields.ts';
import { findObject } from './find.ts';
import { lastResetAt, showRateLimits, showStatus, showUsageLimit, toRateLimits, toUsageLimits } from './limits.ts';
import { pageOf } from './pages.ts';
import { newSlug } from './slugs.ts';
import { type FieldNames, written } from './write.ts';

const WHAT = 'provider';
const KIND = 'Provider';
const NAMES: FieldNames = {
  displayName: 'name',
  description: 'note',
  integrationRef: 'integration_id',
};

type Provider = StoredObject<'Provider'>;
type Integration = StoredObject<'Integration'>;
type Fields = z.output<typeof providers.update.body>;

interface Shown {
  readonly home: Home;
  readonly tenancy: Tenancy;
  readonly nowMs: number;
  /** By name, as references of the workspace find them. */
  readonly integrations: ReadonlyMap<string, Integration>;
}

function toView(object: Provider, { home, tenancy: { organisationId }, nowMs, integrations }: Shown) {
  const { meta, spec } = object;
  return {
    object: 'provider' as const,
    id: meta.uid,
    slug: meta.name,
    name: spec.displayName ?? meta.name,
    note: spec.description ?? null,
    integration_id: spec.integrationRef.name,
    ai_provider_name: integrations.get(spec.integrationRef.name)?.spec.provider ?? null,
    status: showStatus(object, nowMs),
    usage_limits: showUsageLimit(object),
    rate_limits: showRateLimits(object),
    last_reset_at: lastResetAt(object),
    expires_at: spec.expiresAt ?? null,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
    workspace_id: home.workspace?.id ?? organisationId,
    organisation_id: organisationId,
  };
}

/** The Integrations of a workspace, which go before those of the organisation that are granted to it. */
async function integrationsOf(home: Home, { store, tenancy }: Services): Promise<ReadonlyMap<string, Integration>> {
  const { namespace } = tenancy.organisation;
  const shared = await store.list('Integration', namespace);
  const grants = await store.list('IntegrationAccess', namespace);
  const isGranted = ({ meta: { name } }: Integration): boolean => {
    const about = grants.filter(({ spec }) => spec.integrationRef.name === name);
    const own = about.find(({ spec }) => spec.workspaceRef?.name === home.workspace?.slug);
    return (own ?? about.find(({ spec }) => spec.allWorkspaces === true))?.spec.enabled === true;
  };
  const own = await store.list('Integration', home.namespace);
  return new Map([...shared.filter(isGranted), ...own].map((one) => [one.meta.name, one]));
}

const shownIn = async (home: Home, services: Services): Promise<Shown> => ({
  home,
  tenancy: services.tenancy,
  nowMs: services.now(),
  integrations: await integrationsOf(home, services),
});

const toFields = (body: Fields, before: Partial<Provider['spec']>, nowMs: number) => ({
  ...before,
  ...givenFields({
    displayName: body.name,
    description: body.note,
    usageLimits: toUsageLimits(body, before.usageLimits, nowMs),
    rateLimits: toRateLimits(body.rate_limits),
    expiresAt: body.expires_at,
  }),
});

async function find(call: Pick<RestCall, 'caller' | 'path'>, services: Services) {
  const { object, home } = await findObject(KIND, call.path['slug'] ?? '', { call, services }, WHAT);
  const { namespace, name } = object.meta;
  return { object, home, place: { kind: KIND, namespace, name } as const };
}

export const PROVIDERS: readonly BoundOperation[] = [
  serveOperation(providers.list, async ({ caller, query }, services) => {
    const home = await services.tenancy.workspaceOf(caller, query.workspace_id);
    const shown = await shownIn(home, services);
    return pageOf(await services.store.list(KIND, home.namespace), query, (object) => toView(object, shown));
  }),
  serveOperation(providers.create, async ({ caller, body, force }, services) => {
    const { store, tenancy, randomName } = services;
    const home = await tenancy.workspaceOf(caller, body.workspace_id ?? undefined);
    const wanted = body.integration_id;
    const integrations = [...(await integrationsOf(home, services)).values()];
    const integration = integrations.find(({ meta }) => meta.name === wanted || meta.uid === wanted);
    if (integration === undefined) {
      throw referenceAbsent('integration_id', 'The integration does not exist, or is not granted to the workspace');
    }
    const name = body.slug ?? newSlug({ prefix: '', name: body.name, length: 15 }, randomName);
    const spec = { ...toFields(body, {}, services.now()), integrationRef: { name: integration.meta.name } };
    const made = await store.create({ kind: KIND, namespace: home.namespace, name }, { spec }, { force });
    const { meta } = written(made, WHAT, NAMES);
    return { id: meta.uid, slug: meta.name };
  }),
  serveOperation(providers.get, async (call, services) => {
    const { object, home } = await find(call, services);
    return toView(object, await shownIn(home, services));
  }),
  serveOperation(providers.update, async (call, services) => {
    const { object, place } = await find(call, services);
    const change = ({ spec }: Provider) => ({ spec: toFields(call.body, spec, services.now()) });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return { id: object.meta.uid, slug: object.meta.name };
  }),
  serveOperation(providers.delete, async (call, services) => {
    const { place } = await find(call, services);
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
];

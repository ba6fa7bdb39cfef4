import { integrations } from '@gatehouse/crds/rest';
import type { Place, WriteOptions } from '../../store/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { providerIdOf } from '../connection.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { pageOf } from '../pages.ts';
import { referenceHomes, toMappings } from '../secret-mappings.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { makeProvider, planProvider } from './default-provider.ts';
import { authorizeFor, find, grantsOf, KIND, WHAT } from './find.ts';
import { type IntegrationFields, type IntegrationObject, toDraft, toItem, toRecord } from './spec.ts';

export const NAMES: FieldNames = {
  displayName: 'name',
  provider: 'ai_provider_id',
  secretRef: 'key',
  settings: 'configurations',
  deployments: 'configurations.azure_deployment_config',
  customHost: 'configurations.custom_host',
  priceMultiplier: 'pricing_adjustments.multiplier.default',
};

interface Listed {
  readonly object: IntegrationObject;
  readonly home: Home;
}

/** Those of the home, and for a workspace those of the organisation that are granted to it. */
async function listed(home: Home, services: Services): Promise<readonly Listed[]> {
  const { store, tenancy } = services;
  const own = await store.list(KIND, home.namespace);
  const shown = own.map((object) => ({ object, home }));
  if (home.workspace === undefined) return shown;
  const shared = await store.list(KIND, tenancy.organisation.namespace);
  const grants = await store.list('IntegrationAccess', tenancy.organisation.namespace);
  const { slug } = home.workspace;
  const granted = shared.filter(({ meta: { name } }) => {
    const about = grants.filter(({ spec }) => spec.integrationRef.name === name);
    const its = about.find(({ spec }) => spec.workspaceRef?.name === slug);
    return (its ?? about.find(({ spec }) => spec.allWorkspaces === true))?.spec.enabled === true;
  });
  return [...shown, ...granted.map((object) => ({ object, home: tenancy.organisation }))];
}

async function homesOf(
  { caller, query }: RestCall<typeof integrations.list>,
  tenancy: Tenancy,
): Promise<readonly Home[]> {
  const named = query.workspace_id ?? caller.workspace;
  return named === undefined ? tenancy.visibleTo(caller) : [await tenancy.workspaceOf(caller, named)];
}

const homeOfNew = ({ caller, body }: RestCall<typeof integrations.create>, tenancy: Tenancy): Promise<Home> | Home => {
  const named = body.workspace_id ?? caller.workspace;
  return named === undefined ? tenancy.organisation : tenancy.workspaceOf(caller, named);
};

const mappingsOf = (
  { secret_mappings: given }: IntegrationFields,
  { provider, home }: { readonly provider: string; readonly home: Home },
  services: Services,
) => toMappings(given, { provider, namespaces: referenceHomes(home, services.tenancy) }, services);

/** A grant that is left would name nothing: they go with the integration, unless something else uses it. */
async function deleteGrants(
  place: Place,
  grants: readonly Place[],
  { store }: Services,
  how: WriteOptions,
): Promise<void> {
  const isGrant = (user: string): boolean => user.startsWith('IntegrationAccess/');
  const tried = await store.delete(place, { ...how, dryRun: true, expects: isGrant });
  const onlyGrants = !tried.ok && tried.error.kind === 'in-use' && tried.error.users.every(isGrant);
  if (!tried.ok && !onlyGrants) written(tried, WHAT);
  for (const grant of grants) {
    const gone = await store.delete(grant, how);
    if (!gone.ok && gone.error.kind !== 'absent') written(gone, 'access of a workspace');
  }
}

export const INTEGRATIONS: readonly BoundOperation[] = [
  serveOperation(integrations.list, async (call, services) => {
    const { query, caller } = call;
    const { tenancy } = services;
    const homes = await homesOf(call, tenancy);
    const seen = new Map(
      (await Promise.all(homes.map((home) => listed(home, services)))).flat().map((one) => [one.object.meta.uid, one]),
    );
    const { type = 'all' } = query;
    const isWanted = ({ home: { workspace } }: Listed): boolean => {
      const reach = workspace === undefined ? 'organisation' : 'workspace';
      // Whom an integration is granted to may know its name.
      const scope = caller.workspace === undefined ? reach : 'workspace';
      return (type === 'all' || type === reach) && caller.scopes.has(`${scope}_integrations.list`);
    };
    const wanted = [...seen.values()].filter(isWanted);
    return pageOf(wanted, query, ({ object, home }) => toItem(object, home, tenancy));
  }),
  serveOperation(integrations.create, async (call, services) => {
    const { body, force } = call;
    const { store, tenancy, randomName } = services;
    const home = await homeOfNew(call, tenancy);
    authorizeFor(call, home, 'create');
    const name = body.slug ?? newSlug({ prefix: '', name: body.name, length: 15 }, randomName);
    const provider = providerIdOf(body.ai_provider_id);
    const mappings = await mappingsOf(body, { provider, home }, services);
    const draft = toDraft(body, { name, randomName, mappings }, { provider });
    const place = { kind: KIND, namespace: home.namespace, name } as const;
    const planned =
      home.workspace === undefined ? undefined : await planProvider(body, { home, name, provider }, services);
    if (planned !== undefined) {
      written(await store.create(place, draft, { force, dryRun: true }), WHAT, NAMES);
      await makeProvider(planned, services, true);
    }
    const { meta } = written(await store.create(place, draft, { force }), WHAT, NAMES);
    if (planned !== undefined) await makeProvider(planned, services, false);
    return { id: meta.uid, slug: meta.name };
  }),
  serveOperation(integrations.get, async (call, services) => {
    const { object, home } = await find(call, services, 'read');
    return toRecord(object, home, { tenancy: services.tenancy, grants: await grantsOf(object, home, services) });
  }),
  serveOperation(integrations.update, async (call, services) => {
    const { place, object, home } = await find(call, services, 'update');
    const { randomName } = services;
    const mappings = await mappingsOf(call.body, { provider: object.spec.provider, home }, services);
    const change = ({ meta, spec }: IntegrationObject) =>
      toDraft(call.body, { name: meta.name, randomName, mappings }, spec);
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(integrations.delete, async (call, services) => {
    const { object, home, place } = await find(call, services, 'delete');
    const how = { force: call.force };
    const grants = await grantsOf(object, home, services);
    const places = grants.map(({ kind, meta: { namespace, name } }) => ({ kind, namespace, name }));
    await deleteGrants(place, places, services, how);
    written(await services.store.delete(place, how), WHAT);
    return {};
  }),
];

import { isMcpGrantedTo } from '@gatehouse/crds/kinds';
import { mcpIntegrations } from '@gatehouse/crds/rest';
import { authorize } from '../../callers/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { newSecretName } from '../account.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { type Found, findObject } from '../find.ts';
import { pageOf, windowOf } from '../pages.ts';
import { matches } from '../search.ts';
import { newSlug } from '../slugs.ts';
import { written } from '../write.ts';
import { testServer } from './ask-server.ts';
import { countsOf, merged, ofType, pageFromOne, UNKNOWN_SERVER } from './capabilities.ts';
import { toHeaders } from './headers.ts';
import {
  type Before,
  type IntegrationObject,
  KIND,
  NAMES,
  showGrants,
  toForwardHeaders,
  toItem,
  WHAT,
} from './spec.ts';
import { changeGrants } from './workspaces.ts';

type Action = 'create' | 'read' | 'update' | 'delete';
type Fields = RestCall<typeof mcpIntegrations.update>['body'];

/** Those of the organisation and those of workspaces have scopes of their own. */
function authorizeFor({ caller }: Pick<RestCall, 'caller'>, { workspace }: Home, action: Action): void {
  authorize(caller, [`${workspace === undefined ? 'organisation' : 'workspace'}_mcp_integrations.${action}`]);
}

const placeOf = ({ meta: { namespace, name } }: IntegrationObject) => ({ kind: KIND, namespace, name }) as const;

async function find(
  call: RestCall,
  services: Services,
  action: Action,
): Promise<Found<typeof KIND> & { readonly place: ReturnType<typeof placeOf> }> {
  const found = await findObject(KIND, call.path['mcpIntegrationId'] ?? '', { call, services }, WHAT);
  authorizeFor(call, found.home, action);
  return { ...found, place: placeOf(found.object) };
}

/** What is given over what is there. Throws RestError INVALID. */
function toDraft(body: Fields, before: Before, name: string, randomName: Services['randomName']) {
  const isMoved = before.url !== undefined && body.url !== undefined && body.url !== before.url;
  const headers = toHeaders(body.configurations, {
    before,
    secretName: `${name}-mcp`,
    newSecretName: () => newSecretName(`${name}-mcp`, randomName),
    isMoved,
  });
  const spec = {
    ...before,
    ...givenFields({
      displayName: body.name,
      description: body.description,
      url: body.url,
      transport: body.transport,
      authType: body.auth_type,
      forwardHeaders: toForwardHeaders(body.configurations?.forward_headers),
    }),
    ...(headers === undefined ? {} : { headersFrom: headers.headersFrom }),
  };
  return { spec, secret: headers?.secret, retired: headers?.retired };
}

interface Listed {
  readonly object: IntegrationObject;
  readonly home: Home;
}

/** Those of the home, and for a workspace those of the organisation that are granted to it. */
async function listed(home: Home, { store, tenancy }: Services): Promise<readonly Listed[]> {
  const own = (await store.list(KIND, home.namespace)).map((object) => ({ object, home }));
  if (home.workspace === undefined) return own;
  const { slug } = home.workspace;
  const shared = await store.list(KIND, tenancy.organisation.namespace);
  const granted = shared.filter(({ spec }) => isMcpGrantedTo(slug, spec));
  return [...own, ...granted.map((object) => ({ object, home: tenancy.organisation }))];
}

async function homesOf({ caller, query }: RestCall<typeof mcpIntegrations.list>, tenancy: Tenancy) {
  const named = query.workspace_id ?? caller.workspace;
  return named === undefined ? tenancy.visibleTo(caller) : [await tenancy.workspaceOf(caller, named)];
}

export const MCP_INTEGRATIONS: readonly BoundOperation[] = [
  serveOperation(mcpIntegrations.list, async (call, services) => {
    const { query, caller } = call;
    const { tenancy } = services;
    const homes = await homesOf(call, tenancy);
    const all = (await Promise.all(homes.map((home) => listed(home, services)))).flat();
    const isWanted = ({ object, home }: Listed): boolean => {
      const reach = home.workspace === undefined ? 'organisation' : 'workspace';
      // Whom an integration is granted to may know its name.
      const scope = caller.workspace === undefined ? reach : 'workspace';
      const { type = 'all', search } = query;
      return (
        (type === 'all' || type === reach) &&
        caller.scopes.has(`${scope}_mcp_integrations.list`) &&
        matches(search, [object.spec.displayName ?? '', object.meta.name])
      );
    };
    const seen = new Map(all.filter(isWanted).map((one) => [one.object.meta.uid, one]));
    const page = pageOf([...seen.values()], query, ({ object, home }) => toItem(object, home));
    const { limit, offset } = windowOf(query);
    return { ...page, has_more: offset + limit < page.total };
  }),
  serveOperation(mcpIntegrations.create, async (call, services) => {
    const { body, caller } = call;
    const { store, tenancy, randomName } = services;
    const named = body.workspace_id ?? caller.workspace;
    const home = named === undefined ? tenancy.organisation : await tenancy.workspaceOf(caller, named);
    authorizeFor(call, home, 'create');
    const name = body.slug ?? newSlug({ prefix: '', name: body.name, length: 15 }, randomName);
    const place = { kind: KIND, namespace: home.namespace, name } as const;
    const draft = toDraft(body, {}, name, randomName);
    const { meta } = written(await store.create(place, draft, { force: call.force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name };
  }),
  serveOperation(mcpIntegrations.get, async (call, services) => {
    const { object, home } = await find(call, services, 'read');
    const { allWorkspaces } = object.spec;
    const access = allWorkspaces === undefined ? null : { enabled: allWorkspaces };
    return { ...toItem(object, home), global_workspace_access: access };
  }),
  serveOperation(mcpIntegrations.update, async (call, services) => {
    const { place } = await find(call, services, 'update');
    const { store, randomName } = services;
    const change = ({ meta, spec }: IntegrationObject) => toDraft(call.body, spec, meta.name, randomName);
    written(await store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(mcpIntegrations.delete, async (call, services) => {
    const { place } = await find(call, services, 'delete');
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
  serveOperation(mcpIntegrations.listWorkspaces, async (call, services) => {
    const { object } = await find(call, services, 'read');
    const grants = showGrants(object);
    const { allWorkspaces } = object.spec;
    const list = call.query.version === undefined ? { workspaces: grants } : { data: grants, total: grants.length };
    return { ...list, global_workspace_access: allWorkspaces === undefined ? null : { enabled: allWorkspaces } };
  }),
  serveOperation(mcpIntegrations.writeWorkspaces, async (call, services) => {
    const { place, home } = await find(call, services, 'update');
    const change = await changeGrants(call, home, services);
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(mcpIntegrations.listCapabilities, async (call, services) => {
    const { object } = await find(call, services, 'read');
    const all = object.spec.capabilities ?? [];
    const { createdAt, updatedAt } = object.meta;
    const page = pageFromOne(ofType(all, call.query.type), call.query);
    const data = page.data.map((one) => ({ ...one, created_at: createdAt, last_updated_at: updatedAt }));
    return { ...page, data, counts: countsOf(all) };
  }),
  serveOperation(mcpIntegrations.writeCapabilities, async (call, services) => {
    const { place } = await find(call, services, 'update');
    const change = ({ spec }: IntegrationObject) => ({
      spec: { ...spec, capabilities: merged(spec.capabilities, call.body.capabilities) },
    });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return { success: true as const };
  }),
  serveOperation(mcpIntegrations.test, async (call, services) => {
    const { object, home } = await find(call, services, 'read');
    return testServer(object, home, services);
  }),
  serveOperation(mcpIntegrations.metadata, async (call, services) => {
    await find(call, services, 'read');
    return UNKNOWN_SERVER;
  }),
];

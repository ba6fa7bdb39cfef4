import { isMcpGrantedTo } from '@gatehouse/crds/kinds';
import { mcpServers } from '@gatehouse/crds/rest';
import { RestError, referenceAbsent } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home, WorkspaceHome } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { findObject } from '../find.ts';
import { pageOf } from '../pages.ts';
import { matches } from '../search.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { NOT_GRANTED, testServer } from './ask-server.ts';
import { countsOf, joined, merged, ofType, pageFromOne, UNKNOWN_SERVER } from './capabilities.ts';
import type { IntegrationObject } from './spec.ts';
import { accessOf, changeAccess } from './user-access.ts';

const WHAT = 'MCP server';
const KIND = 'McpServer';
const NAMES: FieldNames = { displayName: 'name', integrationRef: 'mcp_integration_id', capabilities: 'capabilities' };

type ServerObject = StoredObject<typeof KIND>;

interface FoundServer {
  readonly object: ServerObject;
  readonly home: Home & { readonly workspace: WorkspaceHome };
  readonly place: { readonly kind: typeof KIND; readonly namespace: string | undefined; readonly name: string };
}

async function find(call: RestCall, services: Services): Promise<FoundServer> {
  const { object, home } = await findObject(KIND, call.path['mcpServerId'] ?? '', { call, services }, WHAT);
  const { workspace } = home;
  if (workspace === undefined) throw new RestError('ABSENT', { message: `The ${WHAT} is in no workspace` });
  const { namespace, name } = object.meta;
  return { object, home: { ...home, workspace }, place: { kind: KIND, namespace, name } };
}

/** The integration of a server, as long as the workspace may use it. */
async function integrationOf(
  name: string,
  { namespace, workspace }: Home,
  { store, tenancy }: Services,
): Promise<IntegrationObject | undefined> {
  const own = await store.get({ kind: 'McpIntegration', namespace, name });
  if (own !== undefined || workspace === undefined) return own;
  const shared = await store.get({ kind: 'McpIntegration', namespace: tenancy.organisation.namespace, name });
  return shared !== undefined && isMcpGrantedTo(workspace.slug, shared.spec) ? shared : undefined;
}

/** The name of the integration that a body names by slug or UUID. Throws RestError REFERENCE_ABSENT. */
async function integrationNamed(given: string, home: Home, services: Services): Promise<string> {
  const { store, tenancy } = services;
  const byId = await store.find('McpIntegration', given);
  const isVisible =
    byId !== undefined && [home.namespace, tenancy.organisation.namespace].includes(byId.meta.namespace ?? '');
  const name = isVisible ? byId.meta.name : given;
  const found = await integrationOf(name, home, services);
  if (found !== undefined && (byId === undefined || byId.meta.uid === found.meta.uid)) return name;
  const message = 'body mcp_integration_id: the MCP integration does not exist, or is not granted to the workspace';
  throw referenceAbsent('mcp_integration_id', message);
}

async function toRecord({ meta, spec }: ServerObject, home: FoundServer['home'], services: Services) {
  const integration = await integrationOf(spec.integrationRef.name, home, services);
  const record = {
    id: meta.uid,
    slug: meta.name,
    name: spec.displayName ?? meta.name,
    description: spec.description ?? null,
    status: 'active' as const,
    organisation_id: services.tenancy.organisationId,
    owner_id: null,
    workspace_id: home.workspace.id,
    mcp_integration_id: integration?.meta.uid ?? '',
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
  };
  return { record, integration };
}

const detailsOf = ({ meta, spec }: IntegrationObject) => ({
  id: meta.uid,
  slug: meta.name,
  status: 'active' as const,
  url: spec.url,
  transport: spec.transport,
  auth_type: spec.authType,
});

async function homesOf(
  { caller, query }: RestCall<typeof mcpServers.list>,
  { tenancy }: Services,
): Promise<readonly Home[]> {
  const named = query.workspace_id ?? caller.workspace;
  return named === undefined ? tenancy.visibleTo(caller) : [await tenancy.workspaceOf(caller, named)];
}

const hasWorkspace = (home: Home): home is FoundServer['home'] => home.workspace !== undefined;

export const MCP_SERVERS: readonly BoundOperation[] = [
  serveOperation(mcpServers.list, async (call, services) => {
    const { query } = call;
    const homes = (await homesOf(call, services)).filter(hasWorkspace);
    const listed = async (home: FoundServer['home']) =>
      (await services.store.list(KIND, home.namespace)).map((object) => ({ object, home }));
    const all = await Promise.all(homes.map(listed));
    const ids = query.id === undefined ? undefined : new Set(query.id.split(',').map((id) => id.trim()));
    const wanted = all
      .flat()
      .filter(({ object: { meta, spec } }) => matches(query.search, [spec.displayName ?? '', meta.name]))
      .filter(({ object: { meta } }) => ids === undefined || ids.has(meta.uid) || ids.has(meta.name));
    const page = pageOf(wanted, query, (one) => one);
    const items = page.data.map(async ({ object, home }) => {
      const { record, integration } = await toRecord(object, home, services);
      return {
        ...record,
        mcp_integration_slug: object.spec.integrationRef.name,
        mcp_integration_url: integration?.spec.url ?? null,
        auth_type: integration?.spec.authType ?? null,
        workspace_name: home.workspace.slug,
        workspace_slug: home.workspace.slug,
      };
    });
    return { ...page, data: await Promise.all(items) };
  }),
  serveOperation(mcpServers.create, async (call, services) => {
    const { name: displayName, description, slug, mcp_integration_id: integration, workspace_id: named } = call.body;
    const home = await services.tenancy.workspaceOf(call.caller, named ?? undefined);
    const name = slug ?? newSlug({ prefix: '', name: displayName, length: 15 }, services.randomName);
    const integrationRef = { name: await integrationNamed(integration, home, services) };
    const spec = { displayName, integrationRef, ...givenFields({ description }) };
    const place = { kind: KIND, namespace: home.namespace, name } as const;
    const { meta } = written(await services.store.create(place, { spec }, { force: call.force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name };
  }),
  serveOperation(mcpServers.get, async (call, services) => {
    const { object, home } = await find(call, services);
    const { record, integration } = await toRecord(object, home, services);
    return { ...record, mcp_integration_details: integration === undefined ? null : detailsOf(integration) };
  }),
  serveOperation(mcpServers.update, async (call, services) => {
    const { place } = await find(call, services);
    const { name: displayName, description } = call.body;
    const change = ({ spec }: ServerObject) => ({ spec: { ...spec, ...givenFields({ displayName, description }) } });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(mcpServers.delete, async (call, services) => {
    const { place } = await find(call, services);
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
  serveOperation(mcpServers.listCapabilities, async (call, services) => {
    const { object, home } = await find(call, services);
    const integration = await integrationOf(object.spec.integrationRef.name, home, services);
    const all = joined(integration?.spec.capabilities, object.spec.capabilities);
    return { ...pageFromOne(ofType(all, call.query.type), call.query), counts: countsOf(all) };
  }),
  serveOperation(mcpServers.writeCapabilities, async (call, services) => {
    const { place } = await find(call, services);
    const change = ({ spec }: ServerObject) => ({
      spec: { ...spec, capabilities: merged(spec.capabilities, call.body.capabilities) },
    });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return { success: true as const };
  }),
  serveOperation(mcpServers.listUserAccess, async (call, services) => {
    const { object, home } = await find(call, services);
    const members = await services.store.list('WorkspaceMember', home.namespace);
    const all = accessOf(object.spec, members);
    const wanted = all.filter(({ user_id: user }) => matches(call.query.search, [user]));
    return { ...pageFromOne(wanted, call.query), default_user_access: object.spec.defaultUserAccess };
  }),
  serveOperation(mcpServers.writeUserAccess, async (call, services) => {
    const { place } = await find(call, services);
    const change = ({ spec }: ServerObject) => ({ spec: { ...spec, ...changeAccess(call.body, spec) } });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return { success: true as const };
  }),
  serveOperation(mcpServers.test, async (call, services) => {
    const { object, home } = await find(call, services);
    const integration = await integrationOf(object.spec.integrationRef.name, home, services);
    return integration === undefined ? NOT_GRANTED : testServer(integration, home, services);
  }),
  serveOperation(mcpServers.metadata, async (call, services) => {
    await find(call, services);
    return UNKNOWN_SERVER;
  }),
];

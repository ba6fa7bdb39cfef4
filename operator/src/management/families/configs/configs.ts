import { KINDS } from '@gatehouse/crds/kinds';
import { configs } from '@gatehouse/crds/rest';
import { versionIdOf } from '../../revisions/index.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { findObject } from '../find.ts';
import { pageOf } from '../pages.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { showContent, toContent } from './content.ts';

const WHAT = 'config';
const KIND = 'GatewayConfig';
const NAMES: FieldNames = { displayName: 'name' };

type Config = StoredObject<'GatewayConfig'>;

interface Shown {
  readonly home: Home;
  readonly tenancy: Tenancy;
  /** The name of the config that the workspace has as its default. */
  readonly defaultName: string | undefined;
}

const toItem = ({ meta, spec }: Config, { home, tenancy: { organisationId }, defaultName }: Shown) => ({
  id: meta.uid,
  name: spec.displayName ?? meta.name,
  slug: meta.name,
  organisation_id: organisationId,
  workspace_id: home.workspace?.id ?? null,
  is_default: meta.name === defaultName ? (1 as const) : (0 as const),
  status: 'active' as const,
  owner_id: null,
  updated_by: null,
  created_at: meta.createdAt,
  last_updated_at: meta.updatedAt,
  object: 'config' as const,
});

async function shownIn(home: Home, { store, tenancy }: Services): Promise<Shown> {
  const name = home.workspace?.slug;
  const workspace = name === undefined ? undefined : await store.get({ kind: 'Workspace', namespace: undefined, name });
  return { home, tenancy, defaultName: workspace?.spec.defaults?.configRef?.name };
}

function toResult(config: Config) {
  const { uid: id, name: slug } = config.meta;
  const result = { id, slug, version_id: versionIdOf(config), object: 'config' as const };
  return { ...result, success: true as const, data: result };
}

async function find(call: Pick<RestCall, 'caller' | 'path'>, services: Services) {
  const { object, home } = await findObject(KIND, call.path['slug'] ?? '', { call, services }, WHAT);
  const { namespace, name } = object.meta;
  return { object, home, place: { kind: KIND, namespace, name } as const };
}

export const CONFIGS: readonly BoundOperation[] = [
  serveOperation(configs.list, async ({ caller, query }, services) => {
    const home = await services.tenancy.workspaceOf(caller, query.workspace_id);
    const shown = await shownIn(home, services);
    const page = pageOf(await services.store.list(KIND, home.namespace), query, (object) => toItem(object, shown));
    return { success: true as const, ...page };
  }),
  serveOperation(configs.create, async ({ caller, body, force }, services) => {
    const { store, tenancy, randomName } = services;
    const home = await tenancy.workspaceOf(caller, body.workspace_id ?? undefined);
    const name = body.slug ?? newSlug({ prefix: 'pc-', name: body.name, length: 6 }, randomName);
    const { config, secret } = toContent(body.config, { before: undefined, name, randomName });
    const place = { kind: KIND, namespace: home.namespace, name } as const;
    const made = await store.create(place, { spec: { displayName: body.name, config }, secret }, { force });
    return toResult(kept(written(made, WHAT, NAMES), services));
  }),
  serveOperation(configs.get, async (call, services) => {
    const { object, home } = await find(call, services);
    const config = showContent(object.spec.config);
    const item = {
      ...toItem(object, await shownIn(home, services)),
      version_id: versionIdOf(object),
    };
    return {
      ...item,
      config: JSON.stringify(config),
      format: 'json' as const,
      success: true as const,
      data: { ...item, config },
    };
  }),
  serveOperation(configs.update, async (call, services) => {
    const { place } = await find(call, services);
    const { name: displayName, config } = call.body;
    const { randomName } = services;
    const change = (current: Config) => {
      const { meta, spec } = kept(current, services);
      const known = { before: spec.config, name: meta.name, randomName };
      const content = config === undefined ? undefined : toContent(config, known);
      return {
        spec: { ...spec, ...givenFields({ displayName, config: content?.config }) },
        secret: content?.secret,
        retired: content?.retired,
      };
    };
    const changed = await services.store.update(place, change, { force: call.force });
    return toResult(kept(written(changed, WHAT, NAMES), services));
  }),
  serveOperation(configs.delete, async (call, services) => {
    const { object, place } = await find(call, services);
    written(await services.store.delete(place, { force: call.force }), WHAT);
    services.revisions?.forget(object.meta.uid);
    return {};
  }),
  serveOperation(configs.listVersions, async (call, services) => {
    const { object, home } = await find(call, services);
    const shown = await shownIn(home, services);
    const earlier = await earlierVersions(object, services);
    const current = { versionId: versionIdOf(object), spec: object.spec, madeAt: object.meta.updatedAt };
    return pageOf([current, ...earlier], call.query, (version) => toVersion(object, version, shown));
  }),
];

/** Keeps what the config has now. */
function kept(config: Config, { revisions }: Services): Config {
  revisions?.note(config);
  return config;
}

interface Version {
  readonly versionId: string;
  readonly spec: Config['spec'];
  readonly madeAt: string;
}

/** Those that this release can read, the newest first. */
async function earlierVersions(object: Config, { revisions }: Services): Promise<readonly Version[]> {
  const all = (await revisions?.list(object.meta.uid)) ?? [];
  const current = versionIdOf(object);
  return all.flatMap(({ versionId, content, madeAt }) => {
    const spec = KINDS[KIND].spec.safeParse(content);
    if (versionId === current || !spec.success) return [];
    return [{ versionId, spec: spec.data, madeAt: madeAt.toISOString() }];
  });
}

/** Credentials are in Secrets, whatever the version. */
const toVersion = (object: Config, { versionId, spec, madeAt }: Version, shown: Shown) => ({
  ...toItem({ ...object, spec }, shown),
  last_updated_at: madeAt,
  config: JSON.stringify(showContent(spec.config)),
  format: 'json' as const,
  version_id: versionId,
});

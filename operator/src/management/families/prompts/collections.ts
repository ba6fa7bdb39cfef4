import { promptCollections } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { homeOf } from '../homes.ts';
import { pageOf } from '../pages.ts';
import { matches } from '../search.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import {
  type CollectionObject,
  collectionIn,
  DEFAULT_SLUG,
  defaultIdOf,
  type FoundCollection,
  findCollection,
} from './find-collection.ts';

const WHAT = 'collection';
const KIND = 'PromptCollection';
const NAMES: FieldNames = { displayName: 'name', parentRef: 'parent_collection_id' };
const DEFAULT_NAME = 'Default';

const find = (call: RestCall, services: Services): Promise<FoundCollection> =>
  findCollection(call.path['collectionId'] ?? '', call, services);

/** That of an object. Throws RestError ABSENT for the default collection, which cannot be changed. */
async function findPlace(call: RestCall, services: Services) {
  const { object } = await find(call, services);
  if (object !== undefined) return { kind: KIND, namespace: object.meta.namespace, name: object.meta.name } as const;
  const message = 'The default collection of a workspace is no object: it is neither renamed nor deleted';
  throw new RestError('ABSENT', { message });
}

/** How many objects a collection holds, and when the last of them changed. */
interface Tally {
  readonly count: number;
  readonly updatedAt: string | null;
}
const NONE: Tally = { count: 0, updatedAt: null };

/** What is in the collections of a home; those without a name are in the default one. */
interface Contents {
  readonly home: Home;
  readonly defaultId: string;
  readonly collections: readonly CollectionObject[];
  readonly idOf: ReadonlyMap<string, string>;
  readonly children: ReadonlyMap<string | undefined, Tally>;
  readonly prompts: ReadonlyMap<string | undefined, Tally>;
}

async function contentsOf(home: Home, { store, tenancy }: Services): Promise<Contents> {
  const [collections, prompts] = await Promise.all([
    store.list(KIND, home.namespace),
    store.list('Prompt', home.namespace),
  ]);
  return {
    home,
    defaultId: defaultIdOf(home, tenancy),
    collections,
    idOf: new Map(collections.map(({ meta }) => [meta.name, meta.uid])),
    children: tally(collections, ({ spec }) => spec.parentRef?.name),
    prompts: tally(prompts, ({ spec }) => spec.collectionRef?.name),
  };
}

/** One pass over all objects, however many collections are shown. */
function tally<T extends Pick<StoredObject, 'meta'>>(
  objects: readonly T[],
  holder: (object: T) => string | undefined,
): ReadonlyMap<string | undefined, Tally> {
  const tallies = new Map<string | undefined, Tally>();
  for (const object of objects) {
    const { count, updatedAt } = tallies.get(holder(object)) ?? NONE;
    const own = object.meta.updatedAt;
    const isLater = updatedAt === null || Date.parse(own) > Date.parse(updatedAt);
    tallies.set(holder(object), { count: count + 1, updatedAt: isLater ? own : updatedAt });
  }
  return tallies;
}

/** `object` undefined: the default collection. */
function toItem(object: CollectionObject | undefined, { home, defaultId, idOf }: Contents) {
  const parent = object?.spec.parentRef?.name;
  return {
    id: object?.meta.uid ?? defaultId,
    slug: object?.meta.name ?? DEFAULT_SLUG,
    name: nameOf(object),
    workspace_id: home.workspace?.id ?? null,
    parent_collection_id: idOf.get(parent ?? '') ?? null,
    is_default: object === undefined ? (1 as const) : (0 as const),
    status: 'active' as const,
    created_at: object?.meta.createdAt ?? null,
    last_updated_at: object?.meta.updatedAt ?? null,
  };
}

const nameOf = (object: CollectionObject | undefined): string =>
  object === undefined ? DEFAULT_NAME : (object.spec.displayName ?? object.meta.name);

function statsOf(object: CollectionObject | undefined, { children, prompts }: Contents) {
  const name = object?.meta.name;
  const inside = name === undefined ? NONE : (children.get(name) ?? NONE);
  const held = prompts.get(name) ?? NONE;
  return {
    child_collections_count: inside.count,
    prompts_count: held.count,
    child_collections_last_updated_at: inside.updatedAt,
    prompts_last_updated_at: held.updatedAt,
  };
}

export const COLLECTIONS: readonly BoundOperation[] = [
  serveOperation(promptCollections.list, async ({ caller, query }, services) => {
    const home = await homeOf(caller, query, services.tenancy);
    const contents = await contentsOf(home, services);
    const all = [undefined, ...contents.collections];
    const wanted = all.filter((one) => matches(query.search, [nameOf(one), one?.meta.name ?? DEFAULT_SLUG]));
    return pageOf(wanted, query, (one) => ({
      ...toItem(one, contents),
      collection_details: statsOf(one, contents),
    }));
  }),
  serveOperation(promptCollections.create, async (call, services) => {
    const { name: displayName, slug, parent_collection_id: given = null } = call.body;
    const home = await homeOf(call.caller, call.body, services.tenancy);
    if (slug === DEFAULT_SLUG) {
      throw new RestError('CONFLICT', { message: 'Every workspace has a default collection', param: 'slug' });
    }
    const parent = await collectionIn(home, { given, param: 'parent_collection_id', call }, services);
    const name = slug ?? newSlug({ prefix: '', name: displayName, length: 15 }, services.randomName);
    const spec = { displayName, ...(parent === null ? {} : { parentRef: { name: parent } }) };
    const place = { kind: KIND, namespace: home.namespace, name } as const;
    const { meta } = written(await services.store.create(place, { spec }, { force: call.force }), WHAT, NAMES);
    return { id: meta.uid, slug: meta.name };
  }),
  serveOperation(promptCollections.get, async (call, services) => {
    const { object, home } = await find(call, services);
    const contents = await contentsOf(home, services);
    const name = object?.meta.name;
    const inside = contents.collections.filter(({ spec }) => name !== undefined && spec.parentRef?.name === name);
    return {
      ...toItem(object, contents),
      child_collections: inside.map((one) => ({
        id: one.meta.uid,
        slug: one.meta.name,
        name: nameOf(one),
        last_updated_at: one.meta.updatedAt,
        collection_details: statsOf(one, contents),
      })),
    };
  }),
  serveOperation(promptCollections.update, async (call, services) => {
    const place = await findPlace(call, services);
    const change = ({ spec }: CollectionObject) => ({ spec: { ...spec, displayName: call.body.name } });
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(promptCollections.delete, async (call, services) => {
    const place = await findPlace(call, services);
    written(await services.store.delete(place, { force: call.force }), WHAT);
    return {};
  }),
];

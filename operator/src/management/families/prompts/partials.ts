import { type VersionChoice, versionName } from '@gatehouse/crds/prompts';
import { promptPartials } from '@gatehouse/crds/rest';
import { invalid } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { findObject } from '../find.ts';
import { windowOf } from '../pages.ts';
import { newSlug } from '../slugs.ts';
import { type FieldNames, written } from '../write.ts';
import { findCopied, homeOfCopy } from './copies.ts';
import { collectionIdOf, collectionRefOf, inCollection } from './find-collection.ts';
import { homeNamed } from './home-named.ts';
import {
  addVersion,
  choiceOf,
  deleteWithVersions,
  newestFirst,
  numbered,
  ownVersion,
  pageOfVersions,
  refuseLeftovers,
  type Version,
  versionNamed,
} from './versions.ts';

const WHAT = 'partial';
const KIND = 'PromptPartial';
const VERSION = 'PromptPartialVersion';
const NAMES: FieldNames = { displayName: 'name', text: 'string', description: 'version_description' };

type Partial = StoredObject<'PromptPartial'>;

const placeOf = ({ meta: { namespace, name } }: Partial) => ({ kind: KIND, namespace, name }) as const;

const find = (call: RestCall, services: Services) =>
  findObject(KIND, call.path['promptPartialId'] ?? '', { call, services }, WHAT);

const versionObjects = async (name: string, namespace: string | undefined, { store }: Pick<Services, 'store'>) =>
  (await store.list(VERSION, namespace)).filter(({ spec }) => spec.partialRef.name === name);

/** All versions, the newest first. */
async function versionsOf({ meta, spec }: Partial, services: Services): Promise<readonly Version<string>[]> {
  const others = (await versionObjects(meta.name, meta.namespace, services)).map((one) => ({
    id: one.meta.uid,
    number: one.spec.version,
    description: one.spec.description,
    content: one.spec.text,
    createdAt: one.meta.createdAt,
  }));
  return newestFirst(spec.text === undefined ? undefined : ownVersion(meta, spec.description, spec.text), others);
}

const toItem = async (object: Partial, home: Home, services: Services) => ({
  id: object.meta.uid,
  slug: object.meta.name,
  name: object.spec.displayName ?? object.meta.name,
  collection_id: await collectionIdOf(object, home, services),
  created_at: object.meta.createdAt,
  last_updated_at: object.meta.updatedAt,
  status: 'active' as const,
});

export const PARTIALS: readonly BoundOperation[] = [
  serveOperation(promptPartials.list, async (call, services) => {
    const { query } = call;
    const home = await homeNamed(call.caller, query, services);
    const all = await services.store.list(KIND, home.namespace);
    const wanted = await inCollection(all, home, { given: query.collection_id, call }, services);
    const { limit, offset } = windowOf(query);
    const items = wanted.slice(offset, offset + limit).map((one) => toItem(one, home, services));
    return (await Promise.all(items)).map((item) => ({ ...item, object: 'partial' as const }));
  }),
  serveOperation(promptPartials.create, async (call, services) => {
    const { name, slug, string: text, version_description: description, collection_id: collection } = call.body;
    const home = await homeNamed(call.caller, call.body, services);
    return createPartial(home, { name, slug, text, description, collection }, { call, services });
  }),
  serveOperation(promptPartials.get, async (call, services) => {
    const { object, home } = await find(call, services);
    const versions = await versionsOf(object, services);
    const choice = choiceOf(call.query.version);
    const version = chosen(versions, choice, object.spec.publishedVersion);
    return {
      ...(await toItem(object, home, services)),
      string: version.content,
      version: version.number,
      version_description: version.description ?? null,
      prompt_partial_version_id: version.id,
      prompt_partial_version_status: 'active' as const,
    };
  }),
  serveOperation(promptPartials.update, (call, services) => update(call, services)),
  serveOperation(promptPartials.delete, async (call, services) => {
    const { object } = await find(call, services);
    const { name, namespace } = object.meta;
    const versions = (await versionObjects(name, namespace, services)).map(
      ({ meta }) => ({ kind: VERSION, namespace, name: meta.name }) as const,
    );
    await deleteWithVersions({ place: placeOf(object), versions, what: WHAT }, call, services);
    return {};
  }),
  serveOperation(promptPartials.listVersions, async (call, services) => {
    const { object } = await find(call, services);
    return pageOfVersions(await versionsOf(object, services), call.query).map((version) => ({
      prompt_partial_id: object.meta.uid,
      prompt_partial_version_id: version.id,
      slug: object.meta.name,
      version: version.number,
      string: version.content,
      description: version.description ?? null,
      created_at: version.createdAt,
      prompt_version_status: 'active' as const,
      object: 'partial' as const,
    }));
  }),
  serveOperation(promptPartials.fork, async (call, services) => {
    const { name, slug, version, collection_id: collection } = call.body;
    const { object, home: source } = await findCopied(call, () => find(call, services));
    const choice = choiceOf(version === undefined ? undefined : String(version));
    const { content: text, description } = chosen(
      await versionsOf(object, services),
      choice,
      object.spec.publishedVersion,
    );
    const home = await homeOfCopy(source, call, services);
    const wanted = { name: name ?? object.spec.displayName ?? object.meta.name, slug, text, description, collection };
    return createPartial(home, wanted, { call, services });
  }),
  serveOperation(promptPartials.publish, async (call, services) => {
    const { object } = await find(call, services);
    const { number } = versionNamed(await versionsOf(object, services), call.body.version, WHAT);
    const change = ({ spec }: Partial) => ({ spec: { ...spec, publishedVersion: number } });
    written(await services.store.update(placeOf(object), change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
];

interface NewPartial {
  readonly name: string;
  readonly slug: string | undefined;
  readonly text: string;
  /** Of its first version. */
  readonly description: string | null | undefined;
  /** Slug or UUID; undefined and null: the default one. */
  readonly collection: string | null | undefined;
}

/** With its first version, which is published. Throws the RestError of a problem. */
async function createPartial(
  home: Home,
  { name, slug: given, text, description, collection }: NewPartial,
  { call, services }: { readonly call: RestCall; readonly services: Services },
) {
  const slug = given ?? newSlug({ prefix: 'pp-', name, length: 10 }, services.randomName);
  const collectionRef = await collectionRefOf(home, collection, call, services);
  const place = { kind: KIND, namespace: home.namespace, name: slug } as const;
  if ((await services.store.get(place)) === undefined) {
    const left = await versionObjects(slug, home.namespace, services);
    refuseLeftovers(
      left.map(({ meta }) => meta.name),
      WHAT,
    );
  }
  const spec = givenFields({ displayName: name, description, collectionRef, text });
  const { meta } = written(await services.store.create(place, { spec }, { force: call.force }), WHAT, NAMES);
  return { id: meta.uid, slug: meta.name, version_id: meta.uid };
}

/** Partials have no labels. */
function chosen(versions: readonly Version<string>[], choice: VersionChoice, published: number): Version<string> {
  switch (choice.kind) {
    case 'number':
      return numbered(versions, choice.number, WHAT);
    case 'latest':
      return numbered(versions, 'latest', WHAT);
    case 'label':
      return versionNamed(versions, choice.label, WHAT);
    case 'default':
      return numbered(versions, published, WHAT);
  }
}

async function update(call: RestCall<typeof promptPartials.update>, services: Services) {
  const { name, collection_id: collection, string: text, version_description, description } = call.body;
  const { object, home } = await find(call, services);
  const { store } = services;
  const about = version_description ?? description;
  if (text === undefined && about !== undefined && about !== null) {
    const message = 'it is that of a new version, which needs a string';
    throw invalid([{ code: 'invalid', path: ['version_description'], message }], 'body');
  }
  const fields = givenFields({
    displayName: name,
    collectionRef: await collectionRefOf(home, collection, call, services),
  });
  const change = ({ spec }: Partial) => ({ spec: { ...spec, ...fields } });
  const place = placeOf(object);
  const write = async (dryRun: boolean): Promise<void> => {
    if (Object.keys(fields).length === 0) return;
    written(await store.update(place, change, { force: call.force, dryRun }), WHAT, NAMES);
  };
  await write(text !== undefined);
  if (text === undefined) return {};
  const { name: slug, namespace } = object.meta;
  const made = await addVersion(await versionsOf(object, services), (number) => {
    const spec = { partialRef: { name: slug }, version: number, ...givenFields({ description: about, text }) };
    const at = { kind: VERSION, namespace, name: versionName(slug, number) } as const;
    return store.create(at, { spec }, { force: call.force });
  });
  const { meta } = written(made, WHAT, NAMES);
  await write(false);
  return { prompt_partial_version_id: meta.uid };
}

import { versionName } from '@gatehouse/crds/prompts';
import { prompts } from '@gatehouse/crds/rest';
import { referenceAbsent } from '../../http/rest-error.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { findObject } from '../find.ts';
import { referred } from '../homes.ts';
import { windowOf } from '../pages.ts';
import { matches } from '../search.ts';
import { findCopied, homeOfCopy, refuseMissing } from './copies.ts';
import { createPrompt } from './create-prompt.ts';
import { inCollection } from './find-collection.ts';
import { builtInLabel, findLabel } from './find-label.ts';
import { homeNamed } from './home-named.ts';
import {
  chosen,
  KIND,
  labelIdOfVersion,
  type PromptObject,
  type Shown,
  toItem,
  toRecord,
  VERSION,
  versionObjects,
  versionsOf,
  WHAT,
} from './prompt-versions.ts';
import { contentIn, showTemplate, toTemplate, writtenPrompt } from './template.ts';
import { updatePrompt } from './update-prompt.ts';
import { choiceOf, deleteWithVersions, pageOfVersions, versionNamed } from './versions.ts';

const placeOf = ({ meta: { namespace, name } }: PromptObject) => ({ kind: KIND, namespace, name }) as const;

const find = (call: RestCall, services: Services): Promise<Shown> =>
  findObject(KIND, call.path['promptId'] ?? '', { call, services }, WHAT);

/** The model of the published version. */
async function modelOf({ meta, spec }: PromptObject, { store }: Services): Promise<string | null> {
  const { template, publishedVersion: number } = spec;
  if (number === 1 && template !== undefined) return template.model ?? null;
  const place = { kind: VERSION, namespace: meta.namespace, name: versionName(meta.name, number) } as const;
  return (await store.get(place))?.spec.template.model ?? null;
}

export const PROMPT_OPERATIONS: readonly BoundOperation[] = [
  serveOperation(prompts.list, async (call, services) => {
    const { query } = call;
    const home = await homeNamed(call.caller, query, services);
    const all = await services.store.list(KIND, home.namespace);
    const collected = await inCollection(all, home, { given: query.collection_id, call }, services);
    const wanted = collected.filter(({ meta, spec }) => matches(query.search, [meta.name, spec.displayName ?? '']));
    const { limit, offset } = windowOf(query);
    const items = wanted.slice(offset, offset + limit).map(async (object) => ({
      ...(await toItem({ object, home }, services)),
      model: await modelOf(object, services),
      object: 'prompt' as const,
    }));
    return { object: 'list' as const, total: wanted.length, data: await Promise.all(items) };
  }),
  serveOperation(prompts.create, async (call, services) => {
    const { name, collection_id: collection, version_description: description, ...body } = call.body;
    const home = await homeNamed(call.caller, call.body, services);
    const template = toTemplate(contentIn({ ...body, parameters: body.parameters ?? {} }) ?? {});
    const wanted = { name, slug: body.slug, collection, description, template };
    return createPrompt(home, wanted, { call, services });
  }),
  serveOperation(prompts.get, async (call, services) => {
    const shown = await find(call, services);
    const versions = await versionsOf(shown.object, services);
    const choice = choiceOf(call.query.version);
    return toRecord(shown, await chosen(shown, { versions, choice }, services), services);
  }),
  serveOperation(prompts.update, async (call, services) => updatePrompt(await find(call, services), call, services)),
  serveOperation(prompts.delete, async (call, services) => {
    const { object } = await find(call, services);
    const { name, namespace } = object.meta;
    const versions = (await versionObjects(name, namespace, services)).map(
      ({ meta }) => ({ kind: VERSION, namespace, name: meta.name }) as const,
    );
    await deleteWithVersions({ place: placeOf(object), versions, what: WHAT }, call, services);
    return {};
  }),
  serveOperation(prompts.listVersions, async (call, services) => {
    const shown = await find(call, services);
    const page = pageOfVersions(await versionsOf(shown.object, services), call.query);
    const items = page.map(async (version) => ({
      id: version.id,
      prompt_id: shown.object.meta.uid,
      prompt_template: showTemplate(version.content),
      prompt_version: version.number,
      prompt_description: version.description ?? null,
      label_id: await labelIdOfVersion(shown, version, services),
      created_at: version.createdAt,
      status: 'active' as const,
      object: 'prompt' as const,
    }));
    return Promise.all(items);
  }),
  serveOperation(prompts.getVersion, async (call, services) => {
    const shown = await find(call, services);
    const versions = await versionsOf(shown.object, services);
    return toRecord(shown, versionNamed(versions, call.path['versionId'] ?? '', WHAT), services);
  }),
  serveOperation(prompts.labelVersion, async (call, services) => {
    const shown = await find(call, services);
    const { number } = versionNamed(await versionsOf(shown.object, services), call.path['versionId'] ?? '', WHAT);
    const { label_id: given } = call.body;
    if (given === undefined) return {};
    const name = given === null ? undefined : await labelIn(shown, given, { call, services });
    const change = ({ spec }: PromptObject) => {
      const others = (spec.labels ?? []).filter((one) =>
        name === undefined ? one.version !== number : one.name !== name,
      );
      const labels = name === undefined ? others : [...others, { name, version: number }];
      return { spec: { ...spec, labels: labels.length === 0 ? undefined : labels } };
    };
    writtenPrompt(await services.store.update(placeOf(shown.object), change, { force: call.force }), WHAT);
    return {};
  }),
  serveOperation(prompts.fork, async (call, services) => {
    const { name, slug, version, collection_id: collection } = call.body;
    const shown = await findCopied(call, () => find(call, services));
    const { object, home: source } = shown;
    const choice = choiceOf(version === undefined ? undefined : String(version));
    const { content, description } = await chosen(
      shown,
      { versions: await versionsOf(object, services), choice },
      services,
    );
    const home = await homeOfCopy(source, call, services);
    if (home.namespace !== source.namespace) await refuseMissing(content, home, services);
    const wanted = { name: name ?? object.spec.displayName ?? object.meta.name, slug, collection, description };
    return createPrompt(home, { ...wanted, template: content }, { call, services });
  }),
  serveOperation(prompts.publish, async (call, services) => {
    const { object } = await find(call, services);
    const { number } = versionNamed(await versionsOf(object, services), call.body.version, WHAT);
    const change = ({ spec }: PromptObject) => ({ spec: { ...spec, publishedVersion: number } });
    writtenPrompt(await services.store.update(placeOf(object), change, { force: call.force }), WHAT);
    return {};
  }),
];

/** How versions name a label of the home of a prompt. Throws RestError REFERENCE_ABSENT. */
async function labelIn(
  { home }: Shown,
  given: string,
  { call, services }: { readonly call: RestCall; readonly services: Services },
): Promise<string> {
  const builtIn = builtInLabel(given);
  if (builtIn !== undefined) return builtIn.name;
  const found = await referred('label_id', () =>
    findLabel(given, { caller: call.caller, workspaceId: home.workspace?.id }, services),
  );
  if (found.home.namespace === home.namespace) return found.object.meta.name;
  throw referenceAbsent('label_id', 'The label does not exist in the organisation');
}

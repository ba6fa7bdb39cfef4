/** The versions of a prompt with their labels, as the API shows them. */
import type { VersionChoice } from '@gatehouse/crds/prompts';
import type { StoredObject } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import type { Services } from '../family.ts';
import { collectionIdOf } from './find-collection.ts';
import { labelIdOf, labelNamed } from './find-label.ts';
import { showTemplate, type Template } from './template.ts';
import { newestFirst, numbered, ownVersion, type Version, versionNamed } from './versions.ts';

export const WHAT = 'prompt';
export const KIND = 'Prompt';
export const VERSION = 'PromptVersion';

export type PromptObject = StoredObject<'Prompt'>;
export type PromptVersion = Version<Template>;

export interface Shown {
  readonly object: PromptObject;
  readonly home: Home;
}

export const versionObjects = async (name: string, namespace: string | undefined, { store }: Pick<Services, 'store'>) =>
  (await store.list(VERSION, namespace)).filter(({ spec }) => spec.promptRef.name === name);

/** All versions, the newest first. */
export async function versionsOf({ meta, spec }: PromptObject, services: Services): Promise<readonly PromptVersion[]> {
  const others = (await versionObjects(meta.name, meta.namespace, services)).map(fromObject);
  const { template } = spec;
  return newestFirst(template === undefined ? undefined : ownVersion(meta, spec.description, template), others);
}

export const fromObject = ({ meta, spec }: StoredObject<'PromptVersion'>): PromptVersion => ({
  id: meta.uid,
  number: spec.version,
  description: spec.description,
  content: spec.template,
  createdAt: meta.createdAt,
});

/** Throws RestError ABSENT. */
export async function chosen(
  { object, home }: Shown,
  { versions, choice }: { readonly versions: readonly PromptVersion[]; readonly choice: VersionChoice },
  services: Services,
): Promise<PromptVersion> {
  const { labels = [], publishedVersion } = object.spec;
  switch (choice.kind) {
    case 'number':
      return numbered(versions, choice.number, WHAT);
    case 'latest':
      return numbered(versions, 'latest', WHAT);
    case 'default':
      return numbered(versions, publishedVersion, WHAT);
    case 'label': {
      const name = (await labelNamed(choice.label, home, services))?.meta.name ?? choice.label;
      const given = labels.find((label) => label.name === name);
      return given === undefined ? versionNamed(versions, choice.label, WHAT) : numbered(versions, given.version, WHAT);
    }
  }
}

/** The label that a version got last; null: it has none. */
export async function labelIdOfVersion(
  { object, home }: Shown,
  { number }: PromptVersion,
  services: Services,
): Promise<string | null> {
  const last = object.spec.labels?.findLast(({ version }) => version === number);
  return last === undefined ? null : labelIdOf(last.name, home, services);
}

export async function toItem({ object: { meta, spec }, home }: Shown, services: Services) {
  return {
    id: meta.uid,
    slug: meta.name,
    name: spec.displayName ?? meta.name,
    collection_id: await collectionIdOf({ spec }, home, services),
    status: 'active' as const,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
  };
}

export async function toRecord(shown: Shown, version: PromptVersion, services: Services) {
  return {
    ...(await toItem(shown, services)),
    ...showTemplate(version.content),
    prompt_version: version.number,
    prompt_version_id: version.id,
    prompt_version_status: 'active' as const,
    prompt_version_description: version.description ?? null,
    prompt_version_label_id: await labelIdOfVersion(shown, version, services),
  };
}

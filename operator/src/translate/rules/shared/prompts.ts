/** What the rules of prompts share: references of templates, and versions of their objects. */
import type { Prompt } from '@gatehouse/crds/kinds';
import {
  type PromptSource,
  parsePartialReference,
  readPromptText,
  templatesOf,
  versionName,
} from '@gatehouse/crds/prompts';
import type { PromptTemplateBody } from '@gatehouse/crds/snapshot';
import {
  type Finding,
  type Lookups,
  missing,
  notPermitted,
  type ObjectScope,
  objectKey,
  verdictKey,
} from '../../types/index.ts';
import { homesOf } from './guardrail-refs.ts';
import { isManagedSlug } from './slug.ts';

type Path = Finding['path'];
type Template = NonNullable<Prompt['spec']['template']>;

/** The template as entries have it. */
export function templateBody({ providerRef, metadata: _, ...rest }: Template): PromptTemplateBody {
  const body = { ...rest, ...(providerRef === undefined ? {} : { provider: providerRef.name }) };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as PromptTemplateBody;
}

/**
 * The provider and the partials that a template names. The gateway looks them up with every request, so that a missing one does
 * not keep the prompt from being served; names in a prompt of the organisation are looked up in the workspace of each caller.
 */
export function templateFindings(template: Template, path: Path, scope: ObjectScope, view: Lookups): Finding[] {
  return [...providerFindings(template, path, scope, view), ...partialFindings(template, path, scope, view)];
}

function providerFindings({ providerRef }: Template, path: Path, scope: ObjectScope, view: Lookups): Finding[] {
  const { workspace } = scope;
  if (providerRef === undefined || workspace === null) return [];
  const { name } = providerRef;
  if (isManagedSlug(name, workspace, scope, view)) return [];
  const refersTo = homesOf(scope).flatMap((home) => [
    verdictKey('VirtualKey', objectKey(home, name)),
    verdictKey('Provider', objectKey(home, name)),
  ]);
  const message = `the provider @${name} does not exist or is not granted to the workspace`;
  return [notPermitted([...path, 'providerRef', 'name'], message, 'serve', refersTo)];
}

function partialFindings(template: PromptSource, path: Path, scope: ObjectScope, view: Lookups): Finding[] {
  const read = readPromptText(template);
  const references = read.ok ? new Set(templatesOf(read.value).flatMap(({ partials }) => partials)) : [];
  const member = template.messages === undefined ? 'text' : 'messages';
  return [...references].flatMap((reference) => {
    const parsed = parsePartialReference(reference);
    if (!parsed.ok) return [];
    const { slug, version } = parsed.value;
    const home = homesOf(scope).find((namespace) => view.exists('PromptPartial', namespace, slug));
    if (home === undefined) {
      const keys = homesOf(scope).map((namespace) => verdictKey('PromptPartial', objectKey(namespace, slug)));
      return [missing([...path, member], `the PromptPartial ${slug} does not exist: calls are refused`, 'serve', keys)];
    }
    if (version.kind !== 'number' || hasPartialVersion(view, home, slug, version.number)) return [];
    const key = verdictKey('PromptPartialVersion', objectKey(home, versionName(slug, version.number)));
    const message = `the PromptPartial ${slug} has no version ${version.number}: calls are refused`;
    return [missing([...path, member], message, 'serve', [key])];
  });
}

function hasPartialVersion(view: Lookups, namespace: string, slug: string, number: number): boolean {
  const inline = number === 1 ? view.find('PromptPartial', namespace, slug)?.spec.text : undefined;
  return inline !== undefined || view.exists('PromptPartialVersion', namespace, versionName(slug, number));
}

/** The collection of a prompt or partial; it changes nothing for calls. */
export function collectionFindings(
  { collectionRef }: { readonly collectionRef?: { readonly name: string } | undefined },
  { namespace }: ObjectScope,
  view: Lookups,
): Finding[] {
  if (collectionRef === undefined || view.exists('PromptCollection', namespace, collectionRef.name)) return [];
  const { name } = collectionRef;
  const message = `the PromptCollection ${name} does not exist`;
  const keys = [verdictKey('PromptCollection', objectKey(namespace, name))];
  return [missing(['spec', 'collectionRef', 'name'], message, 'serve', keys)];
}

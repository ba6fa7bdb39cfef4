import type { Prompt } from '@gatehouse/crds/kinds';
import { BUILT_IN_LABELS, versionName } from '@gatehouse/crds/prompts';
import type { Lookups } from '../types/index.ts';
import { defineRule, type Finding, missing, type ObjectScope, objectKey, verdictKey } from '../types/index.ts';
import { collectionFindings, templateBody, templateFindings } from './shared/index.ts';

type Path = Finding['path'];

export const prompt = defineRule({
  kind: 'Prompt',
  translate(resource, scope, view) {
    const { metadata, spec } = resource;
    const { template, publishedVersion } = spec;
    const labels = labelsOf(resource, scope, view);
    const body = {
      slug: metadata.name,
      published: publishedVersion,
      labels: labels.versions,
      ...(template === undefined ? {} : { template: templateBody(template) }),
    };
    return {
      entries: [{ kind: 'prompt', workspace: scope.workspace, name: metadata.name, body }],
      findings: [
        ...versionFindings(resource, { version: publishedVersion, path: ['spec', 'publishedVersion'] }, scope, view),
        ...labels.findings,
        ...collectionFindings(spec, scope, view),
        ...(template === undefined ? [] : templateFindings(template, ['spec', 'template'], scope, view)),
      ],
    };
  },
});

/** A version that does not exist: what was served before stays. */
function versionFindings(
  { metadata: { name }, spec }: Prompt,
  { version, path }: { readonly version: number; readonly path: Path },
  { namespace }: ObjectScope,
  view: Lookups,
): Finding[] {
  const object = versionName(name, version);
  if ((version === 1 && spec.template !== undefined) || view.exists('PromptVersion', namespace, object)) return [];
  const key = verdictKey('PromptVersion', objectKey(namespace, object));
  return [missing(path, `the prompt has no version ${version}: there is no PromptVersion ${object}`, 'keep', [key])];
}

/** Versions by what stands after the @. A label that does not exist is left out. */
function labelsOf(resource: Prompt, scope: ObjectScope, view: Lookups) {
  const versions: Record<string, number> = {};
  const findings: Finding[] = [];
  for (const [i, { name, version }] of (resource.spec.labels ?? []).entries()) {
    const path = ['spec', 'labels', i];
    const label = BUILT_IN_LABELS.includes(name) ? name : labelNamed(name, scope, view);
    if (label === undefined) {
      const keys = [verdictKey('PromptLabel', objectKey(scope.namespace, name))];
      findings.push(missing([...path, 'name'], `the PromptLabel ${name} does not exist`, 'serve', keys));
    } else versions[label] ??= version;
    findings.push(...versionFindings(resource, { version, path: [...path, 'version'] }, scope, view));
  }
  return { versions, findings };
}

function labelNamed(name: string, { namespace }: ObjectScope, view: Lookups): string | undefined {
  const found = view.find('PromptLabel', namespace, name);
  return found && (found.spec.label ?? found.metadata.name);
}

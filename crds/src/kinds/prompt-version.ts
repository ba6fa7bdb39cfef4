import { z } from 'zod';
import { versionName } from '../prompts/index.ts';
import type { Issue } from '../schema/index.ts';
import {
  defineKind,
  description,
  nameRef,
  type ObjectMeta,
  promptTemplate,
  promptTemplateIssues,
  statusOf,
  versionNumber,
} from './parts/index.ts';

const immutable = 'a version never changes; make another PromptVersion';

const spec = z
  .strictObject({
    promptRef: nameRef('promptRef names the Prompt.').meta({ immutable }),
    version: versionNumber('version is the number of the version; the object is named PROMPT-vNUMBER.').meta({
      immutable,
    }),
    description: description.optional(),
    template: promptTemplate('template is the content of the version.').meta({ immutable }),
  })
  .meta({ description: 'spec is the content of the version.' });

/** The name makes numbers unique without a lock. A rule of the API server would cost more than it allows. */
function nameIssues({ metadata, spec: { promptRef, version } }: Named): Issue[] {
  const wanted = versionName(promptRef.name, version);
  if (metadata.name === wanted) return [];
  const message = `a version is named after its prompt and its number: ${wanted}`;
  return [{ code: 'invalid', path: ['metadata', 'name'], message }];
}

type Named = { readonly metadata: ObjectMeta; readonly spec: z.output<typeof spec> };

export const promptVersion = defineKind({
  kind: 'PromptVersion',
  plural: 'promptversions',
  shortNames: ['gwpv'],
  summary: 'One version of a Prompt. Its content never changes.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Prompt', type: 'string', jsonPath: '.spec.promptRef.name' },
    { name: 'Version', type: 'integer', jsonPath: '.spec.version' },
    { name: 'Model', type: 'string', jsonPath: '.spec.template.model' },
  ],
  check: (resource) => [...nameIssues(resource), ...promptTemplateIssues(resource.spec.template, ['spec', 'template'])],
});

import { z } from 'zod';
import { versionName } from '../prompts/index.ts';
import type { Rule } from '../schema/index.ts';
import {
  API_VERSION,
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

type Named = { readonly metadata: ObjectMeta; readonly spec: z.output<typeof spec> };

const sample = (name: string, version: number) => ({
  apiVersion: API_VERSION,
  kind: 'PromptVersion',
  metadata: { name },
  spec: { promptRef: { name: 'greeting' }, version, template: { text: 'Hello {{name}}' } },
});

/** The name makes numbers unique without a lock. */
const NAME_RULE: Rule<Named> = {
  cel: "self.metadata.name == self.spec.promptRef.name + '-v' + string(self.spec.version)",
  message: 'a version is named after its prompt and its number: PROMPT-vNUMBER',
  at: 'metadata.name',
  holds: ({ metadata, spec: { promptRef, version } }) => metadata.name === versionName(promptRef.name, version),
  valid: [sample('greeting-v1', 1), sample('greeting-v12', 12)],
  invalid: [sample('greeting', 1), sample('greeting-v2', 1)],
};

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
  rules: [NAME_RULE],
  check: ({ spec: { template } }) => [...promptTemplateIssues(template, ['spec', 'template'])],
});

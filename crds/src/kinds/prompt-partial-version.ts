import { z } from 'zod';
import { versionName } from '../prompts/index.ts';
import type { Rule } from '../schema/index.ts';
import {
  API_VERSION,
  defineKind,
  description,
  nameRef,
  type ObjectMeta,
  partialIssues,
  partialText,
  statusOf,
  versionNumber,
} from './parts/index.ts';

const immutable = 'a version never changes; make another PromptPartialVersion';

const spec = z
  .strictObject({
    partialRef: nameRef('partialRef names the PromptPartial.').meta({ immutable }),
    version: versionNumber('version is the number of the version; the object is named PARTIAL-vNUMBER.').meta({
      immutable,
    }),
    description: description.optional(),
    text: partialText.meta({ immutable }),
  })
  .meta({ description: 'spec is the content of the version.' });

type Named = { readonly metadata: ObjectMeta; readonly spec: z.output<typeof spec> };

const sample = (name: string, version: number) => ({
  apiVersion: API_VERSION,
  kind: 'PromptPartialVersion',
  metadata: { name },
  spec: { partialRef: { name: 'style' }, version, text: 'Be brief.' },
});

/** The name makes numbers unique without a lock. */
const NAME_RULE: Rule<Named> = {
  cel: "self.metadata.name == self.spec.partialRef.name + '-v' + string(self.spec.version)",
  message: 'a version is named after its partial and its number: PARTIAL-vNUMBER',
  at: 'metadata.name',
  holds: ({ metadata, spec: { partialRef, version } }) => metadata.name === versionName(partialRef.name, version),
  valid: [sample('style-v1', 1), sample('style-v12', 12)],
  invalid: [sample('style', 1), sample('style-v2', 1)],
};

export const promptPartialVersion = defineKind({
  kind: 'PromptPartialVersion',
  plural: 'promptpartialversions',
  shortNames: ['gwppv'],
  summary: 'One version of a PromptPartial. Its content never changes.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Partial', type: 'string', jsonPath: '.spec.partialRef.name' },
    { name: 'Version', type: 'integer', jsonPath: '.spec.version' },
  ],
  rules: [NAME_RULE],
  check: ({ spec: { text } }) => [...partialIssues(text, ['spec'])],
});

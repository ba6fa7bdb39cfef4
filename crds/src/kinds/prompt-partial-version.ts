import { z } from 'zod';
import { versionName } from '../prompts/index.ts';
import type { Issue } from '../schema/index.ts';
import {
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

/** The name makes numbers unique without a lock. A rule of the API server would cost more than it allows. */
function nameIssues({ metadata, spec: { partialRef, version } }: Named): Issue[] {
  const wanted = versionName(partialRef.name, version);
  if (metadata.name === wanted) return [];
  const message = `a version is named after its partial and its number: ${wanted}`;
  return [{ code: 'invalid', path: ['metadata', 'name'], message }];
}

type Named = { readonly metadata: ObjectMeta; readonly spec: z.output<typeof spec> };

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
  check: (resource) => [...nameIssues(resource), ...partialIssues(resource.spec.text, ['spec'])],
});

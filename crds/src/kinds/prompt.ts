import { z } from 'zod';
import { BUILT_IN_LABELS } from '../prompts/index.ts';
import { mapList, objectName } from '../schema/index.ts';
import {
  defineKind,
  description,
  displayName,
  nameRef,
  promptTemplate,
  promptTemplateIssues,
  statusOf,
  versionNumber,
} from './parts/index.ts';

const label = z.strictObject({
  name: objectName(`name is the name of a PromptLabel, or ${BUILT_IN_LABELS.join(', ')}.`),
  version: versionNumber('version is the version that has the label.'),
});

export const collectionRef = nameRef(
  'collectionRef names the PromptCollection that holds it; absent: the default one.',
);

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    collectionRef: collectionRef.optional(),
    publishedVersion: versionNumber('publishedVersion is the version that the name alone means.').default(1),
    labels: mapList(label, ['name'], {
      description: 'labels are names for versions: NAME@LABEL. Moving one is an edit of this list.',
      max: 64,
    }).optional(),
    template: promptTemplate(
      'template is version 1, for prompts that are written as one object. Further versions, and a version 1 that cannot change, are PromptVersions.',
    ).optional(),
  })
  .meta({ description: 'spec is the desired state of the prompt.' });

export const prompt = defineKind({
  kind: 'Prompt',
  plural: 'prompts',
  shortNames: ['gwp'],
  summary: 'A prompt of the library: which of its versions calls get, by name or by label.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Published', type: 'integer', jsonPath: '.spec.publishedVersion' },
    { name: 'Model', type: 'string', jsonPath: '.spec.template.model' },
  ],
  check: ({ spec: { template } }) => [...promptTemplateIssues(template, ['spec', 'template'])],
});

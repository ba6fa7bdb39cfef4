import { z } from 'zod';
import {
  defineKind,
  description,
  displayName,
  partialIssues,
  partialText,
  statusOf,
  versionNumber,
} from './parts/index.ts';
import { collectionRef } from './prompt.ts';

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    collectionRef: collectionRef.optional(),
    publishedVersion: versionNumber('publishedVersion is the version that prompts include by the name alone.').default(
      1,
    ),
    text: partialText
      .meta({
        description:
          'text is version 1, for partials that are written as one object: a template (Mustache) that includes no other partials. Further versions, and a version 1 that cannot change, are PromptPartialVersions.',
      })
      .optional(),
  })
  .meta({ description: 'spec is the desired state of the partial.' });

export const promptPartial = defineKind({
  kind: 'PromptPartial',
  plural: 'promptpartials',
  shortNames: ['gwpp'],
  summary: 'A text that prompts include by its name. Publishing another version changes all of them at once.',
  spec,
  status: statusOf({}),
  columns: [{ name: 'Published', type: 'integer', jsonPath: '.spec.publishedVersion' }],
  check: ({ spec: { text } }) => [...partialIssues(text, ['spec'])],
});

import { z } from 'zod';
import { defineKind, description, displayName, nameRef, statusOf } from './parts/index.ts';

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    parentRef: nameRef('parentRef names the PromptCollection that holds this one; absent: none does.')
      .meta({ immutable: 'parentRef cannot change; make another PromptCollection' })
      .optional(),
  })
  .meta({ description: 'spec is the desired state of the collection.' });

export const promptCollection = defineKind({
  kind: 'PromptCollection',
  plural: 'promptcollections',
  shortNames: ['gwpc'],
  summary: 'A folder for prompts and partials. It changes nothing for calls.',
  spec,
  status: statusOf({}),
  columns: [{ name: 'Parent', type: 'string', jsonPath: '.spec.parentRef.name' }],
});

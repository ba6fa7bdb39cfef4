/** Parameters of the checks that look at JSON in a text: docs/behaviour/guardrails.md#checks-of-json. */
import { z } from 'zod';
import { indexSchema } from '../../json-schema/index.ts';
import { atomicList, opaque } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';
import { not } from './fields.ts';

/** Bounds of the lists and texts in parameters. */
const MAX_KEYS = 1_024;
const MAX_KEY = 1_024;

export const jsonSchema = defineCheckEntry({
  id: 'default.jsonSchema',
  summary: 'Passes when JSON in the text is valid by the schema.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    schema: opaque('schema is a JSON Schema 2020-12 that refers to nothing outside of itself.', MAX_KEYS).superRefine(
      (schema, context) => {
        const index = indexSchema(schema);
        for (const { path, message } of index.ok ? [] : index.error) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      },
    ),
    not,
  }),
  patterns: ({ schema }) => {
    const index = indexSchema(schema);
    return index.ok ? index.value.patterns : [];
  },
  quotes: ['matchedJson', 'validationErrors'],
});

export const jsonKeys = defineCheckEntry({
  id: 'default.jsonKeys',
  summary: 'Passes when any, all or none of the keys are members of a JSON object in the text.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    keys: atomicList(
      z.string().min(1).max(MAX_KEY),
      'keys are names of members on the first level of the object.',
      MAX_KEYS,
    ).min(1),
    operator: z
      .enum(['any', 'all', 'none'])
      .default('any')
      .meta({ description: 'operator says how many of the keys must be there.' }),
  }),
  quotes: ['matchedJson', 'presentKeys', 'missingKeys', 'textExcerpt'],
});

export const JSON_CHECKS = [jsonSchema, jsonKeys] as const;

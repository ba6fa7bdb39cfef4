/** Parameters of the checks of metadata: docs/behaviour/guardrails.md#checks-of-requests. */
import { z } from 'zod';
import { atomicList } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';
import { expectedValues, matchType, patternsOf, problemOfValues } from './matched-values.ts';

const MAX_KEY = 256;
const MAX_KEYS = 1_024;
const MAX_PAIRS = 64;

const key = z.string().min(1).max(MAX_KEY);

const operator = (what: string) =>
  z
    .enum(['all', 'any', 'none'])
    .default('all')
    .meta({ description: `operator says how many of the ${what} the metadata must have.` });

export const requiredMetadataKeys = defineCheckEntry({
  id: 'default.requiredMetadataKeys',
  summary: 'Passes when the metadata of the request has all, any or none of the keys, whatever their values are.',
  phases: ['input'],
  parameters: z.strictObject({
    metadataKeys: atomicList(key, 'metadataKeys are looked for in the metadata.', MAX_KEYS).min(1),
    operator: operator('keys'),
  }),
});

const metadataPairs = z
  .record(key, expectedValues('Values that are expected for the key: one or several.'))
  .refine((pairs) => Object.keys(pairs).length > 0, { error: 'expected at least one pair' })
  .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, { error: `at most ${MAX_PAIRS} pairs` })
  .meta({
    description: 'metadataPairs are keys with the values that are expected for them, one or several.',
    opaque: true,
    maxProperties: MAX_PAIRS,
  });

export const requiredMetadataKeyPairs = defineCheckEntry({
  id: 'default.requiredMetadataKeyPairs',
  aliases: ['default.requiredMetadataKeyValuePairs'],
  summary:
    'Passes when the metadata of the request has all, any or none of the keys with the values expected for them.',
  phases: ['input'],
  parameters: z
    .strictObject({ metadataPairs, operator: operator('pairs'), matchType })
    .superRefine(({ metadataPairs, matchType }, context) => {
      for (const [key, values] of Object.entries(metadataPairs)) {
        const path = ['metadataPairs', key];
        if (matchType === 'exact' && Array.isArray(values) && values.length > 1) {
          const message = 'exact compares with one value; for one of several use regex, such as ^(a|b)$';
          context.addIssue({ code: 'custom', path, message });
        }
        const problem = problemOfValues({ values, matchType });
        if (problem !== undefined) context.addIssue({ code: 'custom', path, message: problem });
      }
    }),
  patterns: ({ metadataPairs, matchType }) =>
    Object.values(metadataPairs).flatMap((values) => patternsOf({ values, matchType })),
});

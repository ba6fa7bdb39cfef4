/** Parameters of the checks that look at a request beside its texts: docs/behaviour/guardrails.md#checks-of-requests. */
import { z } from 'zod';
import { atomicList } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';
import { not } from './fields.ts';
import { requiredMetadataKeyPairs, requiredMetadataKeys } from './request-metadata.ts';
import { requestParametersCheck } from './request-parameters.ts';

export * from './request-metadata.ts';
export * from './request-parameters.ts';

const MAX_NAMES = 1_024;
const MAX_NAME = 256;
const MAX_RULE_KEYS = 128;
const MAX_RULE_VALUES = 1_024;

const name = z.string().min(1).max(MAX_NAME);
const names = (description: string) => atomicList(name, description, MAX_NAMES);

export const modelWhitelist = defineCheckEntry({
  id: 'default.modelWhitelist',
  aliases: ['default.modelwhitelist'],
  summary: 'Passes when the model of the request is in a list.',
  phases: ['input', 'output'],
  parameters: z.strictObject({ models: names('models are the names that pass, as they are written.'), not }),
});

const bounded = (entries: object, most: number): boolean => Object.keys(entries).length <= most;

const rules = z
  .strictObject({
    defaults: names('defaults are the models for requests to which no rule applies.').optional(),
    metadata: z
      .record(
        name,
        z
          .record(z.string().max(MAX_NAME), names('models of the value.'))
          .refine((values) => bounded(values, MAX_RULE_VALUES), { error: `at most ${MAX_RULE_VALUES} values` }),
      )
      .refine((keys) => bounded(keys, MAX_RULE_KEYS), { error: `at most ${MAX_RULE_KEYS} keys` })
      .optional()
      .meta({
        description: 'metadata lists models by key and value of the metadata.',
        opaque: true,
        maxProperties: MAX_RULE_KEYS,
      }),
  })
  .meta({
    description:
      'rules say which models pass: those listed for the values of the metadata, together, else defaults. The model * stands for all.',
  });

export const modelRules = defineCheckEntry({
  id: 'default.modelRules',
  summary: 'Passes when the model of the request is one of those that the rules list for its metadata.',
  phases: ['input', 'output'],
  parameters: z.strictObject({ rules, not }),
});

/** Types of requests in parameters; those with `stream-` are of requests for streams. */
export const REQUEST_TYPE_NAMES = [
  ...(['complete', 'chatComplete', 'embed', 'rerank', 'moderate', 'proxy', 'imageGenerate', 'createSpeech'] as const),
  ...(['imageEdit', 'imageVariation'] as const),
  ...(['createTranscription', 'createTranslation', 'realtime', 'uploadFile', 'listFiles', 'retrieveFile'] as const),
  ...(['deleteFile', 'retrieveFileContent', 'createBatch', 'retrieveBatch', 'cancelBatch', 'listBatches'] as const),
  ...(['getBatchOutput', 'listFinetunes', 'createFinetune', 'retrieveFinetune', 'cancelFinetune'] as const),
  ...(['createModelResponse', 'getModelResponse', 'deleteModelResponse', 'listResponseInputItems'] as const),
  ...(['messages', 'stream-complete', 'stream-chatComplete', 'stream-messages', 'otel'] as const),
] as const;

const KNOWN_TYPES: ReadonlySet<string> = new Set(REQUEST_TYPE_NAMES);
const MAX_TYPES_TEXT = 4_096;

/** The types of a list, or of a text that has them between commas. */
export const requestTypesOf = (list: string | readonly string[]): readonly string[] =>
  (typeof list === 'string' ? list.split(',') : list).map((type) => type.trim()).filter((type) => type !== '');

const requestTypes = (description: string) =>
  z
    .union([z.string().max(MAX_TYPES_TEXT), z.array(z.string().max(MAX_NAME)).max(REQUEST_TYPE_NAMES.length)])
    .superRefine((list, context) => {
      const unknown = requestTypesOf(list).find((type) => !KNOWN_TYPES.has(type));
      if (unknown === undefined) return;
      const message = `unknown type of request; expected one of ${REQUEST_TYPE_NAMES.join(', ')}`;
      const at = Array.isArray(list) ? list.findIndex((type) => type.trim() === unknown) : -1;
      context.addIssue({ code: 'custom', message, path: at === -1 ? [] : [at] });
    })
    .optional()
    .meta({ description });

export const allowedRequestTypes = defineCheckEntry({
  id: 'default.allowedRequestTypes',
  summary: 'Passes when the type of the request is among the allowed ones, and not among the blocked ones.',
  phases: ['input', 'output'],
  proxied: true,
  parameters: z.strictObject({
    allowedTypes: requestTypes(
      'allowedTypes pass, such as chatComplete, stream-chatComplete, messages or embed, as a list or with commas between them; ' +
        'absent: those of supported_endpoints in the metadata, else all.',
    ),
    blockedTypes: requestTypes(
      'blockedTypes fail, as a list or with commas between them; absent: those of blocked_endpoints in the metadata.',
    ),
  }),
});

export const REQUEST_CHECKS = [
  modelWhitelist,
  modelRules,
  allowedRequestTypes,
  requiredMetadataKeys,
  requiredMetadataKeyPairs,
  requestParametersCheck,
] as const;

/** Which requests a policy applies to, and how it groups them into counters. */
import { z } from 'zod';
import { createSuggestions } from '../../lib/suggestions.ts';
import { PROVIDER_CATALOGUE } from '../../providers/index.ts';
import { type Issue, mapList, pattern, type Rule, setList, withRules } from '../../schema/index.ts';

/** Keys of conditions and groups beside `metadata.NAME`. The values are those of the REST API. */
const KEYS = {
  usage: ['api_key', 'workspace_id', 'organisation_id', 'virtual_key', 'provider', 'config', 'prompt', 'model'],
  rate: [
    'api_key',
    'workspace_id',
    'organisation_id',
    'virtual_key',
    'provider',
    'config',
    'prompt',
    'model',
    'endpoint_type',
    'mcp_server',
    'mcp_tool',
  ],
} as const;

const keyOf = (policy: keyof typeof KEYS) =>
  pattern(
    new RegExp(`^(${KEYS[policy].join('|')}|metadata\\..+)$`),
    `metadata.NAME or one of ${KEYS[policy].join(', ')}`,
    256,
  ).meta({ description: 'key is the property of the request that is compared.' });

// An asterisk elsewhere would be compared as it is, and the policy would hold for nothing.
const value = pattern(/^([^*]+|([^*]*\/)?\*)$/, 'a value, *, or for models a prefix that ends with /*', 256);

const values = (description: string) => setList(value, description, 32).min(1);

interface Condition {
  readonly key: string;
  readonly values?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

const isPrefix = (text: string): boolean => text.endsWith('/*');

const CONDITION_RULES: readonly Rule<Condition>[] = [
  {
    cel: 'has(self.values) || has(self.excludes)',
    message: 'a condition needs values or excludes',
    at: 'values',
    reason: 'FieldValueRequired',
    holds: (condition) => condition.values !== undefined || condition.excludes !== undefined,
    valid: [
      { key: 'model', values: ['@openai/*'] },
      { key: 'model', excludes: ['@openai/gpt-4o'] },
    ],
    invalid: [{ key: 'model' }],
  },
  {
    cel: "self.key == 'model' || ((!has(self.values) || !self.values.exists(v, v.endsWith('/*'))) && (!has(self.excludes) || !self.excludes.exists(v, v.endsWith('/*'))))",
    message: 'prefixes that end with /* are for models',
    at: 'values',
    holds: ({ key, values: included = [], excludes = [] }) =>
      key === 'model' || ![...included, ...excludes].some(isPrefix),
    valid: [
      { key: 'model', values: ['@openai/*'], excludes: ['@openai/gpt-4/*'] },
      { key: 'provider', values: ['*'] },
    ],
    invalid: [
      { key: 'provider', values: ['openai/*'] },
      { key: 'api_key', excludes: ['team-a/*'] },
    ],
  },
  {
    cel: "!has(self.excludes) || !self.excludes.exists(v, v == '*')",
    message: 'with * in excludes the policy would hold for nothing',
    at: 'excludes',
    holds: ({ excludes = [] }) => !excludes.includes('*'),
    valid: [{ key: 'model', excludes: ['@openai/*'] }],
    invalid: [{ key: 'model', excludes: ['*'] }],
  },
];

/** What requests to a target are, by the name that logs and metrics have. */
export const ENDPOINT_TYPES = [
  'chatComplete',
  'complete',
  'embed',
  'moderate',
  'rerank',
  'imageGenerate',
  'imageEdit',
  'imageVariation',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'messages',
  'messagesCountTokens',
  'createModelResponse',
  'getModelResponse',
  'deleteModelResponse',
  'listResponseInputItems',
  'realtime',
  'createFile',
  'listFiles',
  'getFile',
  'getFileContent',
  'deleteFile',
  'createBatch',
  'listBatches',
  'getBatch',
  'getBatchOutput',
  'cancelBatch',
  'createFinetune',
  'listFinetunes',
  'getFinetune',
  'listFinetuneEvents',
  'listFinetuneCheckpoints',
  'cancelFinetune',
  'createRealtimeCall',
  'acceptRealtimeCall',
  'rejectRealtimeCall',
  'referRealtimeCall',
  'hangupRealtimeCall',
  'createRealtimeSecret',
  'createRealtimeSession',
  'createTranscriptionSession',
  'createRealtimeTranslationCall',
  'createRealtimeTranslationSecret',
  'createMessageBatch',
  'listMessageBatches',
  'getMessageBatch',
  'getMessageBatchResults',
  'cancelMessageBatch',
  'deleteMessageBatch',
  'proxy',
] as const;

/** The only values that requests can have, and what is said of others. */
const CLOSED: ReadonlyMap<string, { readonly known: readonly string[]; readonly message: string }> = new Map([
  ['provider', { known: [...PROVIDER_CATALOGUE.keys()], message: 'no provider has this id' }],
  [
    'endpoint_type',
    { known: ENDPOINT_TYPES, message: `no request is of this type; expected one of ${ENDPOINT_TYPES.join(', ')}` },
  ],
]);

/** Values of conditions that no request can have. */
export function conditionIssues(conditions: readonly Condition[]): Issue[] {
  const suggest = createSuggestions();
  return conditions.flatMap(({ key, values: included = [], excludes = [] }, i) => {
    const closed = CLOSED.get(key);
    if (closed === undefined) return [];
    return Object.entries({ values: included, excludes }).flatMap(([member, list]) =>
      list.flatMap((given, j): Issue[] => {
        if (given === '*' || closed.known.includes(given)) return [];
        const near = suggest(given, closed.known);
        const message = `${closed.message}${near === undefined ? '' : `; did you mean ${near}?`}`;
        return [{ code: 'invalid', path: ['spec', 'conditions', i, member, j], message }];
      }),
    );
  });
}

/** The members that select and group requests. */
export const selectionFields = (policy: keyof typeof KEYS) => ({
  conditions: mapList(
    withRules(
      z.strictObject({
        key: keyOf(policy),
        values: values(
          'values are the accepted values; * accepts any, @provider/* accepts all models of a provider.',
        ).optional(),
        excludes: values('excludes are refused values, compared first.').optional(),
      }),
      CONDITION_RULES,
    ),
    ['key'],
    { description: 'conditions select requests; all must hold.', max: 16 },
  ).min(1),
  groupBy: mapList(z.strictObject({ key: keyOf(policy) }), ['key'], {
    description: 'groupBy gives each distinct combination of values its own counter.',
    max: 8,
  }).min(1),
});

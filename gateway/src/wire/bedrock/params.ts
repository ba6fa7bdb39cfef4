/** The parameters that bodies of Bedrock say, by the family of the model. */
import { isObject } from '@gatehouse/crds';
import { takesLegacyCompletion } from '../anthropic/index.ts';
import { areFunctions, isSchemaFormat, type Takes, takesAll, taking } from '../params/params.ts';
import type { Family } from './model-id.ts';

/** Undefined: the model behind an id is not known yet, and everything counts as taken. */
export type KnownFamily = Family | undefined;

const CONVERSE = [
  ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'stop', 'temperature', 'top_p'],
  ...['functions', 'tool_choice', 'function_call', 'guardrailConfig', 'guardrail_config', 'performance_config'],
  ...['additionalModelResponseFieldPaths', 'additional_model_response_field_paths'],
  ...['additionalModelRequestFields', 'additional_model_request_fields', 'top_k'],
];

const ANTHROPIC = taking([...CONVERSE, 'tools', 'user', 'thinking', 'anthropic_beta', 'anthropic_version'], {
  response_format: isSchemaFormat,
  reasoning_effort: (effort) => effort !== 'none',
});
const COHERE = taking([...CONVERSE, 'n', 'frequency_penalty', 'presence_penalty', 'logit_bias'], {
  tools: areFunctions,
});
const AI21 = taking(
  [...CONVERSE, ...['frequencyPenalty', 'frequency_penalty', 'presencePenalty', 'presence_penalty', 'countPenalty']],
  { tools: areFunctions },
);
const OTHERS = taking([...CONVERSE, 'response_format'], { tools: areFunctions });

const CONVERSE_FAMILIES: ReadonlyMap<Family, Takes> = new Map([
  ['anthropic', ANTHROPIC],
  ['cohere', COHERE],
  ['ai21', AI21],
]);

/** Of a chat request. */
export const takesConverse = (family: Family): Takes => CONVERSE_FAMILIES.get(family) ?? OTHERS;

const PROMPT = ['model', 'prompt', 'messages', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'];
const COMPLETIONS: ReadonlyMap<Family, Takes> = new Map<Family, Takes>([
  ['anthropic', takesLegacyCompletion],
  ['cohere', taking([...PROMPT, 'top_k', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'n', 'stop'])],
  ['meta', taking(PROMPT)],
  ['mistral', taking([...PROMPT, 'top_k', 'stop'])],
  ['amazon', taking([...PROMPT, 'stop'])],
  ['ai21', taking([...PROMPT, 'stop', 'presence_penalty', 'frequency_penalty', 'countPenalty'])],
]);

/** Of a text completion, or of a chat with a model that has text completion only. */
export const takesComplete = (family: KnownFamily): Takes => (family && COMPLETIONS.get(family)) ?? takesAll;

const EMBEDDINGS: ReadonlyMap<Family, Takes> = new Map<Family, Takes>([
  ['cohere', taking(['model', 'input', 'input_type', 'truncate', 'encoding_format', 'dimensions'])],
  ['amazon', taking(['model', 'input', 'encoding_format', 'dimensions', 'normalize'])],
]);

/** Of an embeddings call. */
export const takesEmbed = (family: KnownFamily): Takes => (family && EMBEDDINGS.get(family)) ?? takesAll;

const MESSAGES = ['model', 'messages', 'system', 'max_tokens', 'stop_sequences', 'temperature', 'top_p', 'top_k'];
/** Of a messages request that is sent by Converse. */
export const takesConverseMessages = taking([...MESSAGES, 'tool_choice', 'metadata'], {
  tools: (tools) => Array.isArray(tools) && tools.every(isCustomTool),
});

/** Server tools of the vendor have no counterpart in other models. */
export const isCustomTool = (tool: unknown): boolean =>
  isObject(tool) && (tool['type'] === undefined || tool['type'] === null || tool['type'] === 'custom');

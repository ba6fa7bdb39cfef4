/** Parameters of the model that are not part of Converse. */
import { outputConfig, toolsOf, toServerTool, userMetadata } from '../anthropic/index.ts';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, orAbsent, withoutAbsent } from '../json/json.ts';
import type { ConverseTarget } from './target.ts';

type Fields = (params: JsonObject, target: ConverseTarget) => JsonObject;

/** The fields of the family, overridden by the client's own. */
export function toAdditionalFields(params: JsonObject, target: ConverseTarget): JsonObject | undefined {
  const own =
    objectAt(params, 'additional_model_request_fields') ?? objectAt(params, 'additionalModelRequestFields') ?? {};
  return orAbsent({ ...withoutAbsent(FAMILY_FIELDS[target.family](params, target)), ...own });
}

const anthropic: Fields = (params, target) => {
  const serverTools = toolsOf(params).filter((tool) => tool['type'] !== 'function');
  return {
    top_k: params['top_k'],
    anthropic_version: target.anthropicVersion,
    anthropic_beta: target.anthropicBeta,
    metadata: userMetadata(params),
    thinking: params['thinking'],
    output_config: outputConfig(params),
    tools: serverTools.length === 0 ? undefined : serverTools.map(toServerTool),
  };
};

const cohere: Fields = (params) => ({
  top_k: params['top_k'],
  n: params['n'],
  frequency_penalty: params['frequency_penalty'],
  presence_penalty: params['presence_penalty'],
  logitBias: params['logit_bias'],
});

const ai21: Fields = (params) => ({
  top_k: params['top_k'],
  frequencyPenalty: params['frequencyPenalty'] ?? penaltyScale(params, 'frequency_penalty'),
  presencePenalty: params['presencePenalty'] ?? penaltyScale(params, 'presence_penalty'),
  countPenalty: params['countPenalty'],
});

export function penaltyScale(params: JsonObject, key: string): JsonObject | undefined {
  const value = numberAt(params, key);
  return value === undefined ? undefined : { scale: value };
}

const others: Fields = (params) => ({ top_k: params['top_k'], response_format: params['response_format'] });

/** Nova nests its own sampling parameters. */
const amazon: Fields = (params, target) => {
  const topK = params['top_k'];
  if (!target.model.includes('nova') || topK === undefined || topK === null) return others(params, target);
  return { inferenceConfig: { topK }, response_format: params['response_format'] };
};

const FAMILY_FIELDS = {
  anthropic,
  cohere,
  ai21,
  amazon,
  meta: others,
  mistral: others,
  stability: others,
  other: others,
} as const satisfies Record<ConverseTarget['family'], Fields>;

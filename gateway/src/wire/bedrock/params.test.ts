import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import type { ConverseTarget } from './index.ts';
import { body, CLAUDE, HI, NOVA, OTHER, USER } from './testing.ts';

describe('the parameters', () => {
  const schema = { type: 'object' };

  test.for<{ rule: string; params: JsonObject; target?: ConverseTarget; want: JsonObject }>([
    {
      rule: 'sampling goes into inferenceConfig, unclamped',
      params: { max_tokens: 5, max_completion_tokens: 9, temperature: 1.7, top_p: 0.5, stop: 'END' },
      want: { inferenceConfig: { maxTokens: 5, temperature: 1.7, topP: 0.5, stopSequences: ['END'] } },
    },
    {
      rule: 'nothing is sent for null',
      params: { max_tokens: null, temperature: null, top_p: null, stop: null },
      want: {},
    },
    {
      rule: 'the settings of the service pass in either spelling',
      params: {
        guardrail_config: { a: 1 },
        additional_model_response_field_paths: ['/x'],
        performance_config: { latency: 'optimized' },
      },
      want: {
        guardrailConfig: { a: 1 },
        additionalModelResponseFieldPaths: ['/x'],
        performanceConfig: { latency: 'optimized' },
      },
    },
    {
      rule: 'anthropic gets its own',
      params: {
        top_k: 3,
        user: 'u1',
        thinking: { type: 'enabled', budget_tokens: 1024 },
        reasoning_effort: 'high',
        response_format: { type: 'json_schema', json_schema: { schema } },
        tools: [{ type: 'computer', computer: { name: 'computer_20250124' } }],
      },
      target: { ...CLAUDE, anthropicBeta: ['b1', 'b2'], anthropicVersion: 'bedrock-2023-05-31' },
      want: {
        additionalModelRequestFields: {
          top_k: 3,
          anthropic_version: 'bedrock-2023-05-31',
          anthropic_beta: ['b1', 'b2'],
          metadata: { user_id: 'u1' },
          thinking: { type: 'enabled', budget_tokens: 1024 },
          output_config: { format: { type: 'json_schema', schema }, effort: 'high' },
          tools: [{ name: 'computer', type: 'computer_20250124' }],
        },
      },
    },
    {
      rule: 'what the client names itself wins',
      params: { top_k: 3, additional_model_request_fields: { top_k: 4, x: 1 } },
      want: { additionalModelRequestFields: { top_k: 4, x: 1 } },
    },
    {
      rule: 'cohere gets its own',
      params: { top_k: 3, n: 2, frequency_penalty: 0.1, presence_penalty: 0.2, logit_bias: { a: 1 } },
      target: { model: 'cohere.command-r-v1:0', family: 'cohere' },
      want: {
        additionalModelRequestFields: {
          top_k: 3,
          n: 2,
          frequency_penalty: 0.1,
          presence_penalty: 0.2,
          logitBias: { a: 1 },
        },
      },
    },
    {
      rule: 'ai21 gets its own',
      params: {
        top_k: 3,
        frequency_penalty: 0.1,
        presencePenalty: { scale: 9 },
        presence_penalty: 0.2,
        countPenalty: { scale: 1 },
      },
      target: { model: 'ai21.jamba-1-5-large-v1:0', family: 'ai21' },
      want: {
        additionalModelRequestFields: {
          top_k: 3,
          frequencyPenalty: { scale: 0.1 },
          presencePenalty: { scale: 9 },
          countPenalty: { scale: 1 },
        },
      },
    },
    {
      rule: 'nova nests top_k',
      params: { top_k: 3 },
      target: NOVA,
      want: { additionalModelRequestFields: { inferenceConfig: { topK: 3 } } },
    },
    {
      rule: 'others get top_k and the format',
      params: { top_k: 3, response_format: { type: 'json_object' }, user: 'u1' },
      target: OTHER,
      want: { additionalModelRequestFields: { top_k: 3, response_format: { type: 'json_object' } } },
    },
  ])('$rule', ({ params, target, want }) => {
    expect(body({ messages: [USER], ...params }, target)).toEqual({ messages: [HI], ...want });
  });
});

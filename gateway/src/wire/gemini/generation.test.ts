import { describe, expect, test } from 'vitest';
import { bodyOf } from './testing.ts';

describe('Gemini settings', () => {
  const generation = (params: object, name = 'gemini-2.0-flash'): unknown =>
    bodyOf({ messages: [], ...params }, { model: name })['generationConfig'];

  test.for([
    {
      rule: 'sampling',
      params: { temperature: 1.7, top_p: 0.5, top_k: 3 },
      want: { temperature: 1.7, topP: 0.5, topK: 3 },
    },
    {
      rule: 'max_tokens before max_completion_tokens',
      params: { max_tokens: 5, max_completion_tokens: 9 },
      want: { maxOutputTokens: 5 },
    },
    { rule: 'max_completion_tokens alone', params: { max_completion_tokens: 9 }, want: { maxOutputTokens: 9 } },
    { rule: 'a stop text as a list', params: { stop: 'END', seed: 7 }, want: { stopSequences: ['END'], seed: 7 } },
    {
      rule: 'log-probabilities',
      params: { logprobs: true, top_logprobs: 3 },
      want: { responseLogprobs: true, logprobs: 3 },
    },
    {
      rule: 'candidates and penalties',
      params: { n: 2, presence_penalty: 1, frequency_penalty: -1 },
      want: { candidateCount: 2, presencePenalty: 1, frequencyPenalty: -1 },
    },
    {
      rule: 'JSON mode',
      params: { response_format: { type: 'json_object' } },
      want: { responseMimeType: 'application/json' },
    },
    {
      rule: 'a JSON schema, untouched',
      params: {
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { $defs: {}, type: 'object' } } },
      },
      want: { responseMimeType: 'application/json', responseJsonSchema: { $defs: {}, type: 'object' } },
    },
    { rule: 'nothing for text', params: { response_format: { type: 'text' } }, want: undefined },
    {
      rule: 'thinking with a budget',
      params: { thinking: { type: 'enabled', budget_tokens: 100 }, reasoning_effort: 'high' },
      want: { thinkingConfig: { includeThoughts: true, thinkingBudget: 100 } },
    },
    {
      rule: 'thinking with an open budget',
      params: { thinking: { type: 'enabled', budget_tokens: -1 } },
      want: { thinkingConfig: { includeThoughts: false, thinkingBudget: -1 } },
    },
    {
      rule: 'thinking switched off',
      params: { thinking: { type: 'disabled' } },
      want: { thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } },
    },
    {
      rule: 'thinking that leaves the amount to the effort',
      params: { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
      want: { thinkingConfig: { thinkingLevel: 'low' } },
    },
    ...[
      ['minimal', 1024],
      ['low', 1024],
      ['medium', 8192],
      ['high', 24_576],
      ['xhigh', 8192],
    ].map(([effort, thinkingBudget]) => ({
      rule: `effort ${effort} as a budget`,
      params: { reasoning_effort: effort },
      model: 'gemini-2.5-pro',
      want: { thinkingConfig: { includeThoughts: true, thinkingBudget } },
    })),
    {
      rule: 'effort none as no budget',
      params: { reasoning_effort: 'none' },
      model: 'gemini-2.5-flash',
      want: { thinkingConfig: { thinkingBudget: 0 } },
    },
    { rule: 'effort none as nothing', params: { reasoning_effort: 'none' }, model: 'gemini-3-pro', want: undefined },
    {
      rule: 'effort as a level',
      params: { reasoning_effort: 'high' },
      model: 'gemini-3-pro',
      want: { thinkingConfig: { thinkingLevel: 'high' } },
    },
    { rule: 'modalities', params: { modalities: ['text', 'image'] }, want: { responseModalities: ['TEXT', 'IMAGE'] } },
    {
      rule: 'image settings',
      params: { image_config: { aspect_ratio: '16:9', image_size: '2K' } },
      want: { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
    },
    {
      rule: 'media resolution',
      params: { media_resolution: 'MEDIA_RESOLUTION_LOW' },
      want: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    },
    {
      rule: 'nothing for null',
      params: { temperature: null, stop: null, thinking: null, image_config: {} },
      want: undefined,
    },
  ])('say $rule', ({ params, model: name, want }: { params: object; model?: string; want: unknown }) => {
    expect(generation(params, name)).toEqual(want);
  });

  test('sit at the root where Gemini has them there', () => {
    const params = {
      messages: [],
      cached_content: 'cachedContents/1',
      safety_settings: [{ category: 'c' }],
      labels: { team: 'x' },
    };
    expect(bodyOf(params)).toEqual({
      contents: [],
      cachedContent: 'cachedContents/1',
      safety_settings: [{ category: 'c' }],
      labels: { team: 'x' },
    });
    expect(bodyOf(params, { safetyMember: 'safetySettings', labels: false })).toEqual({
      contents: [],
      cachedContent: 'cachedContents/1',
      safetySettings: [{ category: 'c' }],
    });
  });

  test('leave out parameters without a counterpart', () => {
    const params = {
      messages: [],
      model: 'm',
      stream: true,
      user: 'u',
      logit_bias: {},
      stream_options: {},
      made_up: 1,
    };
    expect(bodyOf(params)).toEqual({ contents: [] });
  });
});

import { describe, expect, test } from 'vitest';
import { modelsInBody } from './named-models.ts';

describe('the models that a body names', () => {
  test.for([
    [{ model: 'a' }, ['a']],
    [{ model: 'a', tools: [{ type: 'image_generation', model: 'b' }] }, ['a', 'b']],
    [{ model: 'a', tools: [{ type: 'x', config: { fallback_model: 'b' } }] }, ['a', 'b']],
    [{ configuration: { knowledgeBase: { modelArn: 'b' } } }, ['b']],
    [{ parameters: { adapter_id: 'b' } }, ['b']],
    [{ data_sources: [{ parameters: { dependency: { deployment_name: 'b' } } }] }, ['b']],
    [{ batch: { 'MODEL-ID': 'b' } }, ['b']],
  ] as const)('are all of %j', ([body, models]) => {
    expect(modelsInBody(body)).toMatchObject({ named: new Set(models), other: undefined });
  });

  test.for([
    { Model: 'b' },
    { draft_model: 'b' },
    { engine: 'b' },
    { preset: 'b' },
    { model: ['a'] },
    { session: { model: { id: 'b' } } },
    { plugins: [{ models: ['b'] }] },
    { prompt: { id: 'p' } },
  ])('are not all known of %j', (body) => {
    expect(modelsInBody({ model: 'a', ...body }).other).toBeDefined();
  });

  test.for([
    { messages: [{ role: 'user', content: [{ model: 'x' }] }] },
    { metadata: { model: 'x' } },
    { tools: [{ function: { name: 'f', parameters: { properties: { model: { type: 'string' } } } } }] },
    { tools: [{ name: 'f', input_schema: { properties: { model: {} } }, input_examples: [{ model: 'x' }] }] },
    { response_format: { json_schema: { schema: { properties: { model: {} } } } } },
    { plugins: [{ id: 'web', engine: 'x' }] },
    { additionalModelRequestFields: { top_k: 1 }, modalities: ['text'] },
    { prompt: ['text'] },
  ])('are none in %j', (body) => {
    expect(modelsInBody({ model: 'a', ...body })).toMatchObject({ named: new Set(['a']), other: undefined });
  });
});

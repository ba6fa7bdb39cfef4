import { describe, expect, test } from 'vitest';
import { readModel } from './model.ts';

describe('a Vertex AI model', () => {
  test.for([
    { model: 'gemini-1.5-pro', family: 'google', name: 'gemini-1.5-pro' },
    { model: 'google.gemini-2.5-flash', family: 'google', name: 'gemini-2.5-flash' },
    { model: 'anthropic.claude-sonnet-4-5@20250929', family: 'anthropic', name: 'claude-sonnet-4-5@20250929' },
    { model: 'claude-sonnet-4-5', family: 'anthropic', name: 'claude-sonnet-4-5' },
    { model: 'meta.llama-3.1-405b-instruct-maas', family: 'meta', name: 'llama-3.1-405b-instruct-maas' },
    { model: 'mistralai.mistral-large', family: 'mistralai', name: 'mistral-large' },
    { model: 'mistral-medium-3', family: 'mistralai', name: 'mistral-medium-3' },
    { model: 'codestral-2', family: 'mistralai', name: 'codestral-2' },
    { model: 'endpoints.123', family: 'endpoints', name: '123' },
    { model: '123', family: 'endpoints', name: '123' },
    {
      model: 'projects/my.proj/locations/us-east1/endpoints/9',
      family: 'endpoints',
      name: 'projects/my.proj/locations/us-east1/endpoints/9',
    },
    { model: 'publisher.unknown', family: 'google', name: 'publisher.unknown' },
    { model: 'constructor.x', family: 'google', name: 'constructor.x' },
    { model: '', family: 'google', name: '' },
  ])('$model is $name of $family', ({ model, family, name }) => {
    expect(readModel(model)).toEqual({ family, name });
  });
});

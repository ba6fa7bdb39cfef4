import { describe, expect, test } from 'vitest';
import { createFields } from './fields.ts';
import { prepareTarget } from './target.ts';
import { sampleProvider } from './testing.ts';

describe('a target', () => {
  test.for([
    { rule: 'whose provider has its own host', id: 'openai', values: {}, named: false },
    { rule: 'with a custom host', id: 'openai', values: {}, customHost: 'http://vllm:8000', named: true },
    {
      rule: 'with a setting that is a URL',
      id: 'azure-ai',
      values: { azure_foundry_url: 'https://x.example' },
      named: true,
    },
    { rule: 'with a setting that is none', id: 'azure-ai', values: { azure_api_version: '1' }, named: false },
  ])('reports whether its host is configured: $rule', ({ id, values, customHost, named }) => {
    const provider = sampleProvider({ id });
    const fields = createFields(provider, new Map(Object.entries(values)));
    const options = customHost === undefined ? {} : { customHost };
    expect(prepareTarget(provider, fields, options)).toMatchObject({ namedHost: named, ownIdentity: false });
  });
});

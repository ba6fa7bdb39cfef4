import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createFields, fieldMissing, requireModel } from './fields.ts';
import { sampleCall, sampleProvider } from './testing.ts';

const fieldsOf = (id: string, values: Record<string, string>): ReturnType<typeof createFields> =>
  createFields(sampleProvider({ id }), new Map(Object.entries(values)));

describe('the fields of a target', () => {
  test('show credentials as secrets only', () => {
    const fields = fieldsOf('bedrock', { api_key: 'k', aws_secret_access_key: 's', aws_region: 'eu-west-1' });
    expect(fields.text('api_key')).toBeUndefined();
    expect(fields.text('aws_secret_access_key')).toBeUndefined();
    expect(fields.secret('aws_secret_access_key')?.reveal()).toBe('s');
    expect(fields.text('aws_region')).toBe('eu-west-1');
    expect(fields.secret('aws_region')).toBeUndefined();
  });

  test('lose the line end of a key file, and are absent when nothing is left', () => {
    const fields = fieldsOf('openai', { api_key: ' sk-1\n', openai_project: '  ' });
    expect(fields.secret('api_key')?.reveal()).toBe('sk-1');
    expect(fields.text('openai_project')).toBeUndefined();
  });

  test('hide the key of a provider that the catalogue does not know', () => {
    const fields = fieldsOf('x-unknown', { api_key: 'k', other: 'o' });
    expect(fields.text('api_key')).toBeUndefined();
    expect(fields.text('other')).toBe('o');
    expect(inspect(fields, { depth: 9 })).not.toContain("k'");
  });
});

test.for([
  ['azure-openai', 'resource_name', 'x-gw-azure-resource-name'],
  ['openai', 'api_key', 'authorization'],
  ['ollama', 'custom_host', 'x-gw-custom-host'],
] as const)('a missing field of %s is named with its header: %s, %s', ([id, key, header]) => {
  const error = fieldMissing(id, key);
  expect(error).toMatchObject({ code: 'PROVIDER_FIELD_MISSING', param: key, provider: id });
  expect(error.detail).toContain(key);
  expect(error.detail).toContain(header);
});

test('a call without a model cannot go where one is needed', () => {
  expect(requireModel(sampleCall())).toBe('m1');
  expect(() => requireModel(sampleCall({ model: '' }))).toThrow(expect.objectContaining({ code: 'MODEL_REQUIRED' }));
});

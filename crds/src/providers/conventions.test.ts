import { describe, expect, test } from 'vitest';
import { CONVENTIONS, canAuthenticate, fieldProblems, PROVIDER_CATALOGUE, secretFieldsOf } from './index.ts';

describe('the conventional variables', () => {
  test.for([...CONVENTIONS])('of %s are enough for an account', ([id, { variables, needs }]) => {
    const provider = PROVIDER_CATALOGUE.get(id);
    if (provider === undefined) throw new Error(`no provider ${id}`);
    const fields = ['custom_host', ...secretFieldsOf(provider), ...provider.fields.map(({ key }) => key)];
    expect(Object.keys(variables).filter((key) => !fields.includes(key))).toEqual([]);
    expect(needs.filter((key) => variables[key] === undefined)).toEqual([]);
    expect(fieldProblems(provider, (key) => needs.includes(key))).toEqual([]);
    expect(canAuthenticate(provider, (key) => needs.includes(key))).toBe(true);
  });

  test('belong to one provider each, and none is the address that clients of a gateway change', () => {
    const names = [...CONVENTIONS.values()].flatMap(({ variables }) => Object.values(variables).flat());
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => /BASE_URL/.test(name))).toEqual([]);
  });

  test.for([
    { id: 'ollama', field: 'custom_host', text: '127.0.0.1', value: 'http://127.0.0.1:11434' },
    { id: 'ollama', field: 'custom_host', text: '0.0.0.0:11500', value: 'http://127.0.0.1:11500' },
    { id: 'ollama', field: 'custom_host', text: 'https://models.example/', value: 'https://models.example' },
    { id: 'ollama', field: 'custom_host', text: ':', value: undefined },
    { id: 'azure-openai', field: 'resource_name', text: 'https://mine.openai.azure.com/', value: 'mine' },
    { id: 'azure-openai', field: 'resource_name', text: 'https://mine.example/', value: undefined },
  ])('$field of $id is $value where the variable is $text', ({ id, field, text, value }) => {
    expect(CONVENTIONS.get(id)?.read?.[field]?.(text)).toBe(value);
  });
});

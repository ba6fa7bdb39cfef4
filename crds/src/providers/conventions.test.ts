import { describe, expect, test } from 'vitest';
import { CONVENTIONS, canAuthenticate, fieldProblems, PROVIDER_CATALOGUE, secretFieldsOf } from './index.ts';

describe('the conventional variables', () => {
  test.for([...CONVENTIONS])('of %s are enough for an account', ([id, { variables, needs }]) => {
    const provider = PROVIDER_CATALOGUE.get(id);
    if (provider === undefined) throw new Error(`no provider ${id}`);
    const fields = [...secretFieldsOf(provider), ...provider.fields.map(({ key }) => key)];
    expect(Object.keys(variables).filter((key) => !fields.includes(key))).toEqual([]);
    expect(needs.filter((key) => variables[key] === undefined)).toEqual([]);
    expect(fieldProblems(provider, (key) => needs.includes(key))).toEqual([]);
    expect(canAuthenticate(provider, (key) => needs.includes(key))).toBe(true);
  });

  test('belong to one provider each, and name no address', () => {
    const names = [...CONVENTIONS.values()].flatMap(({ variables }) => Object.values(variables).flat());
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => /URL|HOST|ENDPOINT/.test(name))).toEqual([]);
  });
});

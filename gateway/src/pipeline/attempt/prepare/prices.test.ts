import { expect, test } from 'vitest';
import type { ManagedProvider } from '../../../snapshot/index.ts';
import { pricesOf } from './prices.ts';

const fields = (values: Readonly<Record<string, string>>) => ({
  text: (key: string) => values[key],
  secret: () => undefined,
});
const AZURE = { provider: 'azure-openai', fields: fields({ azure_model_name: ' gpt-4o ' }) };

test('a call with a credential of its own names the model whose price counts', () => {
  expect(pricesOf({ resolved: { managed: undefined }, call: AZURE })?.named).toBe('gpt-4o');
});

test.for([
  { rule: 'names none', call: { ...AZURE, fields: fields({ azure_model_name: ' ' }) } },
  { rule: 'is for another provider', call: { ...AZURE, provider: 'openai' } },
])('a call that $rule has the price of what it asks for', ({ call }) => {
  expect(pricesOf({ resolved: { managed: undefined }, call })).toBeUndefined();
});

test('a call does not change the price of a stored account', () => {
  const managed = { prices: undefined } as unknown as ManagedProvider; // what is read of it
  expect(pricesOf({ resolved: { managed }, call: AZURE })).toBeUndefined();
});

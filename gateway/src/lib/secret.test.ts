import { format, inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Secret } from './secret.ts';

describe('a secret', () => {
  const secret = new Secret('sk-very-secret');

  test.for<{ rule: string; print: () => string }>([
    { rule: 'as text', print: () => String(secret) },
    { rule: 'in a template', print: () => `${secret}` },
    { rule: 'added to a text', print: () => `key ${secret as unknown as string}` },
    { rule: 'as JSON', print: () => JSON.stringify({ a: [secret] }) },
    { rule: 'inspected', print: () => inspect({ a: { b: secret } }, { showHidden: true, depth: 9 }) },
    { rule: 'formatted', print: () => format('%s %o %j', secret, secret, secret) },
    { rule: 'as members', print: () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret)]) },
    { rule: 'cloned', print: () => inspect(structuredClone({ ...secret })) },
  ])('does not show $rule', ({ print }) => {
    expect(print()).not.toContain('very');
  });

  test('is revealed on request', () => {
    expect(secret.reveal()).toBe('sk-very-secret');
  });
});

import { describe, expect, test } from 'vitest';
import { parseCheck } from '../../parse-check.ts';
import * as partners from './index.ts';

const parse = (item: object) => parseCheck(item, { path: [], literalCredentials: true });

describe.for(Object.values(partners).map((entry) => [entry.id, entry] as const))('%s', ([, entry]) => {
  test('calls out, and has the parameters of every call', () => {
    expect(entry.callsOut).toBe(true);
    expect(Object.keys(entry.parameters.shape)).toEqual(expect.arrayContaining(['timeout', 'forwardHeaders']));
    expect(entry.parameters.shape.timeout.parse(undefined)).toBeGreaterThanOrEqual(5_000);
  });

  test('has an address that may be shown and stands beside its credential', () => {
    const fields = entry.credential?.fields ?? [];
    expect(fields.filter(({ name }) => name.endsWith('baseUrl')).map(({ secret }) => secret)).toContain(false);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  });
});

describe('a credential in groups', () => {
  test('is one of fields with a dot', () => {
    const credentials = { pii: { apiKey: 'k', resourceName: 'r' }, tenantId: 't' };
    expect(parse({ id: 'azure.pii', parameters: { credentials } })).toMatchObject({
      ok: true,
      value: { credential: { 'pii.apiKey': 'k', 'pii.resourceName': 'r', tenantId: 't' } },
    });
  });

  test.for([
    { rule: 'an unknown field', credentials: { pii: { apikey: 'k' } }, at: 'pii.apikey' },
    { rule: 'an unknown group', credentials: { pi: { apiKey: 'k' } }, at: 'pi' },
    { rule: 'a group in a group', credentials: { pii: { apiKey: { a: 'k' } } }, at: 'pii.apiKey' },
  ])('is refused for $rule', ({ credentials, at }) => {
    const parsed = parse({ id: 'azure.pii', parameters: { credentials } });
    expect(parsed).toMatchObject({ ok: false, error: [{ path: ['parameters', 'credentials', at] }] });
    expect(JSON.stringify(parsed)).not.toContain('"k"');
  });
});

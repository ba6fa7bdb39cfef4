/** A check that has secrets says which of its parameters decide where they go. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CHECK_ENTRIES } from './register.ts';

/** No secret of the check is sent there: key sets are fetched without a credential. */
const WITHOUT_SECRETS: ReadonlySet<string> = new Set(['default.jwt jwksUri']);

const withSecrets = CHECK_ENTRIES.filter(
  ({ credential, secretParameters }) => credential !== undefined || secretParameters !== undefined,
);

describe('the addresses of a check with secrets', () => {
  test.for(withSecrets)('$id declares its URLs', ({ id, parameters, addressParameters = [] }) => {
    const { properties = {} } = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
    const urls = Object.entries(properties).filter(([, schema]) => JSON.stringify(schema).includes('https?:'));
    const expected = urls.map(([name]) => name).filter((name) => !WITHOUT_SECRETS.has(`${id} ${name}`));
    expect([...addressParameters].sort()).toEqual(expected.sort());
  });

  test('are found', () => {
    expect(withSecrets.flatMap(({ addressParameters = [] }) => addressParameters).sort()).toEqual([
      'introspectEndpoint',
      'logURL',
      'url',
      'webhookURL',
    ]);
  });
});

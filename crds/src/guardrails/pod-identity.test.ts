import { expect, test } from 'vitest';
import { parseCheck } from './index.ts';

const OPTIONS = { literalCredentials: true, patterns: 'checked', path: ['checks', 0] } as const;

test('a check of a request that asks for the identity of the gateway is refused with its path', () => {
  const parameters = { guardrailId: 'g', guardrailVersion: '1', credentials: { awsAuthType: 'serviceRole' } };
  const parsed = parseCheck({ id: 'bedrock.guard', parameters }, OPTIONS);
  expect(parsed).toMatchObject({
    ok: false,
    error: [{ path: ['checks', 0, 'parameters', 'credentials', 'awsAuthType'], message: /serviceRole asks for/ }].map(
      ({ path, message }) => ({ path, message: expect.stringMatching(message) }),
    ),
  });
});

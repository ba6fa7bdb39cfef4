import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../runtime/index.ts';
import { problemOf, toPath } from './problems.ts';

const PLACE = { kind: 'RateLimitPolicy', namespace: 'team-a', name: 'slow' } as const;

const refusal = (reason: string, more: Partial<ConstructorParameters<typeof ApiError>[0]> = {}): ApiError =>
  new ApiError({ status: 400, reason, message: 'refused', ...more });

const cause = (reason: string, message: string, field = '') => ({ reason, message, field });

describe('a refusal of the API server', () => {
  test.for([
    { rule: 'of a second object', error: refusal('AlreadyExists'), want: { kind: 'exists' } },
    {
      rule: 'about the object itself',
      error: refusal('NotFound', { subject: { kind: 'ratelimitpolicies', name: 'slow' } }),
      want: { kind: 'absent' },
    },
    {
      rule: 'about the namespace',
      error: refusal('NotFound', { subject: { kind: 'namespaces', name: 'team-a' } }),
      want: { kind: 'forbidden', message: expect.stringContaining('team-a') },
    },
    { rule: 'of another version', error: refusal('Conflict'), want: { kind: 'changed' } },
    {
      rule: 'for another manager',
      error: refusal('Conflict', { causes: [cause('FieldManagerConflict', 'conflict with "x"', '.spec.value')] }),
      want: { kind: 'owned', owner: 'another field manager', fields: ['spec.value'] },
    },
    {
      rule: 'of the webhook for an object in use',
      error: refusal('Conflict', { causes: [cause('ObjectInUse', 'is used by GatewayConfig/team-a/user')] }),
      want: { kind: 'in-use', users: ['GatewayConfig/team-a/user'] },
    },
    {
      rule: 'of the content',
      error: refusal('Invalid', { causes: [cause('FieldValueInvalid', 'too long', 'spec.conditions[0].values')] }),
      want: {
        kind: 'invalid',
        issues: [{ code: 'invalid', path: ['spec', 'conditions', 0, 'values'], message: 'too long' }],
      },
    },
    {
      rule: 'for a missing right, without the account',
      error: refusal('Forbidden', { message: 'User "system:serviceaccount:a:b" cannot patch' }),
      want: { kind: 'forbidden', message: expect.not.stringContaining('serviceaccount') },
    },
    {
      rule: 'for a namespace that goes',
      error: refusal('Forbidden', { causes: [cause('NamespaceTerminating', 'is being terminated')] }),
      want: { kind: 'forbidden', message: expect.stringContaining('being deleted') },
    },
  ])('$rule', ({ error, want }) => {
    expect(problemOf(error, PLACE)).toEqual(want);
  });

  test.for([refusal('Unreachable'), refusal('InternalError'), new Error('other')])(
    'that is no verdict is thrown',
    (error) => {
      expect(() => problemOf(error, PLACE)).toThrow(error);
    },
  );
});

test('paths of fields have positions as numbers', () => {
  expect(toPath('spec.config.targets[0].name')).toEqual(['spec', 'config', 'targets', 0, 'name']);
  expect(toPath('')).toEqual([]);
});

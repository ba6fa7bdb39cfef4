import { expect, test } from 'vitest';
import { formatPath } from '../schema/index.ts';
import { parseResource } from './parse.ts';

const issuesOf = (spec: object): string[] => {
  const parsed = parseResource('Organisation', {
    apiVersion: 'gatehouse.dev/v1alpha1',
    kind: 'Organisation',
    metadata: { name: 'default' },
    spec,
  });
  return parsed.ok ? [] : parsed.error.map(({ path, message }) => `${formatPath(path)}: ${message}`);
};

const ISSUER = { issuer: 'https://id.example', audiences: ['gateway'] };
const OCT = JSON.stringify({ keys: [{ kid: 'a', kty: 'oct', k: 'c2VjcmV0' }] });

test('all faults of the issuers of tokens are told together, each at its place', () => {
  const issues = issuesOf({
    jwtIssuers: [
      {
        ...ISSUER,
        jwks: OCT,
        scopes: ['completions.write', 'audit_logs.list'],
        defaultScopes: ['completions.wrote', 'not a scope'],
        algorithms: ['HS256'],
        rateLimits: [
          { type: 'requests', unit: 'rpm', value: 1 },
          { type: 'requests', unit: 'rpm', value: 2 },
          { type: 'requests', unit: 'rpx', value: 2 },
          { type: 'tokens', unit: 'rpm', value: -1 },
        ],
      },
      { ...ISSUER, issuer: 'https://other.example', jwks: '{"keys":[]}' },
      { ...ISSUER, issuer: 'https://other.example', jwks: '' },
    ],
    headersToMask: ['authorization', 'authorization'],
  });
  expect(issues.toSorted()).toEqual([
    'spec.headersToMask[1]: duplicate entry',
    'spec.jwtIssuers[0].algorithms[0]: unknown value HS256; did you mean RS256?',
    'spec.jwtIssuers[0].defaultScopes[0]: unknown scope completions.wrote; did you mean completions.write?',
    'spec.jwtIssuers[0].defaultScopes[1]: expected a scope like completions.write',
    'spec.jwtIssuers[0].jwks: keys[0] is a private key or a shared secret: give the public key',
    'spec.jwtIssuers[0].rateLimits[1]: duplicate entry',
    expect.stringMatching(/^spec\.jwtIssuers\[0\]\.rateLimits\[2\]\.unit: expected one of rps, rpm, /),
    expect.stringMatching(/^spec\.jwtIssuers\[0\]\.rateLimits\[3\]\.value: /),
    'spec.jwtIssuers[0].scopes[1]: a key of type workspace-service cannot have audit_logs.list',
    'spec.jwtIssuers[1].jwks: has no key for signatures with a kid',
    expect.stringMatching(/^spec\.jwtIssuers\[2\]\.jwks: /),
    'spec.jwtIssuers[2]: duplicate entry',
  ]);
  expect(issues.join()).not.toContain('c2VjcmV0');
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimHeader, jwt } from './jwt.ts';

const jwksUri = 'https://id.example/keys';
const key = { kty: 'RSA', kid: 'a', n: 'AQAB', e: 'AQAB' };

const problemOf = (parameters: object): string | undefined => {
  const { error } = jwt.parameters.safeParse(parameters);
  return error?.issues[0]?.path.join('.');
};

describe('the parameters of the check of tokens', () => {
  test('have the documented defaults', () => {
    expect(jwt.parameters.parse({ jwksUri })).toEqual({
      jwksUri,
      headerKey: 'Authorization',
      algorithms: ['RS256'],
      cacheMaxAge: 86_400,
      clockTolerance: 5,
      maxTokenAge: '1d',
      introspectContentType: 'application/x-www-form-urlencoded',
      requiredClaims: [],
      claimValues: {},
      headerPayloadMatch: [],
      extractClaims: [],
      claimPrefix: 'x-jwt-',
    });
  });

  test.for<[rule: string, parameters: object, at: string | undefined]>([
    ['need a source of keys', {}, 'jwks'],
    ['may hold the keys', { jwks: { keys: [key] } }, undefined],
    ['may hold no private key', { jwks: { keys: [key, { ...key, d: 'x' }] } }, 'jwks.keys.1'],
    ['may hold no shared secret', { jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, 'jwks.keys.0'],
    ['refuse algorithms with a shared secret', { jwksUri, algorithms: ['HS256'] }, 'algorithms.0'],
    ['refuse no signature', { jwksUri, algorithms: ['none'] }, 'algorithms.0'],
    ['refuse a URL of another scheme', { jwksUri: 'file:///keys' }, 'jwksUri'],
    ['take a time in words', { jwksUri, maxTokenAge: '2 days' }, undefined],
    ['refuse a time that is none', { jwksUri, maxTokenAge: 'soon' }, 'maxTokenAge'],
    ['take a pattern', { jwksUri, claimValues: { a: { values: '^x', matchType: 'regex' } } }, undefined],
    [
      'refuse a pattern that RE2 has not',
      { jwksUri, claimValues: { a: { values: ['x', '(?=x)'], matchType: 'regex' } } },
      'claimValues.a.values',
    ],
    ['take any text that is no pattern', { jwksUri, claimValues: { a: { values: '(?=x)' } } }, undefined],
    [
      'refuse a header of the gateway',
      { jwksUri, extractClaims: ['a', 'key'], claimPrefix: 'x-gw-' },
      'extractClaims.0',
    ],
  ])('%s', ([, parameters, at]) => {
    expect(problemOf(parameters)).toBe(at);
  });
});

describe('the header of a claim', () => {
  test.for<[prefix: string, claim: string, want: string | undefined]>([
    ['x-jwt-', 'sub', 'x-jwt-sub'],
    ['X-Jwt-', 'User_Id', 'x-jwt-user-id'],
    ['x-jwt-', 'https://a.example/roles', 'x-jwt-https-a-example-roles'],
    ['x-jwt-', 'token', 'x-jwt-token'],
    ['x-user-', 'sub', 'x-user-sub'],
    ['', 'authorization', undefined],
    ['x-', 'api-key', undefined],
    ['x-', 'forwarded-for', undefined],
    ['x-gw-', 'config', undefined],
    ['x-GW-', 'config', undefined],
    ['x_gw_', 'config', undefined],
    ['x-', 'gw-config', undefined],
    ['x-user-', 'token', undefined],
    ['x-goog-', 'user-project', undefined],
    ['transfer-', 'encoding', undefined],
  ])('%s%s', ([prefix, claim, want]) => {
    expect(claimHeader(prefix, claim)).toBe(want);
  });

  test('is a header of nobody else', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'xXgwG-_jt aé\n') }), fc.string(), (prefix, claim) => {
        const name = claimHeader(prefix, claim);
        expect(name ?? 'x-jwt-').toMatch(/^x-(?!gw(-|$))[a-z0-9-]+$/);
      }),
    );
  });
});

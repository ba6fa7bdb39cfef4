import { describe, expect, test } from 'vitest';
import { isReachable, parseSignIn } from './settings.ts';

const GIVEN = {
  issuer: 'https://id.example/realms/a',
  clientId: 'gatehouse',
  clientSecret: 'a-secret-of-the-client',
  publicUrl: 'https://gateway.example:8443',
  trustsEmails: false,
  sessionHours: 12,
  idleMinutes: 60,
};

describe('the settings of signing in', () => {
  test('are none without an issuer', () => {
    expect(parseSignIn({ ...GIVEN, issuer: undefined })).toEqual({ ok: true, value: undefined });
  });

  test.for([
    {},
    { issuer: 'http://dex.auth.svc:5556' },
    { issuer: 'http://dex.auth.svc.cluster.local/dex' },
    { issuer: 'http://127.0.0.1:9000' },
    { publicUrl: 'http://localhost:8787' },
    { publicUrl: 'http://[::1]:8787/' },
  ])('are taken with %j', (over) => {
    expect(parseSignIn({ ...GIVEN, ...over })).toMatchObject({
      ...{ ok: true, value: { sessionMs: 43_200_000, idleMs: 3_600_000 } },
    });
  });

  test.for([
    { about: 'issuer', over: { issuer: 'http://id.example' } },
    { about: 'issuer', over: { issuer: 'http://id.example/.svc' } },
    { about: 'issuer', over: { issuer: 'http://169.254.169.254' } },
    { about: 'issuer', over: { issuer: 'https://user:password@id.example' } },
    { about: 'issuer', over: { issuer: 'https://id.example?a=b' } },
    { about: 'issuer', over: { issuer: 'secret' } },
    { about: 'client id', over: { clientId: undefined } },
    { about: 'client secret', over: { clientSecret: undefined } },
    { about: 'client secret', over: { clientSecret: 'short' } },
    { about: 'public URL', over: { publicUrl: undefined } },
    { about: 'public URL', over: { publicUrl: 'http://gateway.example' } },
    { about: 'public URL', over: { publicUrl: 'http://dex.auth.svc' } },
    { about: 'public URL', over: { publicUrl: 'https://gateway.example/path' } },
    { about: 'public URL', over: { publicUrl: 'https://gateway.example#x' } },
    { about: 'public URL', over: { publicUrl: 'javascript:alert(1)' } },
  ])('name the $about in $over, and repeat nothing', ({ about, over }) => {
    const parsed = parseSignIn({ ...GIVEN, ...over });
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(about) });
    expect(JSON.stringify(parsed)).not.toMatch(/a-secret|password|short'/);
  });
});

test.for([
  ['https://any.example/token', true],
  ['http://keys.auth.svc/keys', true],
  ['http://localhost:1/keys', true],
  ['http://any.example/token', false],
  ['http://10.0.0.1/token', false],
  ['ftp://keys.auth.svc/keys', false],
  ['file:///etc/passwd', false],
] as const)('a provider may name %s: %s', ([url, expected]) => {
  expect(isReachable(new URL(url))).toBe(expected);
});

import { describe, expect, test } from 'vitest';
import { readSignIn } from './sign-in.ts';

const GIVEN = {
  GATEHOUSE_OIDC_ISSUER: 'https://id.example',
  GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
  GATEHOUSE_OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
  GATEHOUSE_PUBLIC_URL: 'http://127.0.0.1:8787',
};

describe('the variables of signing in', () => {
  test('have the usual times where none are given', () => {
    expect(readSignIn(GIVEN)).toMatchObject({
      ...{ ok: true, value: { trustsEmails: false, sessionMs: 43_200_000, idleMs: 3_600_000 } },
    });
  });

  test('are all read', () => {
    const more = {
      ...{ GATEHOUSE_OIDC_TRUSTS_EMAILS: 'true', GATEHOUSE_SESSION_HOURS: '1', GATEHOUSE_SESSION_IDLE_MINUTES: '5' },
    };
    const read = readSignIn({ ...GIVEN, ...more });
    expect(read).toMatchObject({
      ...{ ok: true, value: { clientId: 'gatehouse', trustsEmails: true, sessionMs: 3_600_000, idleMs: 300_000 } },
    });
  });

  test.for([undefined, '', ' '])('are none with the issuer %j', (issuer) => {
    expect(readSignIn({ ...GIVEN, GATEHOUSE_OIDC_ISSUER: issuer })).toEqual({ ok: true, value: undefined });
  });

  test.for([
    { about: 'GATEHOUSE_PUBLIC_URL', over: { GATEHOUSE_PUBLIC_URL: 'http://gateway.example' } },
    { about: 'client id', over: { GATEHOUSE_OIDC_CLIENT_ID: '' } },
    { about: 'client secret', over: { GATEHOUSE_OIDC_CLIENT_SECRET: 'hunter2' } },
    { about: 'GATEHOUSE_SESSION_HOURS', over: { GATEHOUSE_SESSION_HOURS: '0' } },
    { about: 'GATEHOUSE_SESSION_HOURS', over: { GATEHOUSE_SESSION_HOURS: '721' } },
    { about: 'GATEHOUSE_SESSION_IDLE_MINUTES', over: { GATEHOUSE_SESSION_IDLE_MINUTES: '5.5' } },
    { about: 'GATEHOUSE_OIDC_TRUSTS_EMAILS', over: { GATEHOUSE_OIDC_TRUSTS_EMAILS: 'yes' } },
  ])('name the $about in $over, and repeat nothing', ({ about, over }) => {
    const read = readSignIn({ ...GIVEN, ...over });
    expect(read).toMatchObject({ ok: false, error: expect.stringContaining(about) });
    expect(JSON.stringify(read)).not.toMatch(/hunter2|a-secret/);
  });
});

import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createDatabase } from '../database/index.ts';
import { parseSignIn } from './settings.ts';
import { createSignIn } from './sign-in.ts';

const settings = unwrap(
  parseSignIn({
    ...{ issuer: 'https://id.example', clientId: 'gatehouse', clientSecret: 'a-secret-of-the-client' },
    ...{ publicUrl: 'https://gateway.example', trustsEmails: false, sessionHours: 12, idleMinutes: 60 },
  }),
);
const dialect = (): never => {
  throw new Error('no database is needed');
};
const port =
  settings &&
  createSignIn({
    settings,
    database: createDatabase({ dialect, onAway: () => undefined }),
    now: () => 0,
    onAway: () => undefined,
  });

describe('where a sign-in ends', () => {
  test.for([
    [undefined, '/'],
    ['/', '/'],
    ['/console?tab=1#top', '/console?tab=1#top'],
    ['/a/../b', '/b'],
    ['/a//b', '/a//b'],
  ] as const)('is, for %j, %j', ([returnTo, path]) => {
    expect(port?.pathOf(returnTo)).toBe(path);
  });

  test.for([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/a/..//evil.example',
    'console',
    '',
    'javascript:alert(1)',
  ])('is nowhere for %j', (returnTo) => {
    expect(port?.pathOf(returnTo)).toBeUndefined();
  });
});

test('no session and no sign-out starts a database that was never used', async () => {
  let opened = 0;
  const unused = createDatabase({
    dialect: () => {
      opened += 1;
      return dialect();
    },
    exists: () => false,
    onAway: () => undefined,
  });
  const signIn = settings && createSignIn({ settings, database: unused, now: () => 0, onAway: () => undefined });
  const cookie = `__Host-gatehouse-session=${'x'.repeat(43)}`;
  expect(await signIn?.find(signIn.sessionIn(cookie) ?? '')).toBeUndefined();
  expect(await signIn?.end(cookie)).toContain('Max-Age=0');
  expect(opened).toBe(0);
});

test('a session is known by one cookie, which may have other cookies around it', () => {
  const id = 'x'.repeat(43);
  const hash = port?.sessionIn(`__Host-gatehouse-session=${id}`);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(port?.sessionIn(`a=b; __Host-gatehouse-session=${id}; c=d`)).toBe(hash);
  for (const cookie of [undefined, '', `gatehouse-session=${id}`, `__Host-gatehouse-session=${id}x`, 'a']) {
    expect(port?.sessionIn(cookie)).toBeUndefined();
  }
});

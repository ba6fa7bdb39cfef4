/** People who sign in with a browser, at an identity provider over real sockets. docs/behaviour/sign-in.md */
import { randomUUID } from 'node:crypto';
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type CallReport,
  createDatabase,
  createSignIn,
  type Database,
  parseSignIn,
  postgresDialect,
  toAuditRecord,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type RawAnswer, type TestManagement } from '../../../operator/src/management/testing.ts';
import { newUser } from '../../conformance/database/suite.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../../kit/identity-provider.ts';

const HOME = 'https://gateway.example';
const SESSION = '__Host-gatehouse-session';
const LOGIN = '__Host-gatehouse-login';
const HOUR_MS = 3_600_000;

let server: PostgresServer;
let provider: IdentityProvider;
let database: Database;
let management: TestManagement;
let nowMs: number;
const reports: CallReport[] = [];
const failures: unknown[] = [];

beforeAll(async () => {
  server = await startPostgres();
  provider = await startIdentityProvider();
  database = createDatabase({
    dialect: unwrap(postgresDialect({ url: await server.database() })),
    onAway: () => undefined,
  });
});
afterAll(async () => {
  await database?.close();
  await provider?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  nowMs = Date.now();
  reports.length = 0;
  failures.length = 0;
  management = await managementWith({});
});
afterEach(() => management.close());

async function managementWith(over: object): Promise<TestManagement> {
  const given = {
    ...{ issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, publicUrl: HOME },
    ...{ trustsEmails: false, sessionHours: 12, idleMinutes: 60 },
    ...over,
  };
  const settings = unwrap(parseSignIn(given));
  if (settings === undefined) throw new Error('no issuer');
  const now = (): number => nowMs;
  const signIn = createSignIn({ settings, database, now, onAway: (error) => failures.push(error) });
  return createTestManagement(['configs'], { database, now, signIn, onCall: (report) => reports.push(report) });
}

const cookiesOf = ({ headers }: RawAnswer): string[] => [headers['set-cookie'] ?? []].flat().map(String);
const pairOf = (answer: RawAnswer, name: string): string =>
  cookiesOf(answer)
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.split(';')[0] ?? '';
const locationOf = ({ headers }: RawAnswer): string => String(headers['location']);
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

/** From the first page to the way back, where the test goes on. */
async function begun(returnTo = '/console'): Promise<{ readonly cookie: string; readonly back: string }> {
  const login = await management.send({ url: `/v1/auth/login?return_to=${encodeURIComponent(returnTo)}` });
  expect(login, JSON.stringify(login.body)).toMatchObject({ status: 302 });
  return { cookie: pairOf(login, LOGIN), back: pathOf(await provider.authorize(locationOf(login))) };
}

const comeBack = (back: string, cookie: string): Promise<RawAnswer> =>
  management.send({ url: back, headers: { cookie } });

async function account(over: object = {}) {
  const user = { ...newUser(), ...over };
  await database.use((queries) => queries.insertInto('users').values(user).execute());
  return user;
}

/** The cookie of a session of a person with an account. */
async function signedIn(over: object = {}): Promise<{ readonly id: string; readonly cookie: string }> {
  const user = await account(over);
  provider.claims = { sub: user.id, email: user.email, email_verified: true };
  const { back, cookie } = await begun();
  const answer = await comeBack(back, cookie);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 302 });
  return { id: user.id, cookie: pairOf(answer, SESSION) };
}

const whoIs = (cookie: string): Promise<RawAnswer> => management.send({ url: '/v1/auth/session', headers: { cookie } });

describe('a person', () => {
  test('signs in with a verified address, and by the subject from then on', async () => {
    const user = await account({ email: `ada-${randomUUID()}@example.com` });
    provider.claims = { sub: user.id, email: user.email.toUpperCase(), email_verified: true };
    const login = await management.send({ url: '/v1/auth/login?return_to=/console?tab=1' });
    const elsewhere = await management.send({ url: '/v1/auth/login?return_to=//evil.example' });
    expect(elsewhere).toMatchObject({ status: 400, body: { error: { param: 'return_to' } } });
    const asked = new URL(locationOf(login)).searchParams;
    expect(asked.get('redirect_uri')).toBe(`${HOME}/v1/auth/callback`);
    expect([asked.get('code_challenge_method'), asked.get('scope')]).toEqual(['S256', 'openid email profile']);
    const answer = await comeBack(pathOf(await provider.authorize(locationOf(login))), pairOf(login, LOGIN));
    expect(answer).toMatchObject({ status: 302, headers: { location: '/console?tab=1', 'cache-control': 'no-store' } });
    const [session = '', gone = ''] = cookiesOf(answer);
    expect(session).toMatch(
      /^__Host-gatehouse-session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(gone).toContain(`${LOGIN}=; Max-Age=0`);
    expect(await whoIs(pairOf(answer, SESSION))).toMatchObject({
      ...{ status: 200, body: { user: { id: user.id, role: 'member' }, workspaces: [] } },
    });
    // The directory gives the person another address: it is still the same one.
    provider.claims = { sub: user.id, email: 'other@example.com', email_verified: true };
    const again = await begun();
    expect((await whoIs(pairOf(await comeBack(again.back, again.cookie), SESSION))).body).toMatchObject({
      user: { id: user.id },
    });
  });

  test('is in the audit with what was signed in and out, and the database knows no id', async () => {
    const { id, cookie } = await signedIn();
    await management.send({ method: 'POST', url: '/v1/auth/logout', headers: { cookie, origin: HOME }, body: {} });
    const records = reports.flatMap((report) => toAuditRecord(report, nowMs) ?? []);
    expect(records).toMatchObject([
      { operation: 'auth.callback', actor_type: 'user', actor_id: id, status: 302, path: '/v1/auth/callback' },
      { operation: 'auth.logout', actor_type: 'user', actor_id: id, status: 200 },
    ]);
    const secret = cookie.split('=')[1] ?? '';
    const next = await signedIn();
    const rows = await database.use((queries) => queries.selectFrom('sessions').selectAll().execute());
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify([records, rows])).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(next.cookie.split('=')[1]);
  });

  test.for([
    { rule: 'an address that is not verified', claims: { email_verified: false } },
    { rule: 'no address', claims: { email: undefined } },
    { rule: 'an address of nobody', claims: { email: 'nobody@example.com' } },
  ])('does not get in with $rule', async ({ claims }) => {
    const user = await account();
    provider.claims = { sub: randomUUID(), email: user.email, email_verified: true, ...claims };
    const { back, cookie } = await begun();
    const answer = await comeBack(back, cookie);
    expect(answer).toMatchObject({ status: 403, body: { errorCode: 'AB03' } });
    expect(pairOf(answer, SESSION)).toBe('');
    expect(reports.flatMap((report) => toAuditRecord(report, nowMs) ?? [])).toMatchObject([
      { operation: 'auth.callback', actor_type: 'anonymous', status: 403 },
    ]);
  });

  test('gets in with an unverified address where the provider is trusted', async () => {
    await management.close();
    management = await managementWith({ trustsEmails: true });
    const user = await account();
    provider.claims = { sub: user.id, email: user.email };
    const { back, cookie } = await begun();
    expect((await comeBack(back, cookie)).status).toBe(302);
  });

  test('gets in where the client says who it is in the body', async () => {
    await management.close();
    management = await managementWith({}); // which asks for the metadata again
    provider.method = 'client_secret_post';
    try {
      expect((await signedIn()).cookie).toContain(SESSION);
    } finally {
      provider.method = 'client_secret_basic';
    }
  });

  test('whose account another subject has, or that is suspended, does not get in', async () => {
    const taken = await account({ issuer: provider.issuer, subject: randomUUID() });
    const suspended = await account({ active: false });
    for (const { email } of [taken, suspended]) {
      provider.claims = { sub: randomUUID(), email, email_verified: true };
      const { back, cookie } = await begun();
      expect((await comeBack(back, cookie)).status).toBe(403);
    }
  });
});

describe('a way back', () => {
  test('with another state is refused, and the provider is not asked', async () => {
    provider.claims = { sub: 'ada' };
    const { back, cookie } = await begun();
    const before = provider.exchanges;
    const answer = await comeBack(back.replace(/state=[^&]+/, 'state=another'), cookie);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'AB01' } });
    expect(provider.exchanges).toBe(before);
  });

  test('in the browser of somebody else, or without its cookie, is refused', async () => {
    const [mine, other] = [await begun(), await begun()];
    for (const cookie of [other.cookie, '', `${LOGIN}=forged`, mine.cookie.slice(0, -4)]) {
      const answer = await comeBack(mine.back, cookie);
      expect(answer.status, cookie).toBe(400);
      expect(pairOf(answer, SESSION)).toBe('');
    }
  });

  test('is good once', async () => {
    const user = await account();
    provider.claims = { sub: user.id, email: user.email, email_verified: true };
    const { back, cookie } = await begun();
    expect((await comeBack(back, cookie)).status).toBe(302);
    expect(await comeBack(back, cookie)).toMatchObject({ status: 400, body: { errorCode: 'AB01' } });
  });

  test('ends after ten minutes', async () => {
    const { back, cookie } = await begun();
    nowMs += 600_001;
    expect((await comeBack(back, cookie)).status).toBe(400);
  });

  test.for([
    { rule: 'another nonce', claims: { nonce: 'another' } },
    { rule: 'another audience', claims: { aud: 'another' } },
    { rule: 'another issuer', claims: { iss: 'https://another.example' } },
    { rule: 'an end that has passed', claims: { exp: 1 } },
    { rule: 'a signature of another key', claims: {}, isForged: true },
  ])('to a token with $rule is refused', async ({ claims, isForged = false }) => {
    const user = await account();
    provider.claims = { sub: user.id, email: user.email, email_verified: true, ...claims };
    provider.isForged = isForged;
    try {
      const { back, cookie } = await begun();
      const answer = await comeBack(back, cookie);
      expect(answer.status).toBe(400);
      expect(pairOf(answer, SESSION)).toBe('');
    } finally {
      provider.isForged = false;
    }
  });

  test('with an error of the provider says which, and repeats no text of it', async () => {
    const { back, cookie } = await begun();
    const [, state = ''] = /state=([^&]+)/.exec(back) ?? [];
    const denied = `/v1/auth/callback?error=access_denied&error_description=<b>text</b>&state=${state}`;
    const answer = await comeBack(denied, cookie);
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('access_denied') } });
    expect(JSON.stringify(answer.body)).not.toContain('text');
  });
});

describe('a session', () => {
  test('ends after its time, and without calls', async () => {
    const { cookie } = await signedIn();
    for (let i = 0; i < 13; i += 1) {
      nowMs += 0.9 * HOUR_MS;
      expect((await whoIs(cookie)).status, `${i}`).toBe(200);
    }
    nowMs += 0.9 * HOUR_MS; // twelve hours and a half
    expect((await whoIs(cookie)).status).toBe(401);
    const idle = await signedIn();
    nowMs += HOUR_MS + 1;
    expect((await whoIs(idle.cookie)).status).toBe(401);
  });

  test('ends with a sign-out, a suspension and the account', async () => {
    const out = await signedIn();
    const signOut = (origin: string) =>
      management.send({
        ...{ method: 'POST', url: '/v1/auth/logout', body: {} },
        headers: { cookie: out.cookie, origin },
      });
    expect((await signOut('https://evil.example')).status).toBe(403);
    expect((await whoIs(out.cookie)).status).toBe(200);
    const left = await signOut(HOME);
    expect([left.status, pairOf(left, SESSION)]).toEqual([200, `${SESSION}=`]);
    expect((await whoIs(out.cookie)).status).toBe(401);

    const [suspended, removed] = [await signedIn(), await signedIn()];
    await database.use((queries) =>
      queries.updateTable('users').set({ active: false }).where('id', '=', suspended.id).execute(),
    );
    await database.use((queries) => queries.deleteFrom('users').where('id', '=', removed.id).execute());
    for (const { cookie } of [suspended, removed]) expect((await whoIs(cookie)).status).toBe(401);
  });

  test('of a person is one of at most twenty', async () => {
    const { id, cookie } = await signedIn();
    for (let i = 0; i < 20; i += 1) {
      nowMs += 1_000;
      const again = await begun();
      await comeBack(again.back, again.cookie);
    }
    expect((await whoIs(cookie)).status).toBe(401);
    const rows = await database.use((queries) =>
      queries.selectFrom('sessions').select('id_sha256').where('user_id', '=', id).execute(),
    );
    expect(rows).toHaveLength(20);
  });
});

describe('calls with a session', () => {
  const configs = (cookie: string, query = ''): Promise<RawAnswer> =>
    management.send({ url: `/v1/configs${query}`, headers: { cookie } });
  const write = (cookie: string, headers: Record<string, string>, body: object = {}): Promise<RawAnswer> =>
    management.send({
      ...{ method: 'POST', url: '/v1/configs', headers: { cookie, ...headers } },
      body: { name: 'One', config: { provider: '@main' }, ...body },
    });
  const join = async (namespace: string, user: string, role: string): Promise<void> => {
    const place = { kind: 'WorkspaceMember', namespace, name: `m-${user.slice(0, 8)}` } as const;
    await management.store.create(place, { spec: { user, role } }, { force: false });
  };

  test('of an owner are calls of the organisation', async () => {
    const { cookie } = await signedIn({ role: 'owner' });
    expect((await configs(cookie, '?workspace_id=team-a')).status).toBe(200);
    expect((await write(cookie, { origin: HOME }, { workspace_id: 'team-a' })).status).toBe(200);
  });

  test('of a member are those of the role in one workspace', async () => {
    const { id, cookie } = await signedIn();
    expect((await configs(cookie)).status).toBe(400);
    expect((await configs(cookie, '?workspace_id=team-a')).status).toBe(404);
    await join('team-a', id, 'member');
    expect((await configs(cookie)).status).toBe(200);
    expect((await configs(cookie, '?workspace_id=team-b')).status).toBe(404);
    expect((await write(cookie, { origin: HOME })).status).toBe(403);
    await join('team-b', id, 'manager');
    expect((await configs(cookie)).status).toBe(400);
    expect((await write(cookie, { origin: HOME }, { workspace_id: 'team-b' })).status).toBe(200);
    expect((await whoIs(cookie)).body['workspaces']).toMatchObject([
      { slug: 'team-a', role: 'member' },
      { slug: 'team-b', role: 'manager' },
    ]);
  });

  test('write only from a page of this host', async () => {
    const { cookie } = await signedIn({ role: 'owner' });
    const body = { workspace_id: 'team-a' };
    for (const headers of [{}, { origin: 'null' }, { origin: 'https://evil.example' }, { origin: `${HOME}.evil` }]) {
      expect((await write(cookie, headers, body)).status).toBe(403);
    }
  });

  test('add nothing to a key, and a made-up one is nobody', async () => {
    const { cookie } = await signedIn({ role: 'owner' });
    const both = await management.send({ url: '/v1/configs', headers: { cookie, 'x-gw-api-key': 'unknown' } });
    expect(both.status).toBe(401);
    for (const value of ['x'.repeat(43), '', 'short', `${'x'.repeat(5_000)}`]) {
      expect((await configs(`${SESSION}=${value}`)).status).toBe(401);
    }
  });
});

test('while the provider is away signing in is 503, sessions go on, and it is found again', async () => {
  const { cookie } = await signedIn();
  await management.close();
  management = await managementWith({}); // which knows nothing of the provider yet
  await provider.stop();
  try {
    expect(await management.send({ url: '/v1/auth/login' })).toMatchObject({
      status: 503,
      body: { message: 'The identity provider cannot be reached' },
    });
    expect(failures).toHaveLength(1);
    expect((await whoIs(cookie)).status).toBe(200);
  } finally {
    await provider.start();
  }
  expect((await management.send({ url: '/v1/auth/login' })).status).toBe(302);
});

test('a secret that the provider does not take is 503, and no text has it', async () => {
  await management.close();
  management = await managementWith({ clientSecret: 'another-secret-of-the-client' });
  const { back, cookie } = await begun();
  const answer = await comeBack(back, cookie);
  expect(answer.status).toBe(503);
  expect(failures).toHaveLength(1);
  expect(JSON.stringify(answer.body) + String(failures[0])).not.toContain('another-secret');
});

test('without an issuer nobody signs in', async () => {
  const plain = await createTestManagement([], { database });
  expect((await plain.send({ url: '/v1/auth/login' })).status).toBe(404);
  expect((await plain.send({ url: '/v1/configs', headers: { cookie: `${SESSION}=${'x'.repeat(43)}` } })).status).toBe(
    401,
  );
  await plain.close();
});

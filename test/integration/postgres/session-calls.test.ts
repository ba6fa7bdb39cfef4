/** What is known of a person who calls with a session, whatever becomes of the call. docs/behaviour/sign-in.md */
import { createHash } from 'node:crypto';
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type CallReport,
  createDatabase,
  createSignIn,
  type Database,
  parseSignIn,
  postgresDialect,
  toAuditRecord,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import { newUser } from '../../conformance/database/suite.ts';

const HOME = 'https://gateway.example';
const SESSION = 'a'.repeat(43);
const COOKIE = `__Host-gatehouse-session=${SESSION}`;
const UNKNOWN = `__Host-gatehouse-session=${'x'.repeat(43)}`;
const HUGE = { name: 'x'.repeat(2 * 1024 * 1024) };
const HOUR_MS = 3_600_000;

/** A member of the organisation, and of no workspace. */
const USER = newUser();
const reports: CallReport[] = [];

let server: PostgresServer;
let database: Database;
let management: TestManagement;
beforeAll(async () => {
  server = await startPostgres();
  database = createDatabase({
    dialect: unwrap(postgresDialect({ url: await server.database() })),
    onAway: () => undefined,
  });
  await database.use((queries) => queries.insertInto('users').values(USER).execute());
  const now = new Date();
  await database.use((queries) =>
    queries
      .insertInto('sessions')
      .values({
        ...{ id_sha256: createHash('sha256').update(SESSION).digest('hex'), user_id: USER.id },
        ...{ created_at: now, used_at: now, expires_at: new Date(now.getTime() + HOUR_MS) },
      })
      .execute(),
  );
  management = await managementWith({ perSecond: 1_000, burst: 1_000 });
});
afterAll(async () => {
  await management?.close();
  await database?.close();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(() => reports.splice(0));

async function managementWith(rates: { readonly perSecond: number; readonly burst: number }): Promise<TestManagement> {
  const settings = unwrap(
    parseSignIn({
      ...{ issuer: 'https://id.example', clientId: 'gatehouse', clientSecret: 'a-secret-of-the-client' },
      ...{ publicUrl: HOME, trustsEmails: false, sessionHours: 12, idleMinutes: 60 },
    }),
  );
  if (settings === undefined) throw new Error('no issuer');
  const signIn = createSignIn({ settings, database, now: Date.now, onAway: () => undefined });
  return createTestManagement(['configs'], { database, signIn, rates, onCall: (report) => reports.push(report) });
}

const records = () => reports.flatMap((report) => toAuditRecord(report, 0) ?? []);
const write = (cookie: string, body: object, to = management) =>
  to.send({ method: 'POST', url: '/v1/configs', headers: { cookie, origin: HOME }, body });

test('the operations are described to everybody who is signed in, and to nobody else', async () => {
  const document = await management.send({ url: '/v1/openapi.json', headers: { cookie: COOKIE } });
  expect([document.status, document.body['openapi']]).toEqual([200, '3.1.0']);
  for (const headers of [{ cookie: UNKNOWN }, {}, { cookie: COOKIE, 'x-gw-api-key': 'unknown' }]) {
    expect((await management.send({ url: '/v1/openapi.json', headers })).status).toBe(401);
  }
});

test('a write is on record with the person, also one whose body cannot be read, or that the person may not make', async () => {
  expect((await write(COOKIE, HUGE)).status).toBe(413);
  expect((await write(COOKIE, { workspace_id: 'team-a' })).status).toBe(404);
  const person = { operation: 'configs.create', actor_type: 'user', actor_id: USER.id, actor_user: USER.id };
  expect(records()).toMatchObject([
    { ...person, status: 413, workspace: null },
    { ...person, status: 404, workspace: null },
  ]);
});

test('a body that cannot be read is one of nobody where the session is not known', async () => {
  expect((await write(UNKNOWN, HUGE)).status).toBe(413);
  expect(records()).toMatchObject([{ actor_type: 'anonymous', actor_id: null, status: 413 }]);
});

test('bodies that cannot be read count as calls of the person, and too many leave no record', async () => {
  const busy = await managementWith({ perSecond: 0.001, burst: 2 });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await write(COOKIE, HUGE, busy)).status);
  expect(statuses).toEqual([413, 413, 429]);
  expect(records().map(({ status }) => status)).toEqual([413, 413]);
  await busy.close();
});

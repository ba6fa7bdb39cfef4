/** People sign in at a standalone process over the port of its gateway, at an identity provider over sockets. docs/behaviour/sign-in.md */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  OIDC_CLIENT as CLIENT,
  freePort,
  type IdentityProvider,
  startIdentityProvider,
  waitFor,
} from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN_KEY as ADMIN,
  addressOf,
  type ChildGatehouse,
  runGatehouse,
  startGatehouse,
  type TempFolder,
  tempFolder,
} from '../testing/index.ts';
import { callApi } from './testing.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const ADMIN_KEY = ADMIN.padEnd(32, '0');
const STARTING_MS = 240_000;

let provider: IdentityProvider;
let folder: TempFolder;
let child: ChildGatehouse;
let url: string;
beforeAll(async () => {
  provider = await startIdentityProvider();
  folder = tempFolder({
    'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
  });
  const port = await freePort(); // the redirect URI has the port, so it is known before the process starts
  url = `http://127.0.0.1:${port}`;
  const args = ['--resources', folder.path, '--port', String(port), '--admin-port', '0', '--data', dataFolder()];
  child = startGatehouse(['standalone', ...args], {
    ...{ GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_OIDC_ISSUER: provider.issuer, GATEHOUSE_PUBLIC_URL: url },
    ...{ GATEHOUSE_OIDC_CLIENT_ID: CLIENT.id, GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT.secret },
  });
  await addressOf(child);
});
afterAll(async () => {
  await child?.[Symbol.asyncDispose]();
  folder?.[Symbol.dispose]();
  await provider?.[Symbol.asyncDispose]();
});

const dataFolder = (): string => join(folder.path, '.data');
const hasDatabase = (): boolean => existsSync(join(dataFolder(), 'database'));

const browse = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, url), { headers, redirect: 'manual' });
const pairOf = (answer: Response, name: string): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.split(';')[0] ?? '';

/** From the first page to the way back; the provider leads the browser to the port of the gateway. */
async function signIn(): Promise<Response> {
  const login = await browse('/v1/auth/login?return_to=/console');
  expect(login.status, await login.clone().text()).toBe(302);
  const back = await provider.authorize(login.headers.get('location') ?? '');
  expect(back).toContain(`${url}/v1/auth/callback?`);
  return browse(back, { cookie: pairOf(login, 'gatehouse-login') });
}

describe('a person', () => {
  test('without an account does not get in, and starts no database', async () => {
    provider.claims = { sub: 'ada', email: 'ada@example.com', email_verified: true };
    expect((await signIn()).status).toBe(403);
    const made = { cookie: `gatehouse-session=${'x'.repeat(43)}` };
    expect((await browse('/v1/auth/session', made)).status).toBe(401);
    expect((await browse('/v1/configs?workspace_id=team-a', made)).status).toBe(401);
    expect(hasDatabase()).toBe(false);
  });

  test('with an account signs in, calls with the role there, and signs out', async () => {
    const admin = (path: string, body: object) => callApi(url, path, { method: 'POST', key: ADMIN_KEY, body });
    const invite = (email: string) =>
      admin('/admin/users/invites', { email, role: 'member', workspaces: [{ id: 'team-a', role: 'manager' }] });
    // The first call starts the database. On a busy machine the gateway gives up first, and the call goes on: the invitation is there then.
    await waitFor(async () => [200, 409].includes((await invite('first@example.com')).status), {
      what: 'the database',
      deadlineMs: STARTING_MS,
    });
    const invited = await invite('ada@example.com');
    expect(invited, JSON.stringify(invited.body)).toMatchObject({ status: 200 });
    const token = String(invited.body['invite_link']).split('#')[1] ?? '';
    const accepted = await admin('/admin/users/invites/accept', { token, first_name: 'Ada', last_name: 'L' });
    expect(accepted, JSON.stringify(accepted.body)).toMatchObject({ status: 200 });

    const back = await signIn();
    expect([back.status, back.headers.get('location')], await back.text()).toEqual([302, '/console']);
    const cookie = pairOf(back, 'gatehouse-session');
    const shown = await browse('/v1/auth/session', { cookie });
    expect(await shown.json()).toMatchObject({
      ...{ user: { email: 'ada@example.com', role: 'member' }, workspaces: [{ slug: 'team-a', role: 'manager' }] },
    });
    expect((await browse('/v1/openapi.json', { cookie })).status).toBe(200);
    const write = (origin: string): Promise<Response> =>
      fetch(`${url}/v1/configs`, {
        ...{ method: 'POST', headers: { cookie, origin, 'content-type': 'application/json' } },
        body: JSON.stringify({ name: 'One', slug: 'one', config: { retry: { attempts: 1 } } }),
      });
    expect((await write('https://evil.example')).status).toBe(403);
    expect((await write(url)).status).toBe(200);
    expect(existsSync(join(folder.path, 'team-a/gateway-config/one.yaml'))).toBe(true);

    const out = await fetch(`${url}/v1/auth/logout`, { method: 'POST', headers: { cookie, origin: url } });
    expect(out.status).toBe(200);
    expect((await browse('/v1/auth/session', { cookie })).status).toBe(401);
    expect(child.out + child.err).not.toContain(CLIENT.secret);
  });
});

test('a process does not start with settings that cannot be used, and repeats no secret', async () => {
  const args = ['--resources', folder.path, '--port', '0', '--admin-port', '0', '--data', join(folder.path, '.other')];
  const { status, err } = await runGatehouse(['standalone', ...args], {
    ...{ GATEHOUSE_OIDC_ISSUER: provider.issuer, GATEHOUSE_PUBLIC_URL: 'http://127.0.0.1:8787' },
    ...{ GATEHOUSE_OIDC_CLIENT_ID: CLIENT.id, GATEHOUSE_OIDC_CLIENT_SECRET: 'hunter2' },
  });
  expect([status, err]).toEqual([1, expect.stringContaining('client secret')]);
  expect(err).not.toContain('hunter2');
});

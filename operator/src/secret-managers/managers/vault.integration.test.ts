import { err, ok } from '@gatehouse/crds';
import { expect, test } from 'vitest';
import type { SecretFetch } from '../../translate/index.ts';
import { fetchSecret } from '../fetch-secret.ts';
import { contextOf, fetchOf, type SeenRequest, type StubAnswer, startStub } from '../testing.ts';

type Vault = NonNullable<SecretFetch['spec']['vault']>;

const VAULT: Vault = { address: 'https://vault.example.com:8200', mount: 'secret', engine: 'V2', authMethod: 'Token' };
const TOKEN = { token: 'hvs.canary' };

const vaultFetch = (vault: Partial<Vault> = {}, credentials: Readonly<Record<string, string>> = TOKEN) =>
  fetchOf({ manager: 'Vault', path: 'team a/openai', vault: { ...VAULT, ...vault } }, credentials);

const SECRET_V2 = { body: { data: { data: { key: 'sk-1', n: 2 }, metadata: { version: 3 } } } };

const brief = ({ method, url, headers, body }: SeenRequest) => ({
  ...{ method, url, body, host: headers.host },
  token: headers['x-vault-token'],
  namespace: headers['x-vault-namespace'],
  request: headers['x-vault-request'],
});

test('reads version 2 with a token', async ({ signal }) => {
  await using stub = await startStub(() => SECRET_V2);
  const read = await fetchSecret(vaultFetch({ namespace: 'ns/a' }), contextOf(stub, { signal }));
  expect(read).toEqual(ok({ kind: 'members', members: { key: 'sk-1', n: 2 } }));
  expect(stub.seen.map(brief)).toEqual([
    {
      ...{ method: 'GET', url: '/v1/secret/data/team%20a/openai', body: '', host: 'vault.example.com:8200' },
      ...{ token: 'hvs.canary', namespace: 'ns/a', request: 'true' },
    },
  ]);
});

test('reads version 1 below a path of the address', async ({ signal }) => {
  await using stub = await startStub(() => ({ body: { data: { key: 'sk-1' } } }));
  const read = await fetchSecret(
    vaultFetch({ engine: 'V1', mount: 'kv/old', address: 'https://vault.example.com/base/' }),
    contextOf(stub, { signal }),
  );
  expect(read).toEqual(ok({ kind: 'members', members: { key: 'sk-1' } }));
  expect(stub.seen.map(({ url }) => url)).toEqual(['/base/v1/kv/old/team%20a/openai']);
});

test('logs in with an AppRole, and revokes the token afterwards', async ({ signal }) => {
  await using stub = await startStub(({ url }) =>
    url.includes('/auth/approle/') ? { body: { auth: { client_token: 'hvs.login' } } } : SECRET_V2,
  );
  const credentials = { role_id: 'role', secret_id: 'canary' };
  const read = await fetchSecret(vaultFetch({ authMethod: 'AppRole' }, credentials), contextOf(stub, { signal }));
  expect(read.ok).toBe(true);
  expect(stub.seen.map(({ method, url, body, headers }) => [method, url, body, headers['x-vault-token']])).toEqual([
    ['POST', '/v1/auth/approle/login', '{"role_id":"role","secret_id":"canary"}', undefined],
    ['GET', '/v1/secret/data/team%20a/openai', '', 'hvs.login'],
    ['POST', '/v1/auth/token/revoke-self', '{}', 'hvs.login'],
  ]);
});

test("logs in with the operator's own token", async ({ signal }) => {
  await using stub = await startStub(({ url }) =>
    url.includes('/auth/') ? { body: { auth: { client_token: 'hvs.login' } } } : SECRET_V2,
  );
  const fetch = vaultFetch({ authMethod: 'Kubernetes', authMount: 'kubernetes/prod', role: 'gatehouse' }, {});
  const own = { vaultTokenFile: '/token', readText: async (file: string) => `${file}-jwt\n` };
  expect((await fetchSecret(fetch, contextOf(stub, { signal, ...own }))).ok).toBe(true);
  expect(stub.seen[0]).toMatchObject({
    url: '/v1/auth/kubernetes/prod/login',
    body: '{"role":"gatehouse","jwt":"/token-jwt"}',
  });
  const without = { readText: async () => Promise.reject(new Error('boom')) };
  expect(await fetchSecret(fetch, contextOf(stub, { signal, ...without }))).toEqual(err('NoIdentity'));
});

test.for<[string, StubAnswer, string]>([
  ['denied', { status: 403, body: { errors: ['permission denied: canary'] } }, 'Denied'],
  ['absent', { status: 404, body: { errors: [] } }, 'NotFound'],
  ['throttled', { status: 429 }, 'Throttled'],
  ['sealed', { status: 503, body: { errors: ['Vault is sealed'] } }, 'Failed'],
  ['a redirect, which is not followed', { status: 307, headers: { location: '/v1/elsewhere' } }, 'Failed'],
  ['no JSON', { body: '{"data":' }, 'Malformed'],
  ['no data', { body: { data: null } }, 'Malformed'],
  ['a list', { body: { data: { data: ['canary'] } } }, 'Malformed'],
  ['an endless answer', { body: 'x'.repeat(4_000) }, 'TooLarge'],
  ['silence', { hangs: true }, 'TimedOut'],
])('says what is wrong: %s', async ([, answer, problem], { signal }) => {
  await using stub = await startStub(() => answer);
  const context = contextOf(stub, { signal, timeoutMs: answer.hangs ? 1_000 : 60_000, maxBytes: 2_000 });
  expect(await fetchSecret(vaultFetch(), context)).toEqual(err(problem));
  expect(stub.seen).toHaveLength(1);
});

test.for([400, 403, 404])('a login answered with %i is denied', async (status, { signal }) => {
  await using stub = await startStub(() => ({ status }));
  const fetch = vaultFetch({ authMethod: 'AppRole' }, { role_id: 'role', secret_id: 'canary' });
  expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(err('Denied'));
});

test('a token that no header can carry is not sent', async ({ signal }) => {
  await using stub = await startStub(() => SECRET_V2);
  expect(await fetchSecret(vaultFetch({}, { token: 'a\r\nb: c' }), contextOf(stub, { signal }))).toEqual(
    err('BadCredential'),
  );
  expect(stub.seen).toEqual([]);
});

test('a server that is away cannot be reached', async ({ signal }) => {
  const stub = await startStub(() => SECRET_V2);
  await stub[Symbol.asyncDispose]();
  expect(await fetchSecret(vaultFetch(), contextOf(stub, { signal }))).toEqual(err('Unreachable'));
});

import { err, ok } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import type { SecretFetch } from '../../translate/index.ts';
import { fetchSecret } from '../fetch-secret.ts';
import { contextOf, fetchOf, type SeenRequest, type StubAnswer, startStub } from '../testing.ts';

type Azure = NonNullable<SecretFetch['spec']['azure']>;

const TENANT = '11111111-2222-3333-4444-555555555555';
const CLIENT = '66666666-7777-8888-9999-000000000000';
const APPLICATION = { authMethod: 'ClientSecret', tenantId: TENANT, clientId: CLIENT } as const;
const SECRET = { client_secret: 'canary~secret' };

const azureFetch = (azure: Partial<Azure> = APPLICATION, credentials: Readonly<Record<string, string>> = SECRET) =>
  fetchOf(
    {
      manager: 'AzureKeyVault',
      path: 'openai-key',
      azure: { vaultUrl: 'https://team-a.vault.azure.net/', authMethod: 'OwnIdentity', ...azure },
    },
    credentials,
  );

const isToken = ({ url }: SeenRequest): boolean => url.includes('/token');
const answerWith =
  (secret: StubAnswer, token: StubAnswer = { body: { access_token: 'azure.token', expires_in: 3599 } }) =>
  (request: SeenRequest): StubAnswer =>
    isToken(request) ? token : secret;
const VALUE = { body: { value: 'sk-1', id: 'https://team-a.vault.azure.net/secrets/openai-key/1' } };

test('reads a secret with the credentials of an application', async ({ signal }) => {
  await using stub = await startStub(answerWith(VALUE));
  expect(await fetchSecret(azureFetch(), contextOf(stub, { signal }))).toEqual(ok({ kind: 'text', text: 'sk-1' }));
  const [token, secret] = stub.seen;
  expect(token).toMatchObject({
    ...{ method: 'POST', url: `/${TENANT}/oauth2/v2.0/token` },
    headers: { host: 'login.microsoftonline.com', 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
    ...{ grant_type: 'client_credentials', client_id: CLIENT, client_secret: 'canary~secret' },
    scope: 'https://vault.azure.net/.default',
  });
  expect(secret).toMatchObject({
    ...{ method: 'GET', url: '/secrets/openai-key?api-version=7.4' },
    headers: { host: 'team-a.vault.azure.net', authorization: 'Bearer azure.token' },
  });
});

test('a vault of another cloud takes tokens of that cloud', async ({ signal }) => {
  await using stub = await startStub(answerWith(VALUE));
  const fetch = azureFetch({ ...APPLICATION, vaultUrl: 'https://team-a.vault.usgovcloudapi.net' });
  expect((await fetchSecret(fetch, contextOf(stub, { signal }))).ok).toBe(true);
  expect(stub.seen.map(({ headers }) => headers.host)).toEqual([
    'login.microsoftonline.us',
    'team-a.vault.usgovcloudapi.net',
  ]);
  expect(new URLSearchParams(stub.seen[0]?.body).get('scope')).toBe('https://vault.usgovcloudapi.net/.default');
});

describe("with the operator's own identity", () => {
  test('of its workload', async ({ signal }) => {
    await using stub = await startStub(answerWith(VALUE));
    const variables = { AZURE_TENANT_ID: TENANT, AZURE_CLIENT_ID: CLIENT, AZURE_FEDERATED_TOKEN_FILE: '/federated' };
    const context = contextOf(stub, { signal, variables, readText: async (file) => `jwt of ${file}\n` });
    expect(await fetchSecret(azureFetch({}, {}), context)).toEqual(ok({ kind: 'text', text: 'sk-1' }));
    expect(Object.fromEntries(new URLSearchParams(stub.seen[0]?.body))).toMatchObject({
      client_assertion: 'jwt of /federated',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
  });

  test('of its machine', async ({ signal }) => {
    await using stub = await startStub(answerWith(VALUE));
    expect((await fetchSecret(azureFetch({}, {}), contextOf(stub, { signal }))).ok).toBe(true);
    expect(stub.seen[0]).toMatchObject({
      url: '/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fvault.azure.net',
      headers: { host: '169.254.169.254', metadata: 'true' },
    });
  });

  test('that it does not have', async ({ signal }) => {
    await using stub = await startStub(answerWith(VALUE, { status: 400 }));
    expect(await fetchSecret(azureFetch({}, {}), contextOf(stub, { signal }))).toEqual(err('NoIdentity'));
  });
});

test.for<[string, StubAnswer, string]>([
  ['denied', { status: 403, body: { error: { message: 'canary' } } }, 'Denied'],
  ['absent', { status: 404 }, 'NotFound'],
  ['throttled', { status: 429 }, 'Throttled'],
  ['503', { status: 503 }, 'Failed'],
  ['a redirect, which is not followed', { status: 302, headers: { location: '/secrets/other' } }, 'Failed'],
  ['no JSON', { body: 'canary' }, 'Malformed'],
  ['no value', { body: { value: null } }, 'Malformed'],
  ['an endless answer', { body: 'x'.repeat(4_000) }, 'TooLarge'],
  ['silence', { hangs: true }, 'TimedOut'],
])('says what is wrong: %s', async ([, answer, problem], { signal }) => {
  await using stub = await startStub(answerWith(answer));
  const context = contextOf(stub, { signal, timeoutMs: answer.hangs ? 200 : 60_000, maxBytes: 2_000 });
  expect(await fetchSecret(azureFetch(), context)).toEqual(err(problem));
});

test.for<[string, StubAnswer, string]>([
  ['a wrong tenant', { status: 400 }, 'Denied'],
  ['a wrong secret', { status: 401 }, 'Denied'],
  ['no token', { body: {} }, 'Malformed'],
  ['a token that no header can carry', { body: { access_token: 'a\nb' } }, 'Malformed'],
])('says what is wrong with the token: %s', async ([, token, problem], { signal }) => {
  await using stub = await startStub(answerWith(VALUE, token));
  expect(await fetchSecret(azureFetch(), contextOf(stub, { signal }))).toEqual(err(problem));
  expect(stub.seen).toHaveLength(1);
});

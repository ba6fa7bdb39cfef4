import { generateKeyPairSync } from 'node:crypto';
import { err, ok } from '@gatehouse/crds';
import { jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import type { SecretFetch } from '../../translate/index.ts';
import { fetchSecret } from '../fetch-secret.ts';
import { contextOf, fetchOf, type SeenRequest, type StubAnswer, startStub } from '../testing.ts';

type Gcp = NonNullable<SecretFetch['spec']['gcp']>;

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = {
  type: 'service_account',
  client_email: 'reader@acme.iam.gserviceaccount.com',
  private_key_id: 'key-1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  token_uri: 'https://attacker.example/token',
};
const CREDENTIALS = { service_account_json: JSON.stringify(KEY) };

const gcpFetch = (gcp: Partial<Gcp> = {}, credentials: Readonly<Record<string, string>> = CREDENTIALS) =>
  fetchOf(
    {
      manager: 'GcpSecretManager',
      path: 'openai_key',
      gcp: { project: 'acme-prod', authMethod: 'ServiceAccountKey', version: 'latest', ...gcp },
    },
    credentials,
  );

const answerWith =
  (secret: StubAnswer, token: StubAnswer = { body: { access_token: 'ya29.token', expires_in: 3599 } }) =>
  ({ url }: SeenRequest): StubAnswer =>
    url.includes('/token') ? token : secret;
const VALUE = { body: { payload: { data: Buffer.from('sk-1').toString('base64') } } };

test('reads a secret with the key of a service account', async ({ signal }) => {
  await using stub = await startStub(answerWith(VALUE));
  expect(await fetchSecret(gcpFetch(), contextOf(stub, { signal }))).toEqual(ok({ kind: 'text', text: 'sk-1' }));
  const [token, secret] = stub.seen;
  expect(token).toMatchObject({ method: 'POST', url: '/token', headers: { host: 'oauth2.googleapis.com' } });
  const form = new URLSearchParams(token?.body);
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
    ...{ algorithms: ['RS256'], audience: 'https://oauth2.googleapis.com/token', issuer: KEY.client_email },
  });
  expect(protectedHeader.kid).toBe('key-1');
  expect(payload['scope']).toBe('https://www.googleapis.com/auth/cloud-platform');
  expect(secret).toMatchObject({
    ...{ method: 'GET', url: '/v1/projects/acme-prod/secrets/openai_key/versions/latest:access' },
    headers: { host: 'secretmanager.googleapis.com', authorization: 'Bearer ya29.token' },
  });
});

describe("with the operator's own identity", () => {
  test('of its workload', async ({ signal }) => {
    await using stub = await startStub(answerWith(VALUE));
    const fetch = gcpFetch({ authMethod: 'OwnIdentity', version: '7' }, {});
    expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(ok({ kind: 'text', text: 'sk-1' }));
    expect(stub.seen[0]).toMatchObject({
      url: '/computeMetadata/v1/instance/service-accounts/default/token',
      headers: { host: 'metadata.google.internal', 'metadata-flavor': 'Google' },
    });
    expect(stub.seen[1]?.url).toContain('/versions/7:access');
  });

  test('that it does not have', async ({ signal }) => {
    await using stub = await startStub(answerWith(VALUE, { status: 404 }));
    const fetch = gcpFetch({ authMethod: 'OwnIdentity' }, {});
    expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(err('NoIdentity'));
  });
});

test.for<[string, StubAnswer, string]>([
  ['denied', { status: 403, body: { error: { message: 'canary' } } }, 'Denied'],
  ['absent', { status: 404 }, 'NotFound'],
  ['throttled', { status: 429 }, 'Throttled'],
  ['500', { status: 500 }, 'Failed'],
  ['no JSON', { body: 'canary' }, 'Malformed'],
  ['no value', { body: { payload: {} } }, 'Malformed'],
  ['an endless answer', { body: 'x'.repeat(4_000) }, 'TooLarge'],
  ['silence', { hangs: true }, 'TimedOut'],
])('says what is wrong: %s', async ([, answer, problem], { signal }) => {
  await using stub = await startStub(answerWith(answer));
  const context = contextOf(stub, { signal, timeoutMs: answer.hangs ? 200 : 60_000, maxBytes: 2_000 });
  expect(await fetchSecret(gcpFetch(), context)).toEqual(err(problem));
});

test.for(['canary', '{}', JSON.stringify({ client_email: 'a', private_key: 'canary' })])(
  'a key that is none is not sent: %s',
  async (json, { signal }) => {
    await using stub = await startStub(answerWith(VALUE));
    const fetch = gcpFetch({}, { service_account_json: json });
    expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(err('BadCredential'));
    expect(stub.seen).toEqual([]);
  },
);

test('a key that is refused', async ({ signal }) => {
  await using stub = await startStub(answerWith(VALUE, { status: 400, body: { error: 'invalid_grant' } }));
  expect(await fetchSecret(gcpFetch(), contextOf(stub, { signal }))).toEqual(err('Denied'));
});

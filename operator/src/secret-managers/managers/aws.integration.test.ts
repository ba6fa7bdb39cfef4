import { createHash, createHmac } from 'node:crypto';
import { err, ok } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import type { SecretFetch } from '../../translate/index.ts';
import { fetchSecret } from '../fetch-secret.ts';
import { contextOf, fetchOf, type SeenRequest, type StubAnswer, startStub } from '../testing.ts';

type Aws = NonNullable<SecretFetch['spec']['aws']>;

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const KEYS = { aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: 'canary/secret+key' };

const awsFetch = (aws: Partial<Aws> = {}, credentials: Readonly<Record<string, string>> = KEYS) =>
  fetchOf(
    {
      manager: 'AwsSecretsManager',
      path: 'team-a/openai',
      aws: { region: 'eu-central-1', authMethod: 'AccessKey', ...aws },
    },
    credentials,
  );

const ROLE_XML =
  '<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA1</AccessKeyId>' +
  '<SecretAccessKey>role+secret</SecretAccessKey><SessionToken>role/token==</SessionToken>' +
  '<Expiration>2026-01-02T04:04:05Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>';

const isSts = ({ headers }: SeenRequest): boolean => headers.host?.startsWith('sts.') === true;

/** Signature Version 4, computed from what arrived. */
function isSigned(request: SeenRequest, secretKey: string): boolean {
  const { method, headers, body } = request;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(([^/]+)\/([^/]+)\/([^/]+)\/aws4_request), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  const [, , scope = '', date = '', region = '', service = '', names = '', signature] = match ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, '/', '', lines.join(''), names, hash(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const key = [region, service, 'aws4_request'].reduce(
    (last, part) => hmac(last, part),
    hmac(`AWS4${secretKey}`, date),
  );
  return names.split(';').includes('host') && hmac(key, toSign).toString('hex') === signature;
}

test('reads a secret with a signed call', async ({ signal }) => {
  await using stub = await startStub(() => ({ body: { SecretString: '{"key":"sk-1"}', VersionId: '1' } }));
  const read = await fetchSecret(awsFetch(), contextOf(stub, { signal, nowMs: NOW_MS }));
  expect(read).toEqual(ok({ kind: 'text', text: '{"key":"sk-1"}' }));
  expect(stub.seen).toHaveLength(1);
  const [request] = stub.seen;
  expect(request).toMatchObject({
    method: 'POST',
    url: '/',
    body: '{"SecretId":"team-a/openai"}',
    headers: {
      host: 'secretsmanager.eu-central-1.amazonaws.com',
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
      'x-amz-date': '20260102T030405Z',
    },
  });
  expect(request && isSigned(request, KEYS.aws_secret_access_key)).toBe(true);
  expect(request && isSigned(request, 'another key')).toBe(false);
});

test('reads a binary secret in China with a session token', async ({ signal }) => {
  await using stub = await startStub(() => ({ body: { SecretBinary: Buffer.from('sk-2').toString('base64') } }));
  const fetch = awsFetch({ region: 'cn-north-1' }, { ...KEYS, aws_session_token: 'session/token==' });
  expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(ok({ kind: 'text', text: 'sk-2' }));
  expect(stub.seen[0]?.headers).toMatchObject({
    host: 'secretsmanager.cn-north-1.amazonaws.com.cn',
    'x-amz-security-token': 'session/token==',
  });
});

test('assumes a role with its external id, and uses its credentials', async ({ signal }) => {
  await using stub = await startStub((request) =>
    isSts(request) ? { body: ROLE_XML, headers: { 'content-type': 'text/xml' } } : { body: { SecretString: 'sk-3' } },
  );
  const fetch = awsFetch({ roleArn: 'arn:aws:iam::123456789012:role/reader', externalId: 'ext-1' });
  expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(ok({ kind: 'text', text: 'sk-3' }));
  const [role, secret] = stub.seen;
  expect(Object.fromEntries(new URLSearchParams(role?.body))).toEqual({
    ...{ Action: 'AssumeRole', Version: '2011-06-15', RoleSessionName: 'gatehouse-operator' },
    ...{ RoleArn: 'arn:aws:iam::123456789012:role/reader', ExternalId: 'ext-1' },
  });
  expect(role && isSigned(role, KEYS.aws_secret_access_key)).toBe(true);
  expect(secret?.headers['x-amz-security-token']).toBe('role/token==');
  expect(secret && isSigned(secret, 'role+secret')).toBe(true);
});

test('roles are assumed at the token service of the deployment, by keys and by its own identity', async ({
  signal,
}) => {
  await using stub = await startStub(({ headers }) =>
    headers.host === 'tokens:8443' ? { body: ROLE_XML } : { body: { SecretString: 'sk' } },
  );
  const variables = {
    ...{ AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/own', AWS_WEB_IDENTITY_TOKEN_FILE: '/web' },
    AWS_ENDPOINT_URL_STS: 'https://tokens:8443/',
  };
  const context = contextOf(stub, { signal, variables, readText: async () => 'token' });
  const roleArn = 'arn:aws:iam::123456789012:role/reader';
  expect(await fetchSecret(awsFetch({ roleArn }), context)).toMatchObject({ ok: true });
  expect(await fetchSecret(awsFetch({ roleArn, authMethod: 'OwnIdentity' }, {}), context)).toMatchObject({ ok: true });
  const secrets = 'secretsmanager.eu-central-1.amazonaws.com';
  expect(stub.seen.map(({ headers }) => headers.host)).toEqual([
    ...['tokens:8443', secrets],
    ...['tokens:8443', 'tokens:8443', secrets],
  ]);
});

describe("with the operator's own identity", () => {
  const own = (variables: Record<string, string>) => ({
    variables,
    readText: async (file: string) => `text of ${file}`,
  });

  test('of a web identity', async ({ signal }) => {
    await using stub = await startStub((request) =>
      isSts(request) ? { body: ROLE_XML } : { body: { SecretString: 'sk' } },
    );
    const variables = { AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/own', AWS_WEB_IDENTITY_TOKEN_FILE: '/web' };
    const read = await fetchSecret(
      awsFetch({ authMethod: 'OwnIdentity' }, {}),
      contextOf(stub, { signal, ...own(variables) }),
    );
    expect(read).toEqual(ok({ kind: 'text', text: 'sk' }));
    const [role, secret] = stub.seen;
    expect(role?.headers.authorization).toBeUndefined();
    expect(new URLSearchParams(role?.body).get('WebIdentityToken')).toBe('text of /web');
    expect(secret && isSigned(secret, 'role+secret')).toBe(true);
  });

  test('of an agent on the node', async ({ signal }) => {
    await using stub = await startStub(({ url }) =>
      url === '/v1/credentials'
        ? { body: { AccessKeyId: 'ASIA2', SecretAccessKey: 'agent secret', Token: 'agent-token' } }
        : { body: { SecretString: 'sk' } },
    );
    const variables = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/agent',
    };
    const fetch = awsFetch({ authMethod: 'OwnIdentity' }, {});
    expect(await fetchSecret(fetch, contextOf(stub, { signal, ...own(variables) }))).toEqual(
      ok({ kind: 'text', text: 'sk' }),
    );
    expect(stub.seen[0]?.headers.authorization).toBe('text of /agent');
    expect(stub.seen[1] && isSigned(stub.seen[1], 'agent secret')).toBe(true);
  });

  test.for([
    {},
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://elsewhere.example/', AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/a' },
  ])('that it does not have: %j', async (variables, { signal }) => {
    await using stub = await startStub(() => ({}));
    const fetch = awsFetch({ authMethod: 'OwnIdentity' }, {});
    expect(await fetchSecret(fetch, contextOf(stub, { signal, ...own(variables as Record<string, string>) }))).toEqual(
      err('NoIdentity'),
    );
    expect(stub.seen).toEqual([]);
  });
});

const failure = (type: string, status = 400): StubAnswer => ({ status, body: { __type: type, Message: 'canary' } });

test.for<[string, StubAnswer, string]>([
  ['absent', failure('ResourceNotFoundException'), 'NotFound'],
  ['absent, with a namespace', failure('com.amazonaws#ResourceNotFoundException'), 'NotFound'],
  ['denied', failure('AccessDeniedException'), 'Denied'],
  ['a wrong key', failure('UnrecognizedClientException'), 'Denied'],
  ['throttled', failure('ThrottlingException'), 'Throttled'],
  ['marked for deletion', failure('InvalidRequestException'), 'Failed'],
  ['a bare 403', { status: 403, body: '<html>' }, 'Denied'],
  ['a bare 404', { status: 404 }, 'NotFound'],
  ['429', { status: 429 }, 'Throttled'],
  ['500', failure('InternalServiceError', 500), 'Failed'],
  ['no JSON', { body: 'canary' }, 'Malformed'],
  ['no value', { body: { Name: 'team-a/openai' } }, 'Malformed'],
  ['an endless answer', { body: 'x'.repeat(4_000) }, 'TooLarge'],
  ['silence', { hangs: true }, 'TimedOut'],
])('says what is wrong: %s', async ([, answer, problem], { signal }) => {
  await using stub = await startStub(() => answer);
  const context = contextOf(stub, { signal, timeoutMs: answer.hangs ? 100 : 60_000, maxBytes: 2_000 });
  expect(await fetchSecret(awsFetch(), context)).toEqual(err(problem));
});

test('a role that is refused, and one without credentials', async ({ signal }) => {
  await using stub = await startStub(() => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }));
  const fetch = awsFetch({ roleArn: 'arn:aws:iam::123456789012:role/reader' });
  expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(err('Denied'));
  stub.answer = () => ({ body: '<AssumeRoleResponse/>' });
  expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(err('Malformed'));
});

test('keys that no header can carry are not sent', async ({ signal }) => {
  await using stub = await startStub(() => ({}));
  const fetch = awsFetch({}, { ...KEYS, aws_access_key_id: 'AKID\r\nx: y' });
  expect(await fetchSecret(fetch, contextOf(stub, { signal }))).toEqual(err('BadCredential'));
  expect(stub.seen).toEqual([]);
});

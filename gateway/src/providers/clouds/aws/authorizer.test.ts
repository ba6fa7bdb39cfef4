import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import { cancelledBy } from '../../../lib/testing.ts';
import type { Call, OutgoingRequest, ProviderServices, SideAnswer, SideRequest } from '../../contract.ts';
import { authorizedFetch, awsBaseUrl, awsSigV4 } from './index.ts';
import { parseIni } from './shared-files.ts';

const NOW = 1_760_000_000_000;
const SECRETS = new Set(['api_key', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']);
type Values = Readonly<Record<string, string>>;

const call = (fields: Values, over: Partial<Call> = {}): Call => ({
  provider: 'bedrock',
  model: 'm',
  ownIdentity: true,
  strict: true,
  params: {},
  operation: 'chatComplete',
  endpoint: 'chatComplete',
  stream: false,
  path: '/',
  query: '',
  route: {},
  now: () => NOW,
  newId: (prefix) => prefix,
  header: () => undefined,
  fields: {
    text: (key) => (SECRETS.has(key) ? undefined : fields[key]),
    secret: (key) => (SECRETS.has(key) && fields[key] !== undefined ? new Secret(fields[key]) : undefined),
  },
  ...over,
});

const request = (origin = 'https://bedrock-runtime.us-east-1.amazonaws.com'): OutgoingRequest => ({
  method: 'POST',
  origin,
  path: '/model/m/converse',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});

const xml = (keyId: string, expiration = '2030-01-01T00:00:00Z'): string =>
  `<AssumeRoleResponse><Credentials><AccessKeyId>${keyId}</AccessKeyId><SecretAccessKey>s-${keyId}</SecretAccessKey>` +
  `<SessionToken>t-${keyId}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResponse>`;

const json = (keyId: string, more: object = {}): string =>
  JSON.stringify({
    AccessKeyId: keyId,
    SecretAccessKey: `s-${keyId}`,
    Token: `t-${keyId}`,
    Expiration: '2030-01-01T00:00:00Z',
    ...more,
  });

type Reply = string | { readonly status: number; readonly text: string } | Error;

interface World {
  readonly services: ProviderServices;
  readonly calls: SideRequest[];
  readonly ttls: number[];
}

/** Services over scripted answers by URL prefix, with a cache that never forgets. */
function world(env: Values, replies: Readonly<Record<string, Reply>> = {}): World {
  const calls: SideRequest[] = [];
  const ttls: number[] = [];
  const cache = new Map<string, Promise<unknown>>();
  const services: ProviderServices = {
    now: () => NOW,
    env: (name) => ({ AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_CONFIG_FILE: '/nowhere', ...env })[name],
    async fetch(side) {
      calls.push(side);
      const reply = Object.entries(replies)
        .filter(([prefix]) => `${side.method} ${side.url}`.startsWith(prefix))
        .sort(([a], [b]) => b.length - a.length)[0]?.[1];
      if (reply === undefined || reply instanceof Error) throw reply ?? new AppError('UPSTREAM_UNREACHABLE');
      const { status, text } = typeof reply === 'string' ? { status: 200, text: reply } : reply;
      return { status, headers: {}, body: Buffer.from(text) } satisfies SideAnswer;
    },
    cached: <T>(key: string, make: () => Promise<{ value: T; ttlMs: number }>) => {
      const known = cache.get(key);
      if (known !== undefined) return known as Promise<T>; // one type per key
      const made = make().then(({ value, ttlMs }) => {
        ttls.push(ttlMs);
        return value;
      });
      cache.set(key, made);
      return made;
    },
  };
  return { services, calls, ttls };
}

const authorizer = awsSigV4({ service: 'bedrock' });
const signal = (): CancelSignal => new Cancellation();

async function apply(fields: Values, { services }: World, outgoing = request()): Promise<OutgoingRequest> {
  await authorizer.apply(outgoing, call(fields), { services, signal: signal() });
  return outgoing;
}

const signer = ({ headers }: OutgoingRequest): string | undefined =>
  /Credential=([^/]+)\//.exec(headers['authorization'] ?? '')?.[1];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aws-'));
  await writeFile(join(folder, 'token'), 'web-token\n');
  await writeFile(
    join(folder, 'credentials'),
    '[default]\naws_access_key_id = FILEDEFAULT\naws_secret_access_key=x\n\n[work]\naws_access_key_id=FILEWORK\naws_secret_access_key=y\n',
  );
  await writeFile(join(folder, 'config'), '[profile cfg]\naws_access_key_id=CONFIG\naws_secret_access_key=z=1\n');
});
afterAll(() => rm(folder, { recursive: true }));

describe('the credential modes', () => {
  test('static keys sign with their session token', async () => {
    const signed = await apply(
      { aws_access_key_id: 'AKID', aws_secret_access_key: 'sk', aws_session_token: 'st', aws_region: 'eu-west-1' },
      world({}),
    );
    expect(signer(signed)).toBe('AKID');
    expect(signed.headers['authorization']).toContain('/eu-west-1/bedrock/aws4_request');
    expect(signed.headers['x-amz-security-token']).toBe('st');
  });

  test.for([
    { rule: 'by its mode', fields: { aws_auth_type: 'apiKey', api_key: 'k' } },
    { rule: 'alone', fields: { api_key: 'k' } },
  ])('an API key $rule is a bearer token and nothing is signed', async ({ fields }) => {
    const signed = await apply(fields, world({}));
    expect(signed.headers).toMatchObject({ authorization: 'Bearer k' });
    expect(signed.headers).not.toHaveProperty('x-amz-date');
  });

  test.for([
    { fields: {}, param: 'aws_access_key_id' },
    { fields: { aws_access_key_id: 'a' }, param: 'aws_secret_access_key' },
    { fields: { aws_auth_type: 'apiKey' }, param: 'api_key' },
    { fields: { aws_auth_type: 'assumedRole' }, param: 'aws_role_arn' },
  ])('name the field that is missing: $param', async ({ fields, param }) => {
    await expect(apply(fields, world({}))).rejects.toMatchObject({ code: 'PROVIDER_FIELD_MISSING', param });
  });

  test('a region that is not a name is refused', async () => {
    const fields = { aws_access_key_id: 'a', aws_secret_access_key: 'b', aws_region: 'x.evil.example/' };
    await expect(apply(fields, world({}))).rejects.toMatchObject({ code: 'PARAMETER_INVALID', param: 'aws_region' });
    expect(() => awsBaseUrl('bedrock', call(fields))).toThrow(expect.objectContaining({ param: 'aws_region' }));
  });
});

describe('the place of a call', () => {
  const keys = { aws_access_key_id: 'a', aws_secret_access_key: 'b' };

  test.for([
    { rule: 'stays without settings', fields: keys, env: {}, want: 'bedrock-runtime.us-east-1.amazonaws.com' },
    {
      rule: 'takes the domain of the partition',
      fields: keys,
      env: { AWS_ENDPOINT_DOMAIN: 'amazonaws.com.cn' },
      want: 'bedrock-runtime.us-east-1.amazonaws.com.cn',
    },
    {
      rule: 'takes the region of the environment with the identity of the machine',
      fields: { aws_auth_type: 'serviceRole' },
      env: { AWS_REGION: 'eu-north-1', AWS_ACCESS_KEY_ID: 'e', AWS_SECRET_ACCESS_KEY: 'f' },
      want: 'bedrock-runtime.eu-north-1.amazonaws.com',
    },
    {
      rule: 'keeps the default region with keys of its own',
      fields: keys,
      env: { AWS_REGION: 'eu-north-1' },
      want: 'bedrock-runtime.us-east-1.amazonaws.com',
    },
  ])('$rule', async ({ fields, env, want }) => {
    const outgoing = request(awsBaseUrl('bedrock-runtime', call(fields)));
    const signed = await apply(fields, world(env), outgoing);
    expect(signed.origin).toBe(`https://${want}`);
    expect(signed.headers['host']).toBe(want);
  });

  test('of a custom host is left alone', async () => {
    const outgoing = request('http://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com:8443');
    const signed = await apply(keys, world({ AWS_ENDPOINT_DOMAIN: 'amazonaws.com.cn' }), outgoing);
    expect(signed.headers['host']).toBe('vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com:8443');
  });
});

describe('the identity of the gateway', () => {
  const service = { aws_auth_type: 'serviceRole' };
  const sts = 'POST https://sts.us-east-1.amazonaws.com/';
  const imds = 'http://169.254.169.254/latest';

  test.for([
    {
      step: 'the dedicated keys',
      env: {
        AWS_ASSUME_ROLE_ACCESS_KEY_ID: 'BASE',
        AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: 's',
        AWS_ACCESS_KEY_ID: 'E',
        AWS_SECRET_ACCESS_KEY: 's',
      },
      replies: {},
      want: 'BASE',
    },
    {
      step: 'the environment',
      env: { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 's' },
      replies: {},
      want: 'ENV',
    },
    {
      step: 'the credentials file',
      env: { AWS_SHARED_CREDENTIALS_FILE: '@/credentials' },
      replies: {},
      want: 'FILEDEFAULT',
    },
    {
      step: 'a profile of the file',
      env: { AWS_SHARED_CREDENTIALS_FILE: '@/credentials', AWS_PROFILE: 'work' },
      replies: {},
      want: 'FILEWORK',
    },
    { step: 'the config file', env: { AWS_CONFIG_FILE: '@/config', AWS_PROFILE: 'cfg' }, replies: {}, want: 'CONFIG' },
    {
      step: 'a web identity',
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: '@/token', AWS_ROLE_ARN: 'arn:r' },
      replies: { [sts]: xml('WEB') },
      want: 'WEB',
    },
    {
      step: 'pod identity',
      env: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '@/token',
      },
      replies: { 'GET http://169.254.170.23/v1/credentials': json('POD') },
      want: 'POD',
    },
    {
      step: 'the container',
      env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x' },
      replies: { 'GET http://169.254.170.2/v2/x': json('TASK') },
      want: 'TASK',
    },
    {
      step: 'the virtual machine',
      env: {},
      replies: {
        [`PUT ${imds}/api/token`]: 'imds-token',
        [`GET ${imds}/meta-data/iam/security-credentials/`]: 'role-1\n',
        [`GET ${imds}/meta-data/iam/security-credentials/role-1`]: json('VM'),
      },
      want: 'VM',
    },
    {
      step: 'the older metadata service where it is allowed',
      env: { AWS_IMDS_V1: 'true' },
      replies: {
        [`PUT ${imds}/api/token`]: { status: 403, text: '' },
        [`GET ${imds}/meta-data/iam/security-credentials/`]: 'role-1',
        [`GET ${imds}/meta-data/iam/security-credentials/role-1`]: json('VM1'),
      },
      want: 'VM1',
    },
  ])('comes from $step', async ({ env, replies, want }) => {
    const here = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, String(value).replace('@', folder)]),
    );
    expect(signer(await apply(service, world(here, replies)))).toBe(want);
  });

  test.for([
    { rule: 'nothing gives credentials', env: {}, replies: {} },
    { rule: 'metadata is switched off', env: { AWS_EC2_METADATA_DISABLED: 'true' }, replies: {} },
    { rule: 'the old metadata service is not allowed', env: {}, replies: { [`GET ${imds}`]: 'role-1' } },
    {
      rule: 'the token file is gone',
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/gone', AWS_ROLE_ARN: 'arn:r' },
      replies: {},
    },
    {
      rule: 'the container endpoint refuses',
      env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      replies: { 'GET http://169.254.170.2/x': { status: 500, text: '' } },
    },
    {
      rule: 'the container endpoint talks nonsense',
      env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      replies: { 'GET http://169.254.170.2/x': '<html>' },
    },
    {
      rule: 'the partition is not a domain',
      env: { AWS_ENDPOINT_DOMAIN: 'a/b', AWS_ACCESS_KEY_ID: 'E', AWS_SECRET_ACCESS_KEY: 's' },
      replies: {},
    },
  ])('is an error when $rule', async ({ env, replies }) => {
    await expect(apply(service, world(env, replies))).rejects.toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
  });

  test('sends the tokens that the metadata services ask for', async () => {
    const pod = world(
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'token'),
      },
      { 'GET http://169.254.170.23/v1': json('POD') },
    );
    await apply(service, pod);
    expect(pod.calls[0]).toMatchObject({ metadata: true, headers: { authorization: 'web-token' } });
  });

  test('does not come from settings that are empty', async () => {
    const empty = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_PROFILE: '',
      AWS_ENDPOINT_DOMAIN: '',
      AWS_REGION: '',
    };
    const env = { ...empty, AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials') };
    const signed = await apply(service, world(env), request());
    expect(signer(signed)).toBe('FILEDEFAULT');
    expect(signed.origin).toBe('https://bedrock-runtime.us-east-1.amazonaws.com');
  });

  test('is shared: one request that is aborted does not abort it for the others', async () => {
    const there = world(
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      { 'GET http://169.254.170.2/x': json('TASK') },
    );
    const outgoing = request();
    await authorizer.apply(outgoing, call(service), { services: there.services, signal: cancelledBy('enough') });
    expect(signer(outgoing)).toBe('TASK');
  });
});

describe('an assumed role', () => {
  const fields = {
    aws_auth_type: 'assumedRole',
    aws_role_arn: 'arn:aws:iam::1:role/r',
    aws_external_id: 'ext',
    aws_region: 'eu-west-1',
  };
  const base = { AWS_ASSUME_ROLE_ACCESS_KEY_ID: 'BASE', AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: 's' };
  const sts = 'POST https://sts.eu-west-1.amazonaws.com/';

  test('is asked for with the identity of the gateway, in the region of the target, once', async () => {
    const there = world(base, { [sts]: xml('ROLE') });
    expect(signer(await apply(fields, there))).toBe('ROLE');
    expect((await apply(fields, there)).headers['x-amz-security-token']).toBe('t-ROLE');
    expect(there.calls).toHaveLength(1);
    const [asked] = there.calls;
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/r',
      RoleSessionName: 'gatehouse',
      ExternalId: 'ext',
    });
    expect(asked?.headers?.['authorization']).toMatch(/Credential=BASE\/\d{8}\/eu-west-1\/sts\/aws4_request/);
  });

  test('is asked for by the source role where there is one', async () => {
    const env = { ...base, AWS_ASSUME_ROLE_SOURCE_ARN: 'arn:source', AWS_ASSUME_ROLE_SOURCE_EXTERNAL_ID: 'sx' };
    const there = world(env, { [sts]: xml('CHAINED') });
    await apply(fields, there);
    const forms = there.calls.map(({ body }) => new URLSearchParams(body));
    expect(forms.map((form) => [form.get('RoleArn'), form.get('ExternalId')])).toEqual([
      ['arn:source', 'sx'],
      ['arn:aws:iam::1:role/r', 'ext'],
    ]);
    expect(there.calls[1]?.headers?.['authorization']).toContain('Credential=CHAINED/');
  });

  test('is asked for with the key pair of the account, which needs no identity of the gateway', async () => {
    const keys = { ...fields, aws_access_key_id: 'KEYS', aws_secret_access_key: 's' };
    const there = world(base, { [sts]: xml('ROLE') });
    const outgoing = request();
    const context = { services: there.services, signal: signal() };
    await awsSigV4({ service: 'bedrock' }).apply(outgoing, call(keys, { ownIdentity: false }), context);
    expect(signer(outgoing)).toBe('ROLE');
    expect(there.calls[0]?.headers?.['authorization']).toContain('Credential=KEYS/');
  });

  test('is not asked for when the credentials are its own', async () => {
    const there = world(
      { AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'), AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' },
      { [sts]: xml('OWN') },
    );
    expect(signer(await apply(fields, there))).toBe('OWN');
    expect(there.calls).toHaveLength(1);
    expect(there.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  test.for([
    { rule: 'at most five minutes', expiration: '2030-01-01T00:00:00Z', want: 300_000 },
    { rule: 'until a minute before its end', expiration: new Date(NOW + 100_000).toISOString(), want: 40_000 },
    { rule: 'for a moment when it has all but ended', expiration: new Date(NOW + 1_000).toISOString(), want: 1_000 },
  ])('is kept $rule', async ({ expiration, want }) => {
    const there = world(base, { [sts]: xml('ROLE', expiration) });
    await apply(fields, there);
    expect(there.ttls).toEqual([want]);
  });

  test('of another target is another one', async () => {
    const there = world(base, { [sts]: xml('ROLE') });
    await apply(fields, there);
    await apply({ ...fields, aws_external_id: 'other' }, there);
    expect(there.calls).toHaveLength(2);
  });

  test.for([
    {
      rule: 'is refused',
      reply: { status: 403, text: '<Error><Code>AccessDenied</Code><Message>arn:aws:iam::1:user/x</Message></Error>' },
    },
    { rule: 'comes without credentials', reply: '<AssumeRoleResponse/>' },
    { rule: 'cannot be asked for', reply: new AppError('UPSTREAM_UNREACHABLE') },
  ])('that $rule is an error that tells no names', async ({ reply }) => {
    const failure = await apply(fields, world(base, { [sts]: reply })).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
    expect((failure as AppError).detail).not.toContain('iam::1');
  });
});

describe('a call beside the main one', () => {
  test('is signed and sent as it was signed', async () => {
    const there = world({}, { 'GET https://bedrock.us-east-1.amazonaws.com/x': 'ok' });
    const context = { services: there.services, signal: signal() };
    const target = call({ aws_access_key_id: 'AKID', aws_secret_access_key: 's' });
    const side = { method: 'GET', url: 'https://bedrock.us-east-1.amazonaws.com/x?b=1+2' } as const;
    const answer = await authorizedFetch(authorizer, side, target, context);
    expect(answer.body.toString()).toBe('ok');
    expect(there.calls[0]).toMatchObject({
      url: 'https://bedrock.us-east-1.amazonaws.com/x?b=1%202',
      headers: { host: 'bedrock.us-east-1.amazonaws.com', authorization: expect.stringContaining('Credential=AKID/') },
    });
  });
});

describe('a proxied call', () => {
  const keys = { aws_access_key_id: 'a', aws_secret_access_key: 'b' };

  test.for([
    {
      rule: 'with a streamed body is signed without it',
      headers: { 'content-length': '10' },
      want: 'UNSIGNED-PAYLOAD',
    },
    {
      rule: 'with a chunked body is signed without it',
      headers: { 'transfer-encoding': 'chunked' },
      want: 'UNSIGNED-PAYLOAD',
    },
    { rule: 'without a body is signed as empty', headers: { 'content-length': '0' }, want: undefined },
  ])('$rule', async ({ headers, want }) => {
    const values: Values = headers;
    const proxied = call(keys, { endpoint: 'proxy', header: (name) => values[name] });
    const outgoing = { ...request(), body: undefined };
    await authorizer.apply(outgoing, proxied, { services: world({}).services, signal: signal() });
    expect(outgoing.headers['x-amz-content-sha256' as keyof typeof outgoing.headers]).toBe(want);
  });
});

describe('a shared configuration file', () => {
  test('is read by sections; comments, nested settings and stray lines do not matter', () => {
    const sections = parseIni(
      'x=1\n[ a ]\n# c\n; d\nKEY = v = w\nnested =\n  inner = 1\n\n[profile  b]\nk=2\n[a]\nm=3',
    );
    expect([...(sections.get('a') ?? [])]).toEqual([
      ['key', 'v = w'],
      ['nested', ''],
      ['m', '3'],
    ]);
    expect(sections.get('profile b')?.get('k')).toBe('2');
  });
});

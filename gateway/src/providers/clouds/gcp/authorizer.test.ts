import { createVerify, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { Cancellation } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import { cancelledBy } from '../../../lib/testing.ts';
import type { AuthorizerContext, Call, OutgoingRequest, ProviderServices, SideRequest } from '../../contract.ts';
import { gcpOAuth, gcpProject } from './index.ts';

const NOW_MS = 1_760_000_000_999;
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const FILE = {
  type: 'service_account',
  project_id: 'proj',
  private_key_id: 'kid-1',
  private_key: privateKey,
  client_email: 'robot@proj.iam.gserviceaccount.com',
};

type Fields = Readonly<Record<string, string>>;
const SECRETS = new Set(['api_key', 'vertex_service_account_json']);

const callOf = (fields: Fields, endpoint: Call['endpoint'] = 'chatComplete'): Call => ({
  operation: 'chatComplete',
  endpoint,
  ownIdentity: true,
  stream: false,
  provider: 'vertex-ai',
  model: 'm',
  strict: true,
  params: {},
  path: '/chat/completions',
  query: '',
  route: {},
  header: () => undefined,
  now: () => NOW_MS,
  newId: (prefix) => prefix,
  fields: {
    text: (key) => (SECRETS.has(key) ? undefined : fields[key]),
    secret: (key) => (SECRETS.has(key) && fields[key] !== undefined ? new Secret(fields[key]) : undefined),
  },
});

interface World {
  readonly services: ProviderServices;
  readonly asked: SideRequest[];
  readonly kept: Map<string, { value: unknown; ttlMs: number }>;
}

const worldOf = (status: number, answer: unknown, env: Fields = {}): World => {
  const asked: SideRequest[] = [];
  const kept: World['kept'] = new Map();
  const services: ProviderServices = {
    fetch: (request) => {
      asked.push(request);
      return Promise.resolve({ status, headers: {}, body: Buffer.from(JSON.stringify(answer)) });
    },
    cached: async (key, make) => {
      const known = kept.get(key) ?? (await make());
      kept.set(key, known);
      return known.value as Awaited<ReturnType<typeof make>>['value']; // kept under the same key, so of the same type
    },
    env: (name) => env[name],
    now: () => NOW_MS,
  };
  return { services, asked, kept };
};

const authorize = async (
  fields: Fields,
  { services }: World,
  context: Partial<AuthorizerContext> = {},
  headers: Record<string, string> = {},
): Promise<OutgoingRequest> => {
  const request: OutgoingRequest = { method: 'POST', origin: 'https://x', path: '/', headers, body: undefined };
  await gcpOAuth().apply(request, callOf(fields), { services, signal: new Cancellation(), ...context });
  return request;
};

/** The code of what was thrown; the whole error must show nothing of the key or of the signed assertion. */
const refusal = async (work: Promise<unknown>): Promise<string> => {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const shown = inspect(thrown, { depth: 10 });
  expect(shown).not.toContain('PRIVATE KEY');
  expect(shown).not.toContain(privateKey.split('\n')[3]);
  return thrown instanceof AppError ? thrown.code : shown;
};

const ACCOUNT = { vertex_service_account_json: JSON.stringify(FILE) };
const WORKLOAD = { vertex_auth_type: 'workload' };
const LENT = { GCP_AUTH_MODE: 'workload' };
const TOKEN = { access_token: 'ya29.token', expires_in: 3600, token_type: 'Bearer' };

const jsonPart = (text: string | undefined): unknown => JSON.parse(Buffer.from(text ?? '', 'base64url').toString());

describe('a service account', () => {
  test('signs an assertion for the token service', async () => {
    const world = worldOf(200, TOKEN);
    const { headers } = await authorize(ACCOUNT, world);
    expect(headers['authorization']).toBe('Bearer ya29.token');
    const [asked] = world.asked;
    expect(asked).toMatchObject({ method: 'POST', url: 'https://oauth2.googleapis.com/token' });
    const form = new URLSearchParams(asked?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, claims, signature = ''] = (form.get('assertion') ?? '').split('.');
    expect(jsonPart(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'kid-1' });
    expect(jsonPart(claims)).toEqual({
      iss: FILE.client_email,
      sub: FILE.client_email,
      aud: 'https://oauth2.googleapis.com/token',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iat: 1_760_000_000,
      exp: 1_760_003_600,
    });
    const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`);
    expect(verify.verify(publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test.for([
    { rule: '50 minutes', answer: TOKEN, ttlMs: 3_000_000 },
    { rule: 'to a minute before its end', answer: { ...TOKEN, expires_in: 600 }, ttlMs: 540_000 },
    { rule: 'hardly, without a lifetime', answer: { access_token: 'x' }, ttlMs: 1000 },
  ])('keeps its token $rule', async ({ answer, ttlMs }) => {
    const world = worldOf(200, answer);
    await authorize(ACCOUNT, world);
    await authorize(ACCOUNT, world);
    expect(world.asked).toHaveLength(1);
    expect([...world.kept.values()].map((entry) => entry.ttlMs)).toEqual([ttlMs]);
    expect(inspect([...world.kept])).not.toContain('ya29');
  });

  test.for(['project_id', 'private_key_id', 'client_email', 'private_key'])(
    'shares its token with no file that has another %s',
    async (member) => {
      const world = worldOf(200, TOKEN);
      await authorize(ACCOUNT, world);
      const other = { vertex_service_account_json: JSON.stringify({ ...FILE, [member]: 'other' }) };
      await authorize(other, world).catch(() => undefined);
      expect(world.kept.size).toBe(member === 'private_key' ? 1 : 2);
    },
  );

  test('may come with escaped line breaks', async () => {
    const file = { ...FILE, private_key: privateKey.replaceAll('\n', '\\n') };
    const world = worldOf(200, TOKEN);
    await authorize({ vertex_service_account_json: JSON.stringify(file) }, world);
    expect(world.asked).toHaveLength(1);
  });

  const small = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

  test.for([
    { rule: 'has no email', file: { ...FILE, client_email: undefined } },
    { rule: 'has no key', file: { ...FILE, private_key: undefined } },
    { rule: 'has a key of another kind', file: { ...FILE, private_key: small } },
    { rule: 'has a broken key', file: { ...FILE, private_key: privateKey.slice(0, 200) } },
  ])('is of no use when it $rule', async ({ file }) => {
    const world = worldOf(200, TOKEN);
    const work = authorize({ vertex_service_account_json: JSON.stringify(file) }, world);
    expect(await refusal(work)).toBe('CREDENTIAL_UNAVAILABLE');
    expect(world.asked).toEqual([]);
  });

  test.for([
    { rule: 'refuses', status: 400, answer: { error: 'invalid_grant', error_description: privateKey } },
    { rule: 'repeats the request', status: 400, answer: { error: privateKey } },
    { rule: 'says nothing', status: 500, answer: null },
    { rule: 'forgets the token', status: 200, answer: { expires_in: 1 } },
    { rule: 'sends an empty token', status: 200, answer: { access_token: '' } },
  ])('fails when the token service $rule', async ({ status, answer }) => {
    const world = worldOf(status, answer);
    expect(await refusal(authorize(ACCOUNT, world))).toBe('CREDENTIAL_UNAVAILABLE');
    expect(world.kept.size).toBe(0);
  });

  test('fails when the token service cannot be reached', async () => {
    const world = worldOf(200, TOKEN);
    const fetch = (): Promise<never> => Promise.reject(new AppError('UPSTREAM_UNREACHABLE'));
    const work = authorize(ACCOUNT, { ...world, services: { ...world.services, fetch } });
    expect(await refusal(work)).toBe('CREDENTIAL_UNAVAILABLE');
  });

  test('ends the wait of a call that was aborted', async () => {
    const boom = new AppError('CLIENT_CLOSED');
    const cancellation = new Cancellation();
    const world = worldOf(200, TOKEN);
    const fetch = (): Promise<never> => new Promise(() => undefined);
    const waiting = { ...world, services: { ...world.services, fetch } };
    const early = authorize(ACCOUNT, waiting, { signal: cancelledBy(boom) });
    const late = authorize(ACCOUNT, waiting, { signal: cancellation });
    cancellation.cancel(boom);
    await expect(early).rejects.toBe(boom);
    await expect(late).rejects.toBe(boom);
  });
});

describe('the identity of the machine', () => {
  test('comes from the metadata server', async () => {
    const world = worldOf(200, { access_token: 'machine', expires_in: 600 }, LENT);
    const { headers } = await authorize(WORKLOAD, world);
    expect(headers['authorization']).toBe('Bearer machine');
    expect(world.asked).toMatchObject([
      {
        method: 'GET',
        url: 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token',
        headers: { 'metadata-flavor': 'Google' },
        metadata: true,
      },
    ]);
    expect([...world.kept.values()].map(({ ttlMs }) => ttlMs)).toEqual([540_000]);
  });

  test('is not lent unless the gateway says so', async () => {
    const world = worldOf(200, TOKEN);
    expect(await refusal(authorize(WORKLOAD, world))).toBe('CREDENTIAL_UNAVAILABLE');
    const { headers } = await authorize({ ...WORKLOAD, api_key: 'own' }, world);
    expect(headers['authorization']).toBe('Bearer own');
    expect(world.asked).toEqual([]);
  });
});

describe('without a service account', () => {
  test.for([
    { rule: 'the API key is the token', fields: { api_key: 'ya29.own' }, want: 'Bearer ya29.own' },
    {
      rule: 'text that is no key file counts as none',
      fields: { api_key: 'ya29.own', vertex_service_account_json: '{broken' },
      want: 'Bearer ya29.own',
    },
    { rule: 'nor does a list', fields: { api_key: 'k', vertex_service_account_json: '[]' }, want: 'Bearer k' },
  ])('$rule', async ({ fields, want }: { fields: Fields; want: string }) => {
    const { headers } = await authorize(fields, worldOf(500, null));
    expect(headers['authorization']).toBe(want);
  });

  test('nothing is a missing field, but not for a host of its own', async () => {
    const world = worldOf(500, null);
    expect(await refusal(authorize({}, world))).toBe('PROVIDER_FIELD_MISSING');
    const { headers } = await authorize({}, world, { customHost: true });
    expect(headers).toEqual({});
  });

  test('a forwarded header never replaces the token of a proxied call', async () => {
    const { services } = worldOf(500, null);
    const context = { services, signal: new Cancellation() };
    const send = async (fields: Fields): Promise<unknown> => {
      const headers = { authorization: 'Bearer theirs' };
      await gcpOAuth().apply(
        { method: 'GET', origin: 'https://x', path: '/', headers, body: undefined },
        callOf(fields, 'proxy'),
        context,
      );
      return headers.authorization;
    };
    expect(await send({ api_key: 'own' })).toBe('Bearer own');
    expect(await send({})).toBe('Bearer theirs');
  });

  test('a forwarded header needs no token on a typed call', async () => {
    const world = worldOf(500, null);
    const { headers } = await authorize(ACCOUNT, world, {}, { authorization: 'Bearer theirs' });
    expect(headers['authorization']).toBe('Bearer theirs');
    expect(world.asked).toEqual([]);
  });
});

describe('the project', () => {
  test.for([
    { rule: 'of the service account wins', fields: { ...ACCOUNT, vertex_project_id: 'other' }, want: 'proj' },
    { rule: 'is the field without one', fields: { vertex_project_id: 'other' }, want: 'other' },
    { rule: 'may be missing', fields: { vertex_service_account_json: '{}' }, want: undefined },
  ])('$rule', ({ fields, want }: { fields: Fields; want: string | undefined }) => {
    expect(gcpProject(callOf(fields).fields)).toBe(want);
  });
});

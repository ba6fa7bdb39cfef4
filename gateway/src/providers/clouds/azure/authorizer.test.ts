import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Cancellation, type CancelSignal } from '../../../lib/cancellation.ts';
import type { Authorizer, OutgoingRequest, ProviderServices, SideAnswer, SideRequest } from '../../contract.ts';
import { apiKeyHeader, createFields } from '../../engine/index.ts';
import { sampleCall, sampleProvider, sampleServices } from '../../engine/testing.ts';
import { azureAuth } from './authorizer.ts';

interface Given {
  readonly fields?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly answer?: { readonly status?: number; readonly body: unknown } | Error;
  readonly signal?: CancelSignal;
  readonly services?: Partial<ProviderServices>;
}

interface Outcome {
  readonly headers: Record<string, string>;
  readonly asked: readonly SideRequest[];
  /** Keys and lifetimes that were cached. */
  readonly kept: readonly { readonly key: string; readonly ttlMs: number }[];
}

const auth: Authorizer = azureAuth({ apiKey: apiKeyHeader('api-key') });
const TOKEN = { access_token: 'token-1', expires_in: 3600 };

async function authorize({ fields = {}, env = {}, answer = { body: TOKEN }, ...rest }: Given): Promise<Outcome> {
  const provider = sampleProvider({ id: 'azure-openai' });
  const asked: SideRequest[] = [];
  const kept: { key: string; ttlMs: number }[] = [];
  const services = sampleServices({
    env: (name) => env[name],
    async fetch(request): Promise<SideAnswer> {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return { status: answer.status ?? 200, headers: {}, body: Buffer.from(JSON.stringify(answer.body)) };
    },
    async cached(key, make) {
      const { value, ttlMs } = await make();
      kept.push({ key, ttlMs });
      return value;
    },
    ...rest.services,
  });
  const request: OutgoingRequest = { method: 'POST', origin: 'https://x', path: '/', headers: {}, body: undefined };
  const call = sampleCall({
    provider: provider.id,
    fields: createFields(provider, new Map(Object.entries(fields))),
    ownIdentity: true,
  });
  await auth.apply(request, call, { services, signal: rest.signal ?? new Cancellation() });
  return { headers: request.headers, asked, kept };
}

const ENTRA = {
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: 'tenant/1',
  azure_entra_client_id: 'client-1',
  azure_entra_client_secret: 'entra-secret-1',
};
const WORKLOAD = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_FEDERATED_TOKEN_FILE: 'h.c.s' };
const form = (request: SideRequest | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(request?.body));

describe('the credential of an Azure target', () => {
  test('is its own token before anything else', async () => {
    const { headers, asked } = await authorize({ fields: { ...ENTRA, azure_ad_token: 'aad', api_key: 'k' } });
    expect(headers).toEqual({ authorization: 'Bearer aad' });
    expect(asked).toEqual([]);
  });

  test('is the API key without any mode', async () => {
    expect((await authorize({ fields: { api_key: 'k' } })).headers).toEqual({ 'api-key': 'k' });
  });

  test('is a token of its application', async () => {
    const { headers, asked } = await authorize({ fields: { ...ENTRA, azure_entra_scope: 'scope-1' } });
    expect(headers).toEqual({ authorization: 'Bearer token-1' });
    expect(asked[0]?.url).toBe('https://login.microsoftonline.com/tenant%2F1/oauth2/v2.0/token');
    expect(asked[0]?.metadata).toBeUndefined();
    expect(form(asked[0])).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'entra-secret-1',
      scope: 'scope-1',
    });
  });

  test.for<[rule: string, given: Given, url: string, headers: Record<string, string>]>([
    [
      'by the metadata service',
      { fields: { azure_auth_mode: 'managed' } },
      'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com%2F',
      { metadata: 'true' },
    ],
    [
      'by the endpoint of the host, for an identity of its own',
      {
        fields: {
          azure_auth_mode: 'managed',
          azure_managed_client_id: 'mc',
          azure_entra_scope: 'https://ai.azure.com/.default',
        },
        env: {
          AZURE_IDENTITY_ENDPOINT: 'http://127.0.0.1:1/token',
          AZURE_IDENTITY_HEADER: 'h',
          AZURE_MANAGED_VERSION: '2019-08-01',
        },
      },
      'http://127.0.0.1:1/token?api-version=2019-08-01&resource=https%3A%2F%2Fai.azure.com&client_id=mc',
      { 'x-identity-header': 'h' },
    ],
  ])('is a token of the machine, %s', async ([, given, url, headers]) => {
    const { asked, headers: sent } = await authorize(given);
    expect(asked).toEqual([{ method: 'GET', url, headers, metadata: true, maxBytes: expect.any(Number) }]);
    expect(sent).toEqual({ authorization: 'Bearer token-1' });
  });

  test('is a token of the workload, from the file or its content', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-azure-'));
    try {
      const file = join(folder, 'token');
      await writeFile(file, 'from.a.file\n');
      const fields = { azure_auth_mode: 'workload' };
      const byFile = await authorize({ fields, env: { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: file } });
      expect(form(byFile.asked[0])).toMatchObject({ client_assertion: 'from.a.file', client_id: 'c' });
      const own = await authorize({ fields: { ...fields, azure_workload_client_id: 'own' }, env: WORKLOAD });
      expect(form(own.asked[0])).toMatchObject({
        client_assertion: 'h.c.s',
        client_id: 'own',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        scope: 'https://cognitiveservices.azure.com/.default',
      });
      expect(own.asked[0]?.url).toBe('https://login.microsoftonline.com/t/oauth2/v2.0/token');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.for([
    [3600, 15 * 60_000],
    ['3599', 15 * 60_000],
    [300, 240_000],
    [30, 1000],
    ['soon', 1000],
    [{ toString: 0, valueOf: 0 }, 1000],
    [undefined, 1000],
  ] as const)('of %s seconds is kept for %s ms', async ([expires_in, ttlMs]) => {
    const { kept } = await authorize({ fields: ENTRA, answer: { body: { ...TOKEN, expires_in } } });
    expect(kept).toMatchObject([{ ttlMs }]);
  });

  test('is kept under everything it depends on, the secret hashed', async () => {
    const keys = new Set<string>();
    for (const change of [
      {},
      { azure_entra_client_secret: 's2' },
      { azure_entra_scope: 'x' },
      { azure_entra_tenant_id: 't2' },
    ]) {
      const { kept } = await authorize({ fields: { ...ENTRA, ...change } });
      keys.add(kept[0]?.key ?? '');
    }
    expect(keys.size).toBe(4);
    expect([...keys].join()).not.toMatch(/entra-secret-1|s2/);
  });
});

describe('a credential that cannot be had', () => {
  test.for<[rule: string, given: Given, code: string]>([
    ['is missing a field of its mode', { fields: { azure_auth_mode: 'entra' } }, 'PROVIDER_FIELD_MISSING'],
    ['is missing the key', {}, 'PROVIDER_FIELD_MISSING'],
    ['is missing the environment', { fields: { azure_auth_mode: 'workload' } }, 'CREDENTIAL_UNAVAILABLE'],
    [
      'is missing the file',
      { fields: { azure_auth_mode: 'workload' }, env: { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: '/nowhere/token' } },
      'CREDENTIAL_UNAVAILABLE',
    ],
    [
      'is refused',
      { fields: ENTRA, answer: { status: 401, body: { error: 'invalid_client', error_codes: [7000215] } } },
      'CREDENTIAL_UNAVAILABLE',
    ],
    ['is not in the answer', { fields: ENTRA, answer: { body: { token_type: 'Bearer' } } }, 'CREDENTIAL_UNAVAILABLE'],
    ['is not an object', { fields: ENTRA, answer: { body: 'page' } }, 'CREDENTIAL_UNAVAILABLE'],
    ['is out of reach', { fields: ENTRA, answer: new Error('boom') }, 'CREDENTIAL_UNAVAILABLE'],
  ])('%s', async ([, given, code]) => {
    await expect(authorize(given)).rejects.toMatchObject({ code });
  });

  test('says why, and nothing of the secret', async () => {
    const body = { error: 'invalid_client', error_codes: [7000215], error_description: 'entra-secret-1 is wrong' };
    const error: unknown = await authorize({ fields: ENTRA, answer: { status: 401, body } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ detail: expect.stringContaining('invalid_client (AADSTS7000215)') });
    expect(inspect(error, { depth: 9 })).not.toContain('entra-secret-1');
  });

  test('is no longer waited for when the call ends, while others still get it', async () => {
    const cancellation = new Cancellation();
    const never = new Promise<never>(() => {});
    const waiting = authorize({ fields: ENTRA, signal: cancellation, services: { cached: () => never } });
    const reason = new Error('the client went away');
    cancellation.cancel(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(authorize({ fields: ENTRA, signal: cancellation })).rejects.toBe(reason);
  });
});

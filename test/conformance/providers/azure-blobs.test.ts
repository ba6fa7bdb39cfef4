/** Outputs of batches that Azure has written into a storage: where they are read, with what, and where not. */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import {
  type OutgoingRequest,
  type ProcedureResult,
  type ProcedureTools,
  ProviderRefusal,
  type SideRequest,
} from '../../../gateway/src/providers/contract.ts';
import { baseOf, buildStep } from '../../../gateway/src/providers/engine/index.ts';
import { openSession } from './session.ts';

const ENTRA = {
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: 'tenant-1',
  azure_entra_client_id: 'client-1',
  azure_entra_client_secret: 'entra-secret-1',
  azure_entra_scope: 'https://ai.azure.com/.default',
};
const STORAGE = { azure_storage_account: 'outputs1' };
const BLOB = 'https://outputs1.blob.core.windows.net/batches/a%20b/results.jsonl';
const ROWS = '{"custom_id":"a"}\n';

interface Played {
  readonly id?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly customHost?: string;
  readonly batch: object;
  /** The storage refuses. */
  readonly refusal?: { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };
}

/** Answers of the provider and of Entra; everything that was sent is kept. */
async function play({ id = 'azure-openai', fields = {}, customHost, batch, refusal }: Played) {
  const session = openSession({
    ...{
      provider: id,
      endpoint: 'getBatchOutput',
      strict: true,
      stream: false,
      method: 'GET',
      path: '/',
      query: 'x=1',
    },
    fields: id === 'azure-openai' ? { resource_name: 'r1', ...fields } : { ...fields },
    ...(customHost === undefined ? {} : { custom_host: customHost }),
    ...{ client_request: {}, client_headers: { 'x-own': '1' }, forwarded: {}, env: {}, side_calls: [] },
    route: { batch_id: 'b%2F1' },
  });
  const { call, target } = session;
  const sent: OutgoingRequest[] = [];
  const tokens: SideRequest[] = [];
  const services: ProcedureTools['services'] = {
    env: () => undefined,
    now: call.now,
    cached: async (_key, make) => (await make()).value,
    fetch: async (request) => {
      tokens.push(request);
      return { status: 200, headers: {}, body: Buffer.from('{"access_token":"token-1","expires_in":3600}') };
    },
  };
  const signal = new Cancellation();
  const send = async (step: Parameters<ProcedureTools['ask']>[0]): Promise<void> => {
    sent.push(await buildStep(target, call, step, { forwarded: {}, services, signal }));
  };
  const tools = {
    ...{ services, signal },
    baseUrl: () => {
      const { origin, prefix } = baseOf(target, call);
      return origin + prefix;
    },
    ask: async (step) => {
      await send(step);
      return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(batch)) };
    },
    open: async (step) => {
      await send(step);
      if (refusal !== undefined)
        throw new ProviderRefusal({ headers: {}, ...refusal, bytes: Buffer.from(refusal.body ?? '') });
      return { status: 200, headers: {}, content: Readable.from([Buffer.from(ROWS)]) };
    },
  } as Partial<ProcedureTools> as ProcedureTools; // what the procedure uses
  const run = session.provider.procedures?.getBatchOutput?.run;
  if (run === undefined) throw new Error(`${id} has no output of batches`);
  const result: ProcedureResult | Error = await run(call, tools).catch((error: unknown) => error as Error);
  return { result, sent, tokens, urls: sent.map(({ origin, path }) => origin + path) };
}

const AT = [
  {
    id: 'azure-openai',
    rule: 'with a dated version',
    fields: { api_version: '2025-03-01' },
    batch: 'https://r1.openai.azure.com/openai/batches/b%2F1?api-version=2025-03-01',
  },
  {
    id: 'azure-openai',
    rule: 'with v1',
    fields: { api_version: 'v1' },
    batch: 'https://r1.openai.azure.com/openai/v1/batches/b%2F1',
  },
  {
    id: 'azure-ai',
    rule: 'of the resource',
    fields: { azure_foundry_url: 'https://r1.services.ai.azure.com/models', azure_api_version: '2025-03-01' },
    batch: 'https://r1.services.ai.azure.com/openai/batches/b%2F1?api-version=2025-03-01',
  },
] as const;

describe.for(AT)('at $id $rule', ({ id, fields, batch: url }) => {
  test.for([
    { rule: 'output_blob', batch: { output_blob: BLOB, error_blob: 'https://else.test/' } },
    { rule: 'error_blob', batch: { output_file_id: null, output_blob: '', error_blob: BLOB } },
  ])('$rule is read with a token for storages and nothing else', async ({ batch }) => {
    const { result, sent, tokens, urls } = await play({ id, fields: { ...fields, ...ENTRA, ...STORAGE }, batch });
    expect(urls).toEqual([url, BLOB]);
    expect(sent[1]).toMatchObject({ method: 'GET', body: undefined });
    expect(sent[1]?.headers).toEqual({
      authorization: 'Bearer token-1',
      'x-ms-date': 'Thu, 09 Oct 2025 08:53:20 GMT',
      'x-ms-version': '2022-11-02',
    });
    const scopes = tokens.map(({ body }) => new URLSearchParams(body).get('scope'));
    expect(scopes).toEqual(['https://ai.azure.com/.default', 'https://storage.azure.com/.default']);
    expect(result).toMatchObject({ kind: 'content', contentType: 'application/octet-stream', file: BLOB });
  });

  test('a file comes first', async () => {
    const { urls } = await play({
      ...{ id, fields: { ...fields, ...ENTRA, ...STORAGE } },
      batch: { output_file_id: '', error_file_id: 'f', output_blob: BLOB },
    });
    expect(urls[1]).toBe(url.replace('/batches/b%2F1', '/files/f/content'));
  });
});

describe('the cloud of the account', () => {
  test.for([
    { host: 'https://r1.openai.azure.us/openai', blobs: 'blob.core.usgovcloudapi.net' },
    { host: 'https://r1.openai.azure.cn/openai', blobs: 'blob.core.chinacloudapi.cn' },
    { host: 'https://front.test/openai', blobs: 'blob.core.windows.net' },
  ])('is that of its storage: $host', async ({ host, blobs }) => {
    const read = (name: string) =>
      play({
        ...{ customHost: host, fields: { ...ENTRA, ...STORAGE } },
        batch: { output_blob: `https://outputs1.${name}/c/b` },
      });
    const { urls } = await read(blobs);
    expect(urls[1]).toBe(`https://outputs1.${blobs}/c/b`);
    const other = blobs === 'blob.core.windows.net' ? 'blob.core.chinacloudapi.cn' : 'blob.core.windows.net';
    expect((await read(other)).result).toMatchObject({ code: 'BATCH_OUTPUT_MISSING' });
  });
});

describe('nothing is fetched', () => {
  const own = { ...ENTRA, ...STORAGE, api_version: 'v1' };

  test.for([
    'https://others.blob.core.windows.net/c/b',
    'https://xoutputs1.blob.core.windows.net/c/b',
    'https://outputs1.blob.core.windows.net.evil.test/c/b',
    'https://outputs1.blob.core.windows.net@evil.test/c/b',
    'https://evil.test/outputs1.blob.core.windows.net/b',
    'https://evil.test\\@outputs1.blob.core.windows.net/c/b',
    'https://user@outputs1.blob.core.windows.net/c/b',
    'https://:pass@outputs1.blob.core.windows.net/c/b',
    'https://outputs1.blob.core.windows.net:8443/c/b',
    'http://outputs1.blob.core.windows.net/c/b',
    'ftp://outputs1.blob.core.windows.net/c/b',
    'https://outputs1.blob.core.windows.net./c/b',
    'https://outputs1.blob.core.windows.net/c/b?comp=list',
    'https://outputs1.blob.core.windows.net/c/b#x',
    'https://outputs1.blob.core.windows.net/c',
    'https://outputs1.blob.core.windows.net/c/',
    'https://outputs1.blob.core.windows.net/c/%2e%2e/b',
    'https://outputs1.queue.core.windows.net/c/b',
    `https://outputs1.blob.core.windows.net/c/${'b'.repeat(5_000)}`,
    '//outputs1.blob.core.windows.net/c/b',
    'not a url',
  ])('at %s', async (output_blob) => {
    const { result, sent, tokens } = await play({ fields: own, batch: { output_blob } });
    expect(result).toMatchObject({
      code: 'BATCH_OUTPUT_MISSING',
      param: 'azure_storage_account',
      message: expect.stringContaining('output_blob of the batch is not read'),
    });
    expect([sent.length, tokens.length]).toEqual([1, 1]);
    expect((result as Error).message).not.toContain('outputs1');
  });

  test.for([
    { rule: 'names no storage', fields: ENTRA, code: 'BATCH_OUTPUT_MISSING', param: 'azure_storage_account' },
    {
      rule: 'names what is no storage',
      fields: { ...ENTRA, azure_storage_account: 'evil.test/' },
      ...{ code: 'PARAMETER_INVALID', param: 'azure_storage_account' },
    },
    {
      rule: 'has an API key alone',
      fields: { ...STORAGE, api_key: 'K-1' },
      ...{ code: 'PROVIDER_FIELD_MISSING', param: 'azure_auth_mode' },
    },
    {
      rule: 'has a ready token alone',
      fields: { ...STORAGE, azure_ad_token: 'ready-1' },
      ...{ code: 'PROVIDER_FIELD_MISSING', param: 'azure_auth_mode' },
    },
  ])('where the account $rule', async ({ fields, code, param }) => {
    const { result, sent } = await play({ fields, batch: { output_blob: BLOB } });
    expect(result).toMatchObject({ code, param, message: expect.stringContaining(param) });
    expect(sent).toHaveLength(1);
  });
});

test.for([
  { status: 403, headers: { 'x-ms-error-code': 'AuthorizationPermissionMismatch' }, want: 403 },
  { status: 503, headers: { 'x-ms-error-code': 'ServerBusy', 'retry-after': '3' }, want: 503 },
  { status: 302, headers: { 'x-ms-error-code': 'Not a code', location: 'https://evil.test/' }, want: 502 },
  { status: 404, want: 404 },
])('a refusal of the storage is said without its words: $status', async ({ status, headers = {}, want }) => {
  const body = '<Error><Message>Signature of token-1</Message></Error>';
  const { result } = await play({
    fields: { ...ENTRA, ...STORAGE },
    batch: { output_blob: BLOB },
    refusal: { status, headers, body },
  });
  if (!(result instanceof ProviderRefusal)) throw new Error('no refusal', { cause: result });
  const code = /^\w+$/.test(headers['x-ms-error-code'] ?? '') ? headers['x-ms-error-code'] : null;
  expect(JSON.parse(result.answer.bytes.toString())).toEqual({
    error: { message: `The storage of the output has answered ${status}`, type: 'storage_error', param: null, code },
  });
  expect(result.answer).toMatchObject({ status: want });
  expect(result.answer.headers['retry-after']).toBe('retry-after' in headers ? '3' : undefined);
});

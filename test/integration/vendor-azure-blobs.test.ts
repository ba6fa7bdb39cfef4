/** Outputs of batches in a storage of Azure, over sockets: docs/behaviour/files-and-batches.md#azure. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { baseEntries, startWorld, type World } from '../kit/gateway.ts';
import { type ProviderHosts, startProviderHosts } from '../kit/provider-hosts.ts';
import { type RawReply, type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const LOGIN = 'login.microsoftonline.com';
const STORAGE = 'outputs.blob.core.windows.net';
const FOREIGN = 'others.blob.core.windows.net';
const BLOB = '/batches/b/results.jsonl';
const OWN = `https://${STORAGE}${BLOB}`;
const SECRET = 'entra-secret-0123456789';
const SCOPE = 'https://storage.azure.com/.default';

const ENTRA = {
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: 'tenant',
  azure_entra_client_id: 'client',
  api_version: 'v1',
};
const OUTPUTS = { azure_storage_account: 'outputs' };

const rowOf = (id: string): string => {
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
  const body = { id, object: 'chat.completion', model: 'gpt-4o', choices: [], usage };
  return `${JSON.stringify({ id, custom_id: id, response: { status_code: 200, request_id: id, body }, error: null })}\n`;
};
const ROWS = rowOf('a') + rowOf('b');

/** What batches say, by id; a batch that is created is the first. */
const batches = new Map<string, object>();
/** How the storage answers. */
let serve: (reply: RawReply) => void | Promise<void>;

async function answer(reply: RawReply): Promise<void> {
  const { method, target, body } = reply.request;
  if (target.endsWith('/oauth2/v2.0/token')) {
    const scope = new URLSearchParams((await body).toString()).get('scope');
    const access_token = scope === SCOPE ? 'token-for-storages' : 'token-for-models';
    return reply.answer(200, JSON.stringify({ access_token, expires_in: 3600 }));
  }
  const [, id] = /^\/openai(?:\/v1)?\/batches(?:\/([^?]+))?/.exec(target) ?? [];
  if (!target.startsWith('/openai')) return serve(reply);
  const [first = ''] = batches.keys();
  const found = method === 'POST' ? first : (id ?? '');
  return reply.answer(200, JSON.stringify({ id: found, object: 'batch', status: 'completed', ...batches.get(found) }));
}

let upstream: RawUpstream;
let hosts: ProviderHosts;
let folder: string;
let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };
const SOON = { lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50, readMs: 5_000 } as const;

/** `late`: settings that the account `late` has got since. */
function accounts(late: object = {}) {
  const secret = { azure_entra_client_secret: SECRET };
  const azure = { provider: 'azure-openai', customHost: `${upstream.url}/openai` };
  const foundry = { azure_foundry_url: `${upstream.url}/models` };
  return [
    provider('azure', { ...azure, settings: { ...ENTRA, ...OUTPUTS }, secret }),
    provider('foundry', { provider: 'azure-ai', settings: { ...ENTRA, ...OUTPUTS, ...foundry }, secret }),
    provider('unnamed', { ...azure, settings: ENTRA, secret }),
    provider('late', { ...azure, settings: { ...ENTRA, ...late }, secret }),
    provider('keyed', { ...azure, settings: { api_version: 'v1', ...OUTPUTS } }),
  ];
}

beforeAll(async () => {
  upstream = await startRawUpstream(answer);
  hosts = await startProviderHosts([LOGIN, STORAGE, FOREIGN], upstream.url);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-blobs-'));
  world = await startWorld({
    env: {
      ...hosts.env,
      TLS_CA_PATH: hosts.env['NODE_EXTRA_CA_CERTS'] ?? '',
      GATEHOUSE_BATCH_DIR: folder,
      GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: '600000',
      GATEHOUSE_MAX_BUFFERED_BYTES: String(32 * 1024 * 1024),
      TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
    },
    sinks: [sink],
    batchTiming: SOON,
    entries: () => accounts(),
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await hosts[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  batches.clear();
  batches.set('b', { output_blob: OWN });
  serve = (reply) => reply.answer(200, ROWS, { 'content-type': 'text/plain' });
});

type Headers = Readonly<Record<string, string>>;

/** The answer, and the calls to hosts of the vendor that it took. */
async function outputOf(name: string, headers: Headers = {}) {
  const before = hosts.calls.length;
  const response = await world.send('/v1/batches/b/output', { headers: { 'x-gw-provider': name, ...headers } });
  return { ...response, calls: hosts.calls.slice(before), error: () => response.json().error };
}

const blobCalls = () => hosts.calls.filter(({ host }) => host !== LOGIN);

test.for(['@azure', '@foundry'])('the blob of a batch is its output at %s', async (name) => {
  const forwarded = { 'x-gw-forward-headers': 'x-own', 'x-own': 'mine', range: 'bytes=0-1' };
  const { status, text, headers, calls } = await outputOf(name, forwarded);
  expect([status, text, headers['content-type']]).toEqual([200, ROWS, 'application/octet-stream']);
  expect(calls.at(-1)).toEqual({ host: STORAGE, path: BLOB, credential: 'token-for-storages' });
  const sent = upstream.requests.at(-1)?.headers;
  expect(sent?.get('x-ms-version')).toBe('2022-11-02');
  expect(sent?.get('x-ms-date')).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  for (const header of ['x-own', 'range', 'api-key', 'accept-encoding']) expect(sent?.has(header), header).toBe(false);
  const ofModels = upstream.requests.findLast(
    ({ target }) => target.includes('/batches/b') && target.startsWith('/openai'),
  );
  expect(ofModels?.headers.get('authorization')).toBe('Bearer token-for-models');
});

describe('nothing is fetched, and no token for storages is asked for', () => {
  const named = { ...ENTRA, azure_entra_client_secret: 'own-secret-0123456789', ...OUTPUTS };
  const own = Object.fromEntries(
    Object.entries(named).map(([key, value]) => [
      `x-gw-${key === 'api_version' ? 'azure-api-version' : key.replaceAll('_', '-')}`,
      value,
    ]),
  );

  interface Refused {
    readonly rule: string;
    readonly name: string;
    readonly url?: string;
    readonly headers?: Headers;
    readonly code: string;
  }
  const refused: readonly Refused[] = [
    { rule: 'in another storage', name: '@azure', url: `https://${FOREIGN}${BLOB}`, code: 'batch_output_missing' },
    { rule: 'by http', name: '@azure', url: `http://${STORAGE}${BLOB}`, code: 'batch_output_missing' },
    { rule: 'at another port', name: '@azure', url: `https://${STORAGE}:444${BLOB}`, code: 'batch_output_missing' },
    { rule: 'with userinfo', name: '@azure', url: `https://u:p@${STORAGE}${BLOB}`, code: 'batch_output_missing' },
    { rule: 'of an account without a storage', name: '@unnamed', code: 'batch_output_missing' },
    {
      rule: 'of an account whose storage a header names',
      ...{ name: '@unnamed', headers: { 'x-gw-azure-storage-account': 'outputs' }, code: 'batch_output_missing' },
    },
    {
      rule: 'of an account with another storage than a header names',
      ...{ name: '@azure', url: `https://${FOREIGN}${BLOB}`, headers: { 'x-gw-azure-storage-account': 'others' } },
      code: 'batch_output_missing',
    },
    { rule: 'with an API key alone', name: '@keyed', code: 'provider_field_missing' },
    {
      rule: 'of a caller with a storage of another name',
      ...{ name: 'azure-openai', headers: own, url: `https://${FOREIGN}${BLOB}`, code: 'batch_output_missing' },
    },
  ];

  test.for(refused)('$rule', async ({ name, url = OWN, headers = {}, code }) => {
    batches.set('b', { output_blob: url });
    const hostOfOwn = name.startsWith('@') ? {} : { 'x-gw-custom-host': `${upstream.url}/openai` };
    const before = blobCalls().length;
    const asked = upstream.requests.length;
    const { status, error, text } = await outputOf(name, { ...headers, ...hostOfOwn });
    expect([status, error().code]).toEqual([400, code]);
    expect(text).not.toContain(BLOB);
    expect(blobCalls()).toHaveLength(before);
    const bodies = await Promise.all(upstream.requests.slice(asked).map(({ body }) => body));
    expect(bodies.join('')).not.toContain(encodeURIComponent(SCOPE));
  });

  test('but the caller’s own storage is read with the caller’s own credential', async () => {
    const { status, text } = await outputOf('azure-openai', { ...own, 'x-gw-custom-host': `${upstream.url}/openai` });
    expect([status, text]).toEqual([200, ROWS]);
  });
});

test('what a storage refuses is in the normal form, without its words', async () => {
  serve = (reply) =>
    reply.answer(403, '<Error><Message>token-for-storages</Message></Error>', {
      'content-type': 'application/xml',
      'x-ms-error-code': 'AuthorizationPermissionMismatch',
    });
  const { status, json, text } = await outputOf('@azure');
  expect([status, json()]).toMatchObject([
    403,
    {
      error: {
        message: 'azure-openai error: The storage of the output has answered 403',
        code: 'AuthorizationPermissionMismatch',
      },
      provider: 'azure-openai',
    },
  ]);
  expect(text).not.toContain('token-for-storages');
});

test('a storage that sends on to another place is not followed', async () => {
  serve = (reply) => reply.answer(302, '', { location: `https://${FOREIGN}/c/b` });
  const { status, calls } = await outputOf('@azure');
  expect(status).toBe(502);
  expect(calls.map(({ host }) => host)).not.toContain(FOREIGN);
});

describe('a blob that is stored compressed', () => {
  const stored = (bytes: Buffer, encoding: string) => {
    serve = (reply) => reply.answer(200, bytes, { 'content-encoding': encoding });
  };

  test.for([
    { encoding: 'gzip', pack: gzipSync },
    { encoding: 'GZIP', pack: gzipSync },
    { encoding: 'deflate', pack: deflateSync },
    { encoding: 'br', pack: brotliCompressSync },
    { encoding: 'zstd', pack: zstdCompressSync },
    { encoding: 'identity', pack: (text: string) => Buffer.from(text) },
  ])('with $encoding is unpacked, and its rows are counted', async ({ encoding, pack }) => {
    stored(pack(ROWS), encoding);
    batches.set('b', { output_blob: `${OWN}-${encoding}` }); // rows are counted once
    records.length = 0;
    const { status, text, headers } = await outputOf('@azure');
    expect([status, text, headers['content-encoding']]).toEqual([200, ROWS, undefined]);
    await waitFor(() => records.some(({ answeredBy }) => answeredBy?.usage?.total === 60), { what: 'the usage' });
  });

  test.for([
    { encoding: 'compress', named: '(compress)' },
    { encoding: 'gzip, br', named: '(gzip, br)' },
    { encoding: 'a"b', named: 'known:' },
  ])('with $encoding is an error that names it', async ({ encoding, named }) => {
    stored(gzipSync(ROWS), encoding);
    const { status, error } = await outputOf('@azure');
    expect([status, error().message]).toEqual([502, expect.stringContaining(named)]);
    expect(error().message).toContain('output_blob has a content-encoding that is not known');
    await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0);
  });

  test.for([
    { rule: 'is cut off', bytes: gzipSync(ROWS).subarray(0, -9) },
    { rule: 'is something else', bytes: Buffer.from(ROWS) },
    { rule: 'is followed by something else', bytes: Buffer.concat([gzipSync(ROWS), Buffer.alloc(512)]) },
    { rule: 'stands for too much', bytes: gzipSync(Buffer.alloc(64 << 20)) },
  ])('breaks the answer where it $rule', async ({ bytes }) => {
    stored(bytes, 'gzip');
    records.length = 0;
    await expect(outputOf('@azure')).rejects.toThrow();
    await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0);
    expect(records.filter(({ answeredBy }) => answeredBy?.usage !== undefined)).toEqual([]);
  });

  test('holds memory as long as it is read, and others get none that is used up', async () => {
    const bytes = brotliCompressSync(ROWS);
    serve = async ({ head, chunk }) => {
      await head(200, { 'transfer-encoding': 'chunked', 'content-encoding': 'br' });
      await chunk(bytes.subarray(0, -9));
    };
    const held = () => world.metric('gatehouse_buffered_bytes');
    const call = get(`${world.url}/v1/batches/b/output`, {
      headers: { 'x-gw-api-key': KEY, 'x-gw-provider': '@azure' },
    });
    const closed = once(call, 'close');
    call.on('error', () => undefined);
    await waitFor(async () => (await held()) >= 16 * 1024 * 1024, { what: 'the window' });
    const { status, error } = await outputOf('@azure');
    expect([status, error().code]).toEqual([503, 'memory_exhausted']);
    call.destroy();
    await closed;
    await waitFor(async () => (await held()) === 0, { what: 'the end of the reading' });
    stored(bytes, 'br');
    expect((await outputOf('@azure')).text).toBe(ROWS);
  });
});

test('a blob that breaks off breaks the answer', async () => {
  const begun = Promise.withResolvers<void>();
  serve = async ({ head, write, reset }) => {
    await head(200, { 'content-length': '1000' });
    await write(rowOf('a'));
    await begun.promise;
    reset();
  };
  const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@azure' };
  const [response] = (await once(get(`${world.url}/v1/batches/b/output`, { headers }), 'response')) as [
    IncomingMessage,
  ];
  await once(response, 'data');
  begun.resolve();
  await expect(once(response, 'end')).rejects.toThrow('aborted');
});

test('a blob that nobody waits for any more is not read on', async () => {
  let isEnded = false;
  serve = async ({ head, chunk, socket }) => {
    socket.on('close', () => {
      isEnded = true;
    });
    await head(200, { 'transfer-encoding': 'chunked' });
    await chunk(rowOf('a'));
  };
  const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@azure' };
  const call: ClientRequest = get(`${world.url}/v1/batches/b/output`, { headers });
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  await once(response, 'data');
  response.destroy();
  await waitFor(() => isEnded, { what: 'the end of the call to the storage' });
});

describe('a batch that is followed', () => {
  const create = (name: string) =>
    world.send('/v1/batches', {
      method: 'POST',
      headers: { 'x-gw-provider': name },
      body: { input_file_id: 'f', endpoint: '/v1/chat/completions', output_folder: { url: `https://${FOREIGN}/c` } },
    });
  const counted = () => records.filter(({ answeredBy }) => answeredBy?.usage !== undefined);

  test('is charged by its rows in a blob, once', async () => {
    batches.clear();
    batches.set('followed', { output_blob: `https://${STORAGE}/batches/followed/results.jsonl` });
    records.length = 0;
    expect((await create('@azure')).status).toBe(200);
    await waitFor(() => counted().length === 1, { what: 'the rows' });
    expect(counted()[0]?.answeredBy).toMatchObject({ usage: { total: 60 }, account: 'azure' });
    const read = await world.send('/v1/batches/followed/output', { headers: { 'x-gw-provider': '@azure' } });
    expect(read.text).toBe(ROWS);
    await waitFor(() => records.filter(({ request }) => request.operation === 'getBatchOutput').length >= 2, {
      what: 'the record of the client',
    });
    expect(counted()).toHaveLength(1);
  });

  const UNSET = [
    { rule: 'at an account without a storage', name: '@unnamed', url: `https://${STORAGE}/c/b` },
    { rule: 'in another storage', name: '@azure', url: `https://${FOREIGN}/c/b` },
  ];

  test.for(UNSET)('is looked at again $rule, without a call to a storage', async ({ rule, name, url }) => {
    const id = rule.replaceAll(' ', '-');
    batches.clear();
    batches.set(id, { output_blob: url, completed_at: Math.floor(Date.now() / 1_000) });
    const before = blobCalls().length;
    expect((await create(name)).status).toBe(200);
    const lines = () => world.logs.filter(({ batch, setting }) => batch === id && setting === 'azure_storage_account');
    await waitFor(() => lines().length >= 2, { what: 'two looks' });
    expect(blobCalls()).toHaveLength(before);
    batches.delete(id); // it is no longer there
  });

  test('is charged once its account names the storage', async () => {
    batches.clear();
    const url = `https://${STORAGE}/batches/late/results.jsonl`;
    batches.set('late', { output_blob: url, completed_at: Math.floor(Date.now() / 1_000) });
    records.length = 0;
    expect((await create('@late')).status).toBe(200);
    await waitFor(() => world.logs.some(({ batch, setting }) => batch === 'late' && setting !== undefined), {
      what: 'the first look',
    });
    expect(counted()).toEqual([]);
    await world.load(baseEntries(world.mock), ...accounts(OUTPUTS));
    await waitFor(() => counted().length === 1, { what: 'the rows' });
    expect(counted()[0]?.answeredBy).toMatchObject({ usage: { total: 60 }, account: 'late' });
  });

  test.for(UNSET)('is given up $rule six hours after its end', async ({ rule, name, url }) => {
    const id = `old-${rule.replaceAll(' ', '-')}`;
    batches.clear();
    batches.set(id, { output_blob: url, completed_at: Math.floor(Date.now() / 1_000) - 6 * 3_600 - 60 });
    const before = blobCalls().length;
    expect((await create(name)).status).toBe(200);
    await waitFor(
      () => world.logs.some(({ batch, msg }) => batch === id && String(msg).includes('no output that can be read')),
      { what: 'the warning' },
    );
    expect(blobCalls()).toHaveLength(before);
  });
});

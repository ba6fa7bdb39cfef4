/** Files, batches and fine-tuning jobs of upstreams that have those of OpenAI: one table of who has which, and where. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { EndpointId, Upload } from '../../../gateway/src/providers/contract.ts';
import { providerErrorBody, readAnswer, readErrorFields } from '../../../gateway/src/providers/engine/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import type { Exchange } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

const FILES = ['createFile', 'listFiles', 'getFile', 'getFileContent', 'deleteFile'] as const;
const BATCHES = ['createBatch', 'listBatches', 'getBatch', 'cancelBatch'] as const;
const FINETUNES = [
  ...(['createFinetune', 'listFinetunes', 'getFinetune', 'listFinetuneEvents'] as const),
  ...(['listFinetuneCheckpoints', 'cancelFinetune'] as const),
];

interface Native {
  readonly id: string;
  readonly rule?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** What stands before `/files`, `/batches` and `/fine_tuning`. */
  readonly base: string;
  /** The query every URL ends with, whatever the client's is. */
  readonly version?: string;
  readonly has: readonly EndpointId[];
  /** Answers keep their bytes. */
  readonly keepsBytes?: true;
}

const azure = { resource_name: 'r1' };

const NATIVES: readonly Native[] = [
  { id: 'openai', base: 'https://api.openai.com/v1', has: [...FILES, ...BATCHES, ...FINETUNES], keepsBytes: true },
  {
    id: 'azure-openai',
    rule: 'with a dated version',
    fields: { ...azure, api_version: '2025-03-01' },
    base: 'https://r1.openai.azure.com/openai',
    version: 'api-version=2025-03-01',
    has: [...FILES, ...BATCHES, ...FINETUNES],
  },
  {
    id: 'azure-openai',
    rule: 'with v1',
    fields: { ...azure, api_version: 'v1' },
    base: 'https://r1.openai.azure.com/openai/v1',
    has: [...FILES, ...BATCHES, ...FINETUNES],
  },
  {
    id: 'azure-ai',
    fields: {
      azure_foundry_url: 'https://r1.services.ai.azure.com/models',
      azure_api_version: '2025-03-01',
    },
    base: 'https://r1.services.ai.azure.com/openai',
    version: 'api-version=2025-03-01',
    has: [...FILES, ...BATCHES],
  },
  { id: 'groq', base: 'https://api.groq.com/openai/v1', has: [...FILES, ...BATCHES] },
  { id: 'kluster-ai', base: 'https://api.kluster.ai/v1', has: [...FILES, ...BATCHES] },
  { id: 'nebius', base: 'https://api.studio.nebius.ai/v1', has: [...FILES, ...BATCHES, ...FINETUNES] },
  { id: 'mistral-ai', base: 'https://api.mistral.ai/v1', has: FILES },
];

/** Method and path of each call, as OpenAI has them. */
const CALLS: Readonly<Record<(typeof FILES | typeof BATCHES | typeof FINETUNES)[number], string>> = {
  createFile: 'POST /files',
  listFiles: 'GET /files',
  getFile: 'GET /files/a%2Fb',
  getFileContent: 'GET /files/a%2Fb/content',
  deleteFile: 'DELETE /files/a%2Fb',
  createBatch: 'POST /batches',
  listBatches: 'GET /batches',
  getBatch: 'GET /batches/a%2Fb',
  cancelBatch: 'POST /batches/a%2Fb/cancel',
  createFinetune: 'POST /fine_tuning/jobs',
  listFinetunes: 'GET /fine_tuning/jobs',
  getFinetune: 'GET /fine_tuning/jobs/a%2Fb',
  listFinetuneEvents: 'GET /fine_tuning/jobs/a%2Fb/events',
  listFinetuneCheckpoints: 'GET /fine_tuning/jobs/a%2Fb/checkpoints',
  cancelFinetune: 'POST /fine_tuning/jobs/a%2Fb/cancel',
};

const BODIES: Partial<Readonly<Record<EndpointId, object>>> = {
  createBatch: { input_file_id: 'file-1', endpoint: '/v1/embeddings', completion_window: '24h', x_unknown: 1 },
  createFinetune: { model: 'm1', training_file: 'file-1', x_unknown: 1 },
};

const FORM =
  '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n' +
  '--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{}\n\r\n--x--\r\n';

const UPLOAD: Upload = {
  kind: 'form',
  contentType: 'multipart/form-data; boundary=x',
  boundary: 'x',
  source: { bytes: FORM.length, replayable: true, open: () => Readable.from([Buffer.from(FORM)]) },
};

const toExchange = (native: Native, endpoint: string, more: Partial<Exchange> = {}): Exchange => ({
  provider: native.id,
  endpoint,
  fields: { ...native.fields, api_key: 'K-1' },
  strict: true,
  stream: false,
  client_request: { ...BODIES[endpoint as EndpointId] },
  client_headers: {},
  forwarded: {},
  method: 'POST',
  path: '/',
  query: '',
  route: { file_id: 'a%2Fb', batch_id: 'a%2Fb', job_id: 'a%2Fb' },
  env: {},
  side_calls: [],
  ...more,
});

const urlOf = (native: Native, endpoint: keyof typeof CALLS, query: string): string => {
  const [method = '', path = ''] = CALLS[endpoint].split(' ');
  const pairs = [query, native.version ?? ''].filter((text) => text !== '').join('&');
  return `${method} ${native.base}${path}${pairs === '' ? '' : `?${pairs}`}`;
};

const named = NATIVES.map((native) => [`${native.id} ${native.rule ?? ''}`.trim(), native] as const);
const isCall = (id: string): id is keyof typeof CALLS => Object.hasOwn(CALLS, id);

/** Providers with files and batches in formats of their own, which tests of theirs look at. */
const OWN_FORMATS: ReadonlySet<string> = new Set(['anthropic', 'cohere', 'fireworks-ai']);

test('every endpoint of a resource is in the table', () => {
  const natives = [...PROVIDERS.values()].filter(({ id }) => !OWN_FORMATS.has(id));
  const offered = natives.flatMap(({ id, endpoints }) =>
    Object.keys(endpoints).flatMap((endpoint) => (isCall(endpoint) ? [`${id} ${endpoint}`] : [])),
  );
  const listed = NATIVES.flatMap(({ id, has }) => has.map((endpoint) => `${id} ${endpoint}`));
  expect(new Set(offered)).toEqual(new Set(listed));
});

describe.for(named)('resources of %s', ([, native]) => {
  const calls = native.has.filter(isCall);

  test.for(calls)('are reached with the credential: %s', async (endpoint) => {
    const exchange = toExchange(native, endpoint, { query: 'after=x&limit=2' });
    const session = openSession(exchange);
    const request = await buildOutgoing(exchange, session, endpoint === 'createFile' ? UPLOAD : undefined);
    expect(`${request.method} ${request.origin}${request.path}`).toBe(urlOf(native, endpoint, 'after=x&limit=2'));
    expect(JSON.stringify(request.headers)).toContain('K-1');
    if (BODIES[endpoint] === undefined) expect(request.body).toBeUndefined();
    else expect(request.body).toBe(session.rawBody);
  });

  test('take a form as it comes, and nothing else', async () => {
    const exchange = toExchange(native, 'createFile');
    const request = await buildOutgoing(exchange, openSession(exchange), UPLOAD);
    expect(request.headers['content-type']).toBe('multipart/form-data; boundary=x');
    expect(request.streamed && (await buffer(request.streamed.open())).toString()).toBe(FORM);
    const other = buildOutgoing(exchange, openSession(exchange));
    await expect(other).rejects.toMatchObject({ code: 'CONTENT_TYPE_INVALID' });
  });

  test.for(calls.filter((endpoint) => endpoint.startsWith('get')))('refuse an id that climbs: %s', async (endpoint) => {
    const climbing = { file_id: '%2E%2e', batch_id: '%2E%2e', job_id: '%2E%2e' };
    const exchange = toExchange(native, endpoint, { route: climbing });
    await expect(buildOutgoing(exchange, openSession(exchange))).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
  });

  test.for(calls)('come back whole: %s', (endpoint) => {
    const session = openSession(toExchange(native, endpoint));
    if (session.endpoint === undefined) throw new Error('no endpoint');
    if (endpoint === 'getFileContent') return expect(session.endpoint.answer).toEqual({ kind: 'binary' });
    const answer = { id: 'x', status: 'running', data: [{ id: 'y', status: 'running' }], more: 1 };
    const bytes = Buffer.from(JSON.stringify(answer, null, 1));
    const read = readAnswer(session.provider, session.endpoint, session.call, {
      head: { status: 200, headers: {} },
      bytes,
    });
    if (native.keepsBytes) expect(read).toBe(bytes);
    else expect(JSON.parse(read.toString())).toEqual({ ...answer, provider: native.id });
  });

  test('report errors in the normal form', () => {
    const { provider } = openSession(toExchange(native, 'getFile'));
    const bytes = Buffer.from('{"error":{"message":"No such File object","type":"invalid_request_error"}}');
    expect(providerErrorBody(native.id, readErrorFields(provider, { status: 404, headers: {} }, bytes))).toMatchObject({
      error: { message: `${native.id} error: No such File object`, type: 'invalid_request_error' },
      provider: native.id,
    });
  });

  test.runIf(calls.includes('createBatch'))(
    'get the usual window, and options that are set aside for them',
    async () => {
      const exchange = toExchange(native, 'createBatch', {
        client_request: {
          input_file_id: 'f',
          endpoint: '/v1/embeddings',
          provider_options: { endpoint: 'no', blob: 'b' },
        },
      });
      const request = await buildOutgoing(exchange, openSession(exchange));
      expect(JSON.parse(String(request.body))).toEqual({
        ...{ input_file_id: 'f', endpoint: '/v1/embeddings' },
        ...{ blob: 'b', completion_window: '24h' },
      });
      const odd = toExchange(native, 'createBatch', { client_request: { provider_options: 'text' } });
      await expect(buildOutgoing(odd, openSession(odd))).rejects.toMatchObject({
        code: 'PARAMETER_INVALID',
        param: 'provider_options',
      });
    },
  );
});

describe('fine-tuning at azure-openai', () => {
  const native: Native = { id: 'azure-openai', fields: azure, base: '', has: [] };

  test.for([
    {
      rule: 'takes the hyperparameters of the method',
      given: { method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } } },
      want: { hyperparameters: { n_epochs: 2 } },
    },
    {
      rule: 'keeps those that are there',
      given: { method: { type: 'dpo', dpo: { hyperparameters: { beta: 1 } } }, hyperparameters: { n_epochs: 1 } },
      want: { method: { type: 'dpo', dpo: { hyperparameters: { beta: 1 } } }, hyperparameters: { n_epochs: 1 } },
    },
    { rule: 'keeps a method without any', given: { method: { type: 'dpo' } }, want: { method: { type: 'dpo' } } },
    {
      rule: 'keeps a method of no type',
      given: { method: { type: '__proto__' } },
      want: { method: { type: '__proto__' } },
    },
  ])('$rule', async ({ given, want }) => {
    const exchange = toExchange(native, 'createFinetune', { client_request: { model: 'm', ...given } });
    const request = await buildOutgoing(exchange, openSession(exchange));
    expect(JSON.parse(String(request.body))).toEqual({ model: 'm', ...want });
  });

  test.for(['created', 'pending'])('calls the state %s queued', (status) => {
    const { provider, endpoint, call } = openSession(toExchange(native, 'listFinetunes'));
    if (endpoint === undefined) throw new Error('no endpoint');
    const bytes = Buffer.from(JSON.stringify({ data: [{ id: 'j', status }, 'odd'] }));
    const read = readAnswer(provider, endpoint, call, { head: { status: 200, headers: {} }, bytes });
    expect(JSON.parse(read.toString())).toEqual({
      data: [{ id: 'j', status: 'queued' }, 'odd'],
      provider: 'azure-openai',
    });
  });
});

test('azure-ai has none of them where it speaks the format of Anthropic', async () => {
  const fields = { azure_foundry_url: 'https://r1.services.ai.azure.com/anthropic' };
  const exchange = toExchange({ id: 'azure-ai', fields, base: '', has: [] }, 'listFiles');
  await expect(buildOutgoing(exchange, openSession(exchange))).rejects.toMatchObject({ code: 'OPERATION_UNSUPPORTED' });
});

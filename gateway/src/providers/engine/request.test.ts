import { ok } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { Secret } from '../../lib/secret.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Authorizer, Call, Endpoint, OutgoingRequest, Provider } from '../contract.ts';
import { createFields } from './fields.ts';
import {
  buildModelsRequest,
  buildProxyRequest,
  buildRequest,
  type CallOptions,
  proxyPath,
  type RequestOptions,
} from './request.ts';
import { prepareTarget, type TargetOptions } from './target.ts';
import { sampleCall, sampleProvider, sampleServices } from './testing.ts';

const secretly = (headers: Readonly<Record<string, string>>): Map<string, Secret> =>
  new Map(Object.entries(headers).map(([name, value]) => [name, new Secret(value)]));

const chat: Endpoint = {
  method: 'POST',
  path: '/chat',
  request: { kind: 'table', table: { drop: ['gone'] } },
  answer: { kind: 'relay' },
};

const context: CallOptions = { forwarded: {}, services: sampleServices(), signal: new Cancellation() };
const RAW = Buffer.from('{ "a": 1 }');

interface Given {
  readonly provider?: Partial<Provider>;
  readonly fields?: Record<string, string>;
  readonly target?: TargetOptions;
  readonly call?: Partial<Call>;
  readonly options?: Partial<RequestOptions>;
}

function build({
  provider = {},
  fields = { api_key: 'K' },
  target,
  call,
  options,
}: Given): ReturnType<typeof buildRequest> {
  const declared = sampleProvider({ endpoints: { chatComplete: chat }, ...provider });
  const prepared = prepareTarget(declared, createFields(declared, new Map(Object.entries(fields))), target);
  const made = sampleCall({ fields: prepared.fields, params: { a: 1 }, ...call });
  return buildRequest(prepared, made, { ...context, rawBody: RAW, ...options });
}

const built = async (given: Given): Promise<OutgoingRequest> => build(given);
const withEndpoint = (over: Partial<Endpoint>): Given => ({
  provider: { endpoints: { chatComplete: { ...chat, ...over } } },
});

describe('building a request', () => {
  test('takes no promise when nothing has to be waited for', () => {
    expect(build({})).not.toBeInstanceOf(Promise);
  });

  test('sends the client bytes when nothing changes, and new ones when something does', async () => {
    expect((await built({})).body).toBe(RAW);
    expect(String((await built({ call: { params: { a: 1, gone: 2 } } })).body)).toBe('{"a":1}');
    expect(String((await built({ options: { rawBody: undefined } })).body)).toBe('{"a":1}');
  });

  test('waits for writers and authorizers that call out', async () => {
    const auth: Authorizer = {
      summary: 'late',
      async apply(request) {
        request.headers['late'] = '1';
      },
    };
    const endpoint: Endpoint = {
      ...chat,
      request: { kind: 'write', takes: () => takesAll, write: async () => ok({ written: true }) },
    };
    const request = await built({ provider: { auth, endpoints: { chatComplete: endpoint } } });
    expect(request.headers).toMatchObject({ late: '1' });
    expect(String(request.body)).toBe('{"written":true}');
  });

  test('throws what a writer returns', async () => {
    const error = new AppError('PARAMETER_INVALID');
    const given = withEndpoint({
      request: { kind: 'write', takes: () => takesAll, write: () => ({ ok: false, error }) },
    });
    await expect(built(given)).rejects.toBe(error);
  });

  test('has neither body nor content type for GET', async () => {
    const request = await built(withEndpoint({ method: 'GET', request: { kind: 'none' } }));
    expect(request).toMatchObject({ method: 'GET', body: undefined });
    expect(request.headers).not.toHaveProperty('content-type');
  });

  test.for<[rule: string, path: Endpoint['path'], call: Partial<Call>, want: string]>([
    ['a constant', '/chat', {}, '/chat'],
    ['a function', (call) => `/f/${call.model}`, {}, '/f/m1'],
    ['the model with its slashes', '/{model}/chat', { model: 'org/m 1' }, '/org/m%201/chat'],
    ['the model as one segment', '/{encoded_model}/chat', { model: 'org/m:1' }, '/org%2Fm%3A1/chat'],
    ['a segment of the route, as it came', '/x/{id}', { route: { id: 'a%2Fb' } }, '/x/a%2Fb'],
    ['the query', '/x?{query}', { query: 'a=1' }, '/x?a=1'],
    ['no question mark without a query', '/x?{query}', {}, '/x'],
  ])('goes to %s', async ([, path, call, want]) => {
    const request = await built({ ...withEndpoint({ path }), call });
    expect(request.origin + request.path).toBe(`https://api.example.com/v1${want}`);
  });

  test('streams at the path for streams', async () => {
    const given = withEndpoint({ streamPath: '/chat?alt=sse' });
    expect((await built({ ...given, call: { stream: true } })).path).toBe('/v1/chat?alt=sse');
    expect((await built({ ...given, call: { stream: false } })).path).toBe('/v1/chat');
  });

  test.for<[rule: string, given: Given, code: string]>([
    ['an operation it does not offer', { call: { endpoint: 'embed' } }, 'OPERATION_UNSUPPORTED'],
    ['an operation the call does not get', withEndpoint({ supports: () => false }), 'OPERATION_UNSUPPORTED'],
    ['a path without its model', { ...withEndpoint({ path: '/{model}' }), call: { model: '' } }, 'MODEL_REQUIRED'],
    ['a path without its field', withEndpoint({ path: '/{deployment_id}' }), 'PROVIDER_FIELD_MISSING'],
    ['a base URL without its field', { provider: { baseUrl: 'https://{resource}.x' } }, 'PROVIDER_FIELD_MISSING'],
    ['a missing key', { fields: {} }, 'PROVIDER_FIELD_MISSING'],
    [
      'a route segment that climbs',
      { ...withEndpoint({ path: '/x/{id}' }), call: { route: { id: '..' } } },
      'PARAMETER_INVALID',
    ],
    ['a custom host that is no URL', { target: { customHost: 'nope' } }, 'CUSTOM_HOST_REFUSED'],
    [
      'a base URL that is none',
      { provider: { baseUrl: '{url}' }, fields: { api_key: 'K', url: 'nope' } },
      'PARAMETER_INVALID',
    ],
  ])('refuses %s', async ([, given, code]) => {
    await expect(built(given)).rejects.toMatchObject({ code });
  });

  test('says which operation which provider does not offer', async () => {
    await expect(built({ call: { operation: 'POST /v1/embeddings', endpoint: 'embed' } })).rejects.toMatchObject({
      detail: 'POST /v1/embeddings is not offered by openai',
      provider: 'openai',
    });
  });
});

describe('the headers of a typed call', () => {
  test("are the provider's own, those with empty places left out", async () => {
    const headers = {
      'X-Project': '{project}',
      'x-none': '{none}',
      'x-model': '{model}',
      'x-beta': (call: Call) => call.header('beta'),
      'x-absent': () => undefined,
    };
    const request = await built({
      provider: { headers },
      fields: { api_key: 'K', project: 'p1' },
      call: { header: (name) => `${name}-1` },
    });
    expect(request.headers).toEqual({
      'content-type': 'application/json',
      'x-project': 'p1',
      'x-model': 'm1',
      'x-beta': 'beta-1',
      authorization: 'Bearer K',
    });
  });

  test('lie in order: content type, provider, credential, stored, forwarded', async () => {
    const given: Given = {
      provider: { headers: { a: 'provider', b: 'provider', c: 'provider', 'content-type': 'provider' } },
      target: { headers: secretly({ B: 'stored', c: 'stored', authorization: 'stored' }) },
    };
    expect((await built(given)).headers).toMatchObject({ a: 'provider', b: 'stored', 'content-type': 'provider' });
    const forwarded = { c: 'forwarded', authorization: 'forwarded' };
    expect((await built({ ...given, options: { forwarded } })).headers).toMatchObject(forwarded);
    expect((await built(given)).headers).toMatchObject({ authorization: 'stored' });
  });

  test('are signed last: nothing forwarded changes them afterwards', async () => {
    const auth: Authorizer = {
      summary: 'signature',
      signs: true,
      apply(request) {
        request.headers['authorization'] = `signed ${request.headers['x-part']}`;
      },
    };
    const forwarded = { authorization: 'forwarded', 'x-part': 'seen' };
    expect((await built({ provider: { auth }, options: { forwarded } })).headers).toMatchObject({
      authorization: 'signed seen',
      'x-part': 'seen',
    });
  });

  test('never carry what frames the body or belongs to the gateway', async () => {
    const forwarded = {
      host: 'h',
      'content-length': '9',
      'transfer-encoding': 'chunked',
      'x-gw-api-key': 'k',
      ok: '1',
    };
    const { headers } = await built({ options: { forwarded } });
    expect(headers).toEqual({ 'content-type': 'application/json', authorization: 'Bearer K', ok: '1' });
  });
});

describe('a proxied call', () => {
  const proxy = async (
    over: { provider?: Partial<Provider>; target?: TargetOptions; call?: Partial<Call>; fields?: [string, string][] },
    options: Partial<Parameters<typeof buildProxyRequest>[2]> = {},
  ): Promise<OutgoingRequest> => {
    const declared = sampleProvider(over.provider);
    const prepared = prepareTarget(
      declared,
      createFields(declared, new Map(over.fields ?? [['api_key', 'K']])),
      over.target,
    );
    const call = sampleCall({
      endpoint: 'proxy',
      fields: prepared.fields,
      path: '/files',
      query: 'a=1',
      ...over.call,
    });
    return buildProxyRequest(prepared, call, { ...context, method: 'PUT', headers: {}, body: RAW, ...options });
  };

  test('keeps method, path, query and bytes', async () => {
    const request = await proxy({});
    expect(request).toMatchObject({ method: 'PUT', path: '/v1/files?a=1' });
    expect(request.body).toBe(RAW);
  });

  test("lets the client's headers lie over the provider's, and the credential over all", async () => {
    const { headers } = await proxy(
      {
        provider: { headers: { version: '1', other: 'o', beta: () => 'b' } },
        target: { headers: secretly({ stored: 's' }) },
      },
      {
        headers: { version: '2', authorization: 'Bearer gwk_client', 'content-type': 'text/plain' },
        forwarded: { authorization: 'forwarded' },
      },
    );
    expect(headers).toEqual({
      version: '2',
      other: 'o',
      beta: 'b',
      stored: 's',
      'content-type': 'text/plain',
      authorization: 'Bearer K',
    });
  });

  test("never passes the client's own authorization on, key or no key", async () => {
    const options = { headers: { authorization: 'Bearer gwk_client' }, body: undefined };
    const { headers } = await proxy({ fields: [], target: { customHost: 'https://x.example' } }, options);
    expect(headers).toEqual({});
  });

  test("asks the provider for path and base URL, unless the host is the target's own", async () => {
    const proxied = { path: () => '/p?x=1', baseUrl: () => 'https://other.example/v2', dataPlane: [], modelPlaces: [] };
    const provider: Partial<Provider> = { proxy: proxied };
    const request = await proxy({ provider });
    expect(request.origin + request.path).toBe('https://other.example/v2/p?x=1');
    const own = await proxy({ provider, target: { customHost: 'https://own.example' } });
    expect(own.origin + own.path).toBe('https://own.example/p?x=1');
  });

  test('may not climb, but a query may hold anything', async () => {
    await expect(proxy({ call: { path: '/a/%2e./b' } })).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
    expect((await proxy({ call: { query: 'q=../..' } })).path).toBe('/v1/files?q=../..');
  });

  test.for([
    ['/proxy/files', 'a=1', '/files?a=1'],
    ['/proxyfiles', '', '/proxyfiles'],
    ['/files', '', '/files'],
  ] as const)('%s?%s is %s', ([path, query, want]) => {
    expect(proxyPath(sampleCall({ path, query }))).toBe(want);
  });
});

describe('a request for models', () => {
  const models = async (provider: Partial<Provider>, page?: string): Promise<OutgoingRequest> => {
    const declared = sampleProvider(provider);
    const prepared = prepareTarget(declared, createFields(declared, new Map([['api_key', 'K']])));
    const call = sampleCall({ operation: 'GET /v1/models', endpoint: 'listModels', fields: prepared.fields });
    return buildModelsRequest(prepared, call, { ...context, ...(page === undefined ? {} : { page }) });
  };

  test('goes to the list, then to the page that follows', async () => {
    const provider = { models: { path: '/models?limit=9' } };
    expect(await models(provider)).toMatchObject({ method: 'GET', path: '/v1/models?limit=9', body: undefined });
    expect((await models(provider, '/models?after=a')).path).toBe('/v1/models?after=a');
  });

  test('is refused where there is no list', async () => {
    await expect(models({})).rejects.toMatchObject({
      code: 'OPERATION_UNSUPPORTED',
      detail: 'GET /v1/models is not offered by openai',
    });
  });
});

describe('a prepared target', () => {
  test('knows its custom host as a field', () => {
    const provider = sampleProvider();
    const target = prepareTarget(provider, createFields(provider, new Map([['api_key', 'K']])), {
      customHost: 'http://h/v1',
    });
    expect(target.fields.text('custom_host')).toBe('http://h/v1');
    expect(target.fields.secret('api_key')?.reveal()).toBe('K');
    expect(target).toMatchObject({ provider, base: { origin: 'http://h', prefix: '/v1' } });
  });

  test.for<[baseUrl: Provider['baseUrl'], want: string]>([
    ['https://{model}.x.example', 'https://m1.x.example/chat'],
    [(call) => `https://x.example/${call.model}/`, 'https://x.example/m1/chat'],
  ])('makes a base URL that depends on the call: %s', async ([baseUrl, want]) => {
    const request = await built({ provider: { baseUrl } });
    expect(request.origin + request.path).toBe(want);
  });
});

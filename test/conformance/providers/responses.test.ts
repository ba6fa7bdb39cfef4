import { describe, expect, test } from 'vitest';
import {
  openStream,
  providerErrorBody,
  readAnswer,
  readErrorFields,
} from '../../../gateway/src/providers/engine/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import type { Exchange } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';
import { cut, relay, splitPoints } from './streams.ts';

interface Native {
  readonly id: string;
  readonly rule?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the collection. */
  readonly url: string;
  /** The query every URL ends with, whatever the client's is. */
  readonly version?: string;
  readonly model?: string;
}

const azure = { resource_name: 'r1', deployment_id: 'dep1' };
const asked = { 'x-gw-provider-responses-proxy': 'true' };

/** Who has the responses API, and at which path. */
const NATIVES: readonly Native[] = [
  { id: 'openai', url: 'https://api.openai.com/v1/responses' },
  { id: 'groq', url: 'https://api.groq.com/openai/v1/responses' },
  { id: 'openrouter', url: 'https://openrouter.ai/api/v1/responses' },
  { id: 'x-ai', url: 'https://api.x.ai/v1/responses' },
  {
    id: 'azure-openai',
    rule: 'with a dated version',
    fields: { ...azure, api_version: '2025-03-01' },
    url: 'https://r1.openai.azure.com/openai/responses',
    version: 'api-version=2025-03-01',
  },
  {
    id: 'azure-openai',
    rule: 'with v1, where the deployment is the model',
    fields: { ...azure, api_version: 'v1' },
    url: 'https://r1.openai.azure.com/openai/v1/responses',
    model: 'dep1',
  },
  {
    id: 'azure-ai',
    rule: 'when the client asks for it',
    fields: { azure_foundry_url: 'https://r1.services.ai.azure.com/openai/v1' },
    headers: asked,
    url: 'https://r1.services.ai.azure.com/openai/v1/responses',
  },
];

const toExchange = (native: Native, more: Partial<Exchange>): Exchange => ({
  provider: native.id,
  endpoint: 'createModelResponse',
  fields: { ...native.fields, api_key: 'K' },
  strict: true,
  stream: false,
  client_request: {},
  client_headers: native.headers ?? {},
  forwarded: {},
  method: 'POST',
  path: '/responses',
  query: '',
  route: {},
  env: {},
  side_calls: [],
  ...more,
});

const withQuery = (url: string, ...queries: (string | undefined)[]): string => {
  const query = queries.filter((text) => text !== undefined).join('&');
  return query === '' ? url : `${url}?${query}`;
};

test('every provider that offers one operation of the API offers all of them and is listed', () => {
  const offering = [...PROVIDERS.values()].filter(({ endpoints }) => endpoints.createModelResponse !== undefined);
  expect(new Set(offering.map(({ id }) => id))).toEqual(new Set(NATIVES.map(({ id }) => id)));
});

describe.for(NATIVES.map((native) => [`${native.id} ${native.rule ?? ''}`.trim(), native] as const))(
  'responses of %s',
  ([, native]) => {
    const body = { model: native.model ?? 'm1', input: 'Hi', previous_response_id: 'resp_0', x_unknown: 1 };

    test("are created with the client's own bytes", async () => {
      const exchange = toExchange(native, { client_request: body });
      const session = openSession(exchange);
      const request = await buildOutgoing(exchange, session);
      expect(request.method).toBe('POST');
      expect(request.origin + request.path).toBe(withQuery(native.url, native.version));
      expect(request.body).toBe(session.rawBody);
    });

    test.runIf(native.model !== undefined)('name the deployment', async () => {
      const exchange = toExchange(native, { client_request: { ...body, model: 'alias' } });
      const request = await buildOutgoing(exchange, openSession(exchange));
      expect(JSON.parse(String(request.body))).toEqual(body);
    });

    test.for([
      ['getModelResponse', 'GET', ''],
      ['deleteModelResponse', 'DELETE', ''],
      ['listResponseInputItems', 'GET', '/input_items'],
    ] as const)('are reached by id: %s', async ([endpoint, method, below]) => {
      const exchange = toExchange(native, { endpoint, query: 'limit=2', route: { response_id: 'resp%2F1' } });
      const request = await buildOutgoing(exchange, openSession(exchange));
      expect(request).toMatchObject({ method, body: undefined });
      expect(request.origin + request.path).toBe(
        withQuery(`${native.url}/resp%2F1${below}`, 'limit=2', native.version),
      );
      expect(request.headers).not.toHaveProperty('content-type');
    });

    test('refuse an id that climbs', async () => {
      const exchange = toExchange(native, { endpoint: 'getModelResponse', route: { response_id: '%2E%2e' } });
      await expect(buildOutgoing(exchange, openSession(exchange))).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
    });

    test('come back byte for byte, events too, without a terminator of another format', () => {
      const { provider, endpoint, call } = openSession(toExchange(native, { stream: true }));
      if (endpoint === undefined) throw new Error('no endpoint');
      const bytes = Buffer.from('{ "id":"resp_1" }');
      expect(readAnswer(provider, endpoint, call, { head: { status: 200, headers: {} }, bytes })).toBe(bytes);
      const events = Buffer.from('event: response.completed\ndata: {"type":"response.completed"}\n\n');
      for (const at of splitPoints(events.length)) {
        const opened = openStream(provider, endpoint, call, { items: true });
        if (opened?.kind !== 'relay') throw new Error('decoded');
        expect(relay(opened, cut(events, at))).toBe(events.toString());
      }
    });

    test('report errors in the normal form', () => {
      const { provider } = openSession(toExchange(native, {}));
      const bytes = Buffer.from('{"error":{"message":"No such response","type":"invalid_request_error"}}');
      expect(providerErrorBody(native.id, readErrorFields(provider, { status: 404, headers: {} }, bytes))).toEqual({
        error: {
          message: `${native.id} error: No such response`,
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
        provider: native.id,
      });
    });
  },
);

test('azure-ai leaves responses to the adapter unless a setting asks for them', async () => {
  const exchange = toExchange({ id: 'azure-ai', url: '', fields: { azure_foundry_url: 'https://x.example' } }, {});
  await expect(buildOutgoing(exchange, openSession(exchange))).rejects.toMatchObject({ code: 'OPERATION_UNSUPPORTED' });
});

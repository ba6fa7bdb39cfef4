/** Message batches in the format of Anthropic's own API: who has them, and where. */
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../gateway/src/providers/engine/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import type { Exchange } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

const CALLS = {
  createMessageBatch: 'POST /messages/batches',
  listMessageBatches: 'GET /messages/batches',
  getMessageBatch: 'GET /messages/batches/msgbatch_1',
  getMessageBatchResults: 'GET /messages/batches/msgbatch_1/results',
  cancelMessageBatch: 'POST /messages/batches/msgbatch_1/cancel',
  deleteMessageBatch: 'DELETE /messages/batches/msgbatch_1',
} as const;
const ENDPOINTS = Object.keys(CALLS) as (keyof typeof CALLS)[]; // keys of the table

const toExchange = (endpoint: string, more: Partial<Exchange> = {}): Exchange => ({
  provider: 'anthropic',
  endpoint,
  fields: { api_key: 'K-1' },
  strict: true,
  stream: false,
  client_request: endpoint === 'createMessageBatch' ? { requests: [{ custom_id: 'a', params: {} }], x_unknown: 1 } : {},
  client_headers: {},
  forwarded: {},
  method: 'POST',
  path: '/',
  query: '',
  route: { batch_id: 'msgbatch_1' },
  env: {},
  side_calls: [],
  ...more,
});

test('one provider has them, and all of them', () => {
  const offered = [...PROVIDERS.values()].flatMap(({ id, endpoints }) =>
    ENDPOINTS.filter((endpoint) => endpoints[endpoint] !== undefined).map((endpoint) => `${id} ${endpoint}`),
  );
  expect(offered).toEqual(ENDPOINTS.map((endpoint) => `anthropic ${endpoint}`));
});

describe.for(ENDPOINTS)('%s', (endpoint) => {
  test('is reached with the credential, the bytes of the client and the parameters of a page', async () => {
    const session = openSession(toExchange(endpoint, { query: 'limit=2&after_id=x&beta=true&model=m' }));
    const request = await buildOutgoing(
      toExchange(endpoint, { query: 'limit=2&after_id=x&beta=true&model=m' }),
      session,
    );
    const [method, path] = CALLS[endpoint].split(' ');
    expect(request.method).toBe(method);
    expect(request.origin + request.path).toBe(`https://api.anthropic.com/v1${path}?limit=2&after_id=x&beta=true`);
    expect(request.headers).toMatchObject({ 'x-api-key': 'K-1', 'anthropic-version': '2023-06-01' });
    expect(request.body).toBe(endpoint === 'createMessageBatch' ? session.rawBody : undefined);
  });

  test.runIf(CALLS[endpoint].includes('msgbatch_1'))('refuses an id that leads elsewhere', async () => {
    for (const id of ['%2E%2e', 'a%2Fresults', 'a%3Fx']) {
      const exchange = toExchange(endpoint, { route: { batch_id: id } });
      await expect(buildOutgoing(exchange, openSession(exchange))).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
    }
  });
});

describe('an answer', () => {
  const read = (endpoint: keyof typeof CALLS, answer: unknown): unknown => {
    const session = openSession(toExchange(endpoint));
    if (session.endpoint === undefined) throw new Error('no endpoint');
    const bytes = Buffer.from(JSON.stringify(answer));
    const head = { status: 200, headers: {} };
    return JSON.parse(readAnswer(session.provider, session.endpoint, session.call, { bytes, head }).toString());
  };
  const batch = (results_url: string | null) => ({
    id: 'msgbatch_1/?',
    results_url,
    request_counts: { expired: 1 },
    more: 1,
  });
  const there = batch('https://api.anthropic.com/v1/messages/batches/msgbatch_1/results');
  const own = batch('/v1/messages/batches/msgbatch_1%2F%3F/results');

  test.for(['createMessageBatch', 'getMessageBatch', 'cancelMessageBatch'] as const)(
    'to %s names results at the gateway, and is as it was else',
    (endpoint) => {
      expect(read(endpoint, there)).toEqual(own);
      expect(read(endpoint, batch(null))).toEqual(batch(null));
      expect(read(endpoint, { results_url: 'https://x.example' })).toEqual({ results_url: 'https://x.example' });
      expect(() => read(endpoint, [])).toThrow(expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }));
    },
  );

  test('that lists batches names those of each', () => {
    const page = { first_id: 'a', has_more: true, more: 1 };
    const data = [there, 'odd', batch(null)];
    expect(read('listMessageBatches', { data, ...page })).toEqual({ data: [own, 'odd', batch(null)], ...page });
    expect(() => read('listMessageBatches', {})).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    );
  });
});

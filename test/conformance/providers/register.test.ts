import { PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import { describe, expect, test } from 'vitest';
import type { EndpointId, Provider } from '../../../gateway/src/providers/contract.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import { TABLE } from '../../../gateway/src/providers/table/index.ts';
import { type Exchange, readFixtures } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

test('the register and the catalogue name the same providers', () => {
  expect([...PROVIDERS.keys()].sort()).toEqual([...PROVIDER_CATALOGUE.keys()].sort());
  expect([...PROVIDERS].filter(([id, provider]) => provider.id !== id)).toEqual([]);
});

/** The same wherever they are: responses.test.ts, realtime.test.ts, realtime-calls.test.ts, resources.test.ts, message-batches.test.ts and further.test.ts put all of them through one table each. */
const IN_ONE_TABLE: ReadonlySet<string> = new Set([
  ...['createModelResponse', 'getModelResponse', 'deleteModelResponse', 'listResponseInputItems', 'realtime'],
  ...['moderate', 'rerank', 'imageGenerate', 'createSpeech'],
  ...['imageEdit', 'imageVariation', 'createTranscription', 'createTranslation'],
  ...['createFile', 'listFiles', 'getFile', 'getFileContent', 'deleteFile'],
  ...['createBatch', 'listBatches', 'getBatch', 'cancelBatch'],
  ...['createFinetune', 'listFinetunes', 'getFinetune', 'listFinetuneEvents', 'listFinetuneCheckpoints'],
  'cancelFinetune',
  ...['createMessageBatch', 'listMessageBatches', 'getMessageBatch', 'getMessageBatchResults'],
  ...['cancelMessageBatch', 'deleteMessageBatch'],
  ...['createRealtimeCall', 'acceptRealtimeCall', 'rejectRealtimeCall', 'referRealtimeCall', 'hangupRealtimeCall'],
  ...['createRealtimeSecret', 'createRealtimeSession', 'createTranscriptionSession'],
  ...['createRealtimeTranslationCall', 'createRealtimeTranslationSecret'],
]);

const inTable = new Set(TABLE.map(({ id }) => id));
const OWN_FOLDER = [...PROVIDERS.values()].filter(({ id }) => !inTable.has(id));

const endpointsOf = (provider: Provider): EndpointId[] =>
  (Object.keys(provider.endpoints) as EndpointId[]) // keys of a record by EndpointId
    .filter((id) => !IN_ONE_TABLE.has(id));

const FIXTURES = readFixtures().map(({ exchange }) => exchange);

const COVERAGE: readonly (readonly [what: string, holds: (exchange: Exchange) => boolean])[] = [
  ['a request', ({ upstream_request }) => upstream_request !== undefined],
  ['an answer', ({ client_response }) => client_response?.status === 200],
  ['an error', (exchange) => exchange.client_error !== undefined || (exchange.client_response?.status ?? 0) >= 400],
];

const OWN_ENDPOINTS = OWN_FOLDER.flatMap((provider) =>
  endpointsOf(provider).map((id) => ({
    name: `${provider.id} ${id}`,
    streams: provider.endpoints[id]?.stream !== undefined,
    own: FIXTURES.filter((exchange) => exchange.provider === provider.id && exchange.endpoint === id),
  })),
);

describe.for(OWN_ENDPOINTS)('the fixtures of $name', ({ own, streams }) => {
  test.for(COVERAGE)('show %s', ([, holds]) => {
    expect(own.some(holds)).toBe(true);
  });

  test.runIf(streams)('show a stream', () => {
    expect(own.some(({ upstream_stream }) => upstream_stream !== undefined)).toBe(true);
  });
});

/** A request of every provider: its first fixture that builds without side calls. */
const SAMPLES: readonly Exchange[] = [...PROVIDERS.keys()].flatMap((id) => {
  const own = FIXTURES.find(
    ({ provider, upstream_request, side_calls }) =>
      provider === id && upstream_request !== undefined && side_calls.length === 0,
  );
  return own ?? [];
});

const FORWARDED = { authorization: 'Forwarded 1', 'x-gw-api-key': 'gwk_1', 'content-length': '1', 'x-mine': '1' };

describe.for(SAMPLES.map((exchange) => [exchange.provider, exchange] as const))('headers to %s', ([id, sample]) => {
  const { auth } = openSession(sample).provider;
  const headersOf = async (more: Partial<Exchange>): Promise<Record<string, string>> => {
    const exchange = { ...sample, ...more };
    return (await buildOutgoing(exchange, openSession(exchange))).headers;
  };

  test.runIf(sample.endpoint !== 'proxy')(
    'a forwarded authorization replaces a credential and never a signature',
    async () => {
      const headers = await headersOf({ forwarded: FORWARDED });
      if (auth.signs) expect(headers['authorization']).not.toBe('Forwarded 1');
      else expect(headers['authorization']).toBe('Forwarded 1');
      expect(headers).toMatchObject({ 'x-mine': '1' });
      expect(headers).not.toHaveProperty('x-gw-api-key');
      expect(headers).not.toHaveProperty('content-length');
    },
  );

  test("the credential of a proxied call is the provider's", async () => {
    const proxied = { endpoint: 'proxy', method: 'POST', path: '/anything', route: {}, page: undefined };
    const plain = await headersOf(proxied);
    const headers = await headersOf({
      ...proxied,
      client_headers: { ...sample.client_headers, authorization: 'Bearer gwk_client', 'x-mine': '1' },
      forwarded: { authorization: 'Forwarded 1' },
    });
    // Without a credential of the provider's own, what was forwarded by name is what there is.
    expect(headers['authorization']).not.toBe('Bearer gwk_client');
    if (!auth.signs) expect(headers['authorization']).toBe(plain['authorization'] ?? 'Forwarded 1');
    expect(headers['x-mine']).toBe('1');
  });

  test('secret fields of the catalogue are secrets to hooks', () => {
    const names = secretFieldsOf(PROVIDER_CATALOGUE.get(id) ?? { id, fields: [], requires: [], credentials: [] });
    const { call } = openSession({ ...sample, fields: Object.fromEntries(names.map((name) => [name, 'v'])) });
    for (const name of names) {
      expect(call.fields.text(name)).toBeUndefined();
      expect(call.fields.secret(name)?.reveal()).toBe('v');
    }
  });
});

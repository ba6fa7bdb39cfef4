import { describe, expect, test } from 'vitest';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import type { Exchange } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

interface Native {
  readonly id: string;
  readonly rule?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Of a call with the query below and the model m1. */
  readonly url: string;
  readonly credential: Readonly<Record<string, string>>;
}

const BEARER = { authorization: 'Bearer K' };
const azure = { resource_name: 'r1', deployment_id: 'dep1' };
/** What the client sends: its model may have a prefix, and what it says of a deployment is the account's business. */
const QUERY = 'model=%40slug%2Fm1&intent=transcription';

/** Who has the realtime API, and at which path. */
const NATIVES: readonly Native[] = [
  { id: 'openai', url: 'https://api.openai.com/v1/realtime?model=m1&intent=transcription', credential: BEARER },
  { id: 'x-ai', url: 'https://api.x.ai/v1/realtime?model=m1&intent=transcription', credential: BEARER },
  {
    id: 'azure-openai',
    rule: 'with a dated version',
    fields: { ...azure, api_version: '2025-04-01' },
    url: 'https://r1.openai.azure.com/openai/realtime?model=m1&intent=transcription&deployment=dep1&api-version=2025-04-01',
    credential: { 'api-key': 'K' },
  },
  {
    id: 'azure-openai',
    rule: 'with v1, where the deployment is the model',
    fields: { ...azure, api_version: 'v1' },
    url: 'https://r1.openai.azure.com/openai/v1/realtime?model=dep1&intent=transcription',
    credential: { 'api-key': 'K' },
  },
  {
    id: 'azure-ai',
    fields: { azure_foundry_url: 'https://r1.services.ai.azure.com/openai/v1', azure_api_version: '2025-04-01' },
    url: 'https://r1.services.ai.azure.com/openai/v1/realtime?model=m1&intent=transcription&api-version=2025-04-01',
    credential: BEARER,
  },
];

const toExchange = (native: Native, query: string): Exchange => ({
  provider: native.id,
  endpoint: 'realtime',
  fields: { ...native.fields, api_key: 'K' },
  strict: true,
  stream: false,
  client_request: { model: 'm1' },
  client_headers: {},
  forwarded: {},
  method: 'GET',
  path: '/realtime',
  query,
  route: {},
  env: {},
  side_calls: [],
});

test('every provider that offers the API is listed', () => {
  const offering = [...PROVIDERS.values()].filter(({ endpoints }) => endpoints.realtime !== undefined);
  expect(new Set(offering.map(({ id }) => id))).toEqual(new Set(NATIVES.map(({ id }) => id)));
});

describe.for(NATIVES.map((native) => [`${native.id} ${native.rule ?? ''}`.trim(), native] as const))(
  'the realtime API of %s',
  ([, native]) => {
    test.for([
      QUERY,
      `${QUERY}&model=other`,
      ...(native.id === 'azure-openai' ? [`${QUERY}&deployment=other&api-version=2020-01-01`] : []),
    ])('is called with the credential and the model that was checked: %s', async (query) => {
      const exchange = toExchange(native, query);
      const request = await buildOutgoing(exchange, openSession(exchange));
      expect(request).toMatchObject({ method: 'GET', body: undefined, headers: native.credential });
      expect(request.origin + request.path).toBe(native.url);
    });
  },
);

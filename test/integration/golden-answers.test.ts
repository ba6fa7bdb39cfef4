/** The golden answers of the providers through a whole gateway: what the conformance suite asks of the engine alone. */
import { PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Exchange, type Fixture, readFixtures } from '../conformance/providers/fixture.ts';
import { bytesOf, fieldValues } from '../conformance/providers/session.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { provider } from '../kit/snapshot.ts';

const ROUTES: Readonly<Record<string, string>> = {
  chatComplete: '/v1/chat/completions',
  complete: '/v1/completions',
  embed: '/v1/embeddings',
  imageGenerate: '/v1/images/generations',
  messages: '/v1/messages',
  moderate: '/v1/moderations',
  rerank: '/v1/rerank',
};

/** Those that take one call, at the host of an account. */
const fixtures = readFixtures().filter(
  ({ exchange: { endpoint, side_calls, custom_host, env, upstream_response, client_response } }) =>
    ROUTES[endpoint] !== undefined &&
    side_calls.length === 0 &&
    custom_host === undefined &&
    Object.keys(env).length === 0 &&
    upstream_response !== undefined &&
    client_response?.status === 200,
);

let upstream: RawUpstream;
let world: World;
let reply: NonNullable<Exchange['upstream_response']>;

beforeAll(async () => {
  upstream = await startRawUpstream(async ({ request, answer }) => {
    await request.body;
    await answer(reply.status, bytesOf(reply), { 'content-type': 'application/json', ...reply.headers });
  });
  world = await startWorld({ entries: () => fixtures.map((fixture, at) => accountOf(fixture, at)) });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

function accountOf({ exchange }: Fixture, at: number) {
  const { provider: id } = exchange;
  const entry = PROVIDER_CATALOGUE.get(id);
  const secrets = new Set(['api_key', ...(entry === undefined ? [] : secretFieldsOf(entry))]);
  const part = (isSecret: boolean) =>
    Object.fromEntries([...fieldValues(exchange)].filter(([name]) => secrets.has(name) === isSecret));
  return provider(`account-${at}`, {
    provider: id,
    customHost: upstream.url,
    settings: part(false),
    secret: part(true),
  });
}

test.for(fixtures.map((fixture, at) => ({ ...fixture, at })))('of $name', async ({ exchange, at }) => {
  const { endpoint, client_request, client_headers, strict, upstream_response, client_response } = exchange;
  if (upstream_response === undefined) throw new Error('no upstream response');
  reply = upstream_response;
  const answer = await world.send(ROUTES[endpoint] ?? '', {
    headers: {
      ...client_headers,
      'x-gw-provider': `@account-${at}`,
      'x-gw-strict-open-ai-compliance': String(strict),
    },
    body: client_request,
  });
  expect(answer.status, answer.text).toBe(200);
  const body = client_response?.body;
  if (body !== undefined) expect(withoutMade(answer.json())).toEqual(withoutMade(body));
});

/** Ids and times are made while the test runs. */
const withoutMade = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === 'created' || name === 'id' ? undefined : value)));

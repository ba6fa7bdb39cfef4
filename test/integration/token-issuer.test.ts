/** Tokens of an issuer that publishes its keys at a URL. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { issuer } from '../kit/snapshot.ts';
import { createTokenIssuer, type TokenIssuer } from '../kit/token-issuer.ts';
import { waitFor } from '../kit/wait-for.ts';

const CHAT = '/v1/chat/completions';
const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const ISS = 'https://id.example';

let one: TokenIssuer;
let two: TokenIssuer;

beforeAll(async () => {
  [one, two] = await Promise.all([createTokenIssuer({ kid: 'one' }), createTokenIssuer({ kid: 'two' })]);
});

interface KeyServer extends AsyncDisposable {
  readonly url: string;
  answer: RequestListener;
}

async function startKeyServer(answer: RequestListener): Promise<KeyServer> {
  const state = { answer };
  const server: Server = createServer((request, response) => state.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get answer() {
      return state.answer;
    },
    set answer(next) {
      state.answer = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const keys =
  (...jwks: object[]): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify({ keys: jwks }));
const now = (): number => Math.floor(Date.now() / 1000);
const times = () => ({ iat: now(), exp: now() + 600 });
const ask = async (world: World, token: string) =>
  send(world.url + CHAT, { headers: { authorization: `Bearer ${token}`, 'x-gw-provider': '@openai' }, body: BODY });
const start = (jwksUri: string, env: Record<string, string> = {}): Promise<World> =>
  startWorld({ entries: () => [issuer(ISS, { jwksUri })], env });

describe('keys at a URL', () => {
  test('are fetched, also new ones, and kept while the issuer is away', async () => {
    await using server = await startKeyServer(keys(one.jwk));
    await using world = await start(`${server.url}/keys`);
    const token = await one.sign(times());
    await waitFor(async () => (await world.metric('gatehouse_issuer_key_fetches_total', { result: 'ok' })) === 1, {
      what: 'the keys to be fetched',
    });
    expect((await ask(world, token)).status).toBe(200);
    server.answer = (_, response) => void response.writeHead(500).end();
    expect((await ask(world, await one.sign({ ...times(), jti: 'another' }))).status).toBe(200);
    expect((await ask(world, await two.sign(times()))).status).toBe(401);
  });

  test.for<{ rule: string; answer: (server: KeyServer) => RequestListener }>([
    {
      rule: 'behind a redirect',
      answer: (server) => (request, response) =>
        request.url === '/keys'
          ? void response.writeHead(302, { location: `${server.url}/other` }).end()
          : keys(one.jwk)(request, response),
    },
    { rule: 'in an answer without end', answer: () => (_, response) => void endless(response) },
    { rule: 'nested deep', answer: () => (_, response) => void response.end('{"keys":'.repeat(10_000)) },
    { rule: 'that are no JSON', answer: () => (_, response) => void response.end('<html>') },
    { rule: 'without a list', answer: () => (_, response) => void response.end('{"keys":{"0":{}}}') },
    { rule: 'behind ten thousand others', answer: () => keys(...Array(10_000).fill({ kty: 'oct', k: 'x' }), one.jwk) },
  ])('$rule are none: the token cannot be verified (503)', async ({ answer }) => {
    await using server = await startKeyServer(() => {});
    server.answer = answer(server);
    await using world = await start(`${server.url}/keys`);
    const refused = await ask(world, await one.sign(times()));
    expect([refused.status, refused.json()]).toMatchObject([503, { error: { code: 'issuer_keys_unavailable' } }]);
    expect(refused.headers['retry-after']).toBeDefined();
  });

  test('are not fetched from the metadata service of a cloud', async () => {
    await using world = await start('http://169.254.169.254/keys');
    expect((await ask(world, await one.sign(times()))).status).toBe(503);
    expect(JSON.stringify(world.logs)).toContain('UPSTREAM_ADDRESS_REFUSED');
  });
});

test('the budget of a token ends for its subject alone, whatever token is sent', async () => {
  await using world = await startWorld({
    entries: () => [issuer(ISS, { jwks: [one.jwk], allowLimitClaims: true })],
  });
  const tokenOf = (sub: string, jti: string): Promise<string> =>
    one.sign({ ...times(), sub, jti, usage_limits: [{ type: 'tokens', credit_limit: 100 }] });
  const token = await tokenOf('ada', '1');
  expect((await ask(world, token)).status).toBe(200);
  await waitFor(async () => (await ask(world, token)).status === 412, { what: 'the end of the budget' });
  expect((await ask(world, await tokenOf('ada', '2'))).status).toBe(412);
  expect((await ask(world, await tokenOf('bob', '3'))).status).toBe(200);
  const { budgets } = (await send(`${world.adminUrl}/internal/usage`)).json();
  expect(budgets[0]).toMatchObject({ owner: { kind: 'key', slug: 'ada' }, name: 'main', type: 'tokens', limit: 100 });
});

/** More than any key set has. */
function endless(response: Parameters<RequestListener>[1]): void {
  response.write('{"keys":[');
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    response.once('drain', more);
  };
  more();
}

let plain: World;

beforeAll(async () => {
  plain = await startWorld({
    entries: () => [issuer(ISS, { jwks: [one.jwk], rateLimits: [{ type: 'requests', unit: 'rpd', value: 2 }] })],
  });
});

afterAll(() => plain[Symbol.asyncDispose]());

test('the limits of an issuer count for each subject, whatever token it has', async () => {
  const status = async (claims: object) => (await ask(plain, await one.sign({ ...times(), ...claims }))).status;
  expect([await status({ sub: 'bob' }), await status({ sub: 'bob', jti: '2' })]).toEqual([200, 200]);
  expect(await status({ sub: 'bob', jti: '3' })).toBe(429);
  expect(await status({ sub: 'eve' })).toBe(200);
});

/** Tokens that pretend: forged signatures, confused algorithms, keys brought along, texts made to be read in two ways. */
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { send } from '../../kit/http.ts';
import { issuer } from '../../kit/snapshot.ts';
import { createTokenIssuer, ISSUER, type TokenIssuer } from '../../kit/token-issuer.ts';

const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const CHAT = '/v1/chat/completions';

let world: World;
let curve: TokenIssuer;
let attacker: TokenIssuer;
/** Counts who asks it for keys. */
let keyServer: Server;
let keyRequests = 0;

const now = (): number => Math.floor(Date.now() / 1000);
const times = () => ({ iat: now(), exp: now() + 600 });
const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const claims = (over: object = {}) => ({
  ...{ iss: ISSUER, aud: 'gateway', sub: 'eve', gw_workspace: 'team-a', scope: 'completions.write', ...times() },
  ...over,
});
/** A token of these parts, signed by the issuer itself: what is wrong with it is in the parts alone. */
function signed(header: unknown, payload: unknown): string {
  const text = `${base64url(header)}.${base64url(payload)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), pem).toString('base64url')}`;
}
const HEADER = { alg: 'RS256', kid: 'one', typ: 'JWT' };
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = pair.privateKey;
const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'one', kty: 'RSA' };
const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const ask = (token: string, header = 'authorization') =>
  send(world.url + CHAT, {
    headers: { [header]: header === 'authorization' ? `Bearer ${token}` : token, 'x-gw-provider': '@openai' },
    body: BODY,
  });

beforeAll(async () => {
  [curve, attacker] = await Promise.all([createTokenIssuer({ alg: 'ES256', kid: 'curve' }), createTokenIssuer()]);
  keyServer = createServer((_, response) => {
    keyRequests += 1;
    response.end(JSON.stringify({ keys: [attacker.jwk] }));
  });
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
  world = await startWorld({
    entries: () => [issuer(ISSUER, { jwks: [jwk, curve.jwk], algorithms: ['RS256', 'ES256'] })],
  });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  keyServer.close();
});

test('a good token is served, in both headers', async () => {
  const token = signed(HEADER, claims());
  expect((await ask(token)).status).toBe(200);
  expect((await ask(token, 'x-gw-api-key')).status).toBe(200);
  expect((await ask(await curve.sign(times()))).status).toBe(200);
});

test('a token stays at the gateway', async () => {
  const token = signed(HEADER, claims());
  const headers = { 'x-gw-api-key': token, authorization: `Bearer ${token}`, 'x-forwarded-token': token };
  await send(`${world.url}/v1/echo`, { headers: { ...headers, 'x-gw-provider': '@openai' }, body: BODY });
  expect(JSON.stringify(world.mock.requests.at(-1)?.headers)).not.toContain(token);
});

describe('a token is refused', () => {
  const hmac = (secret: string | Buffer, header: object): string => {
    const text = `${base64url(header)}.${base64url(claims())}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const publicPem = pair.publicKey.export({ type: 'spki', format: 'pem' });
  const unsigned = (alg: string): string => `${base64url({ ...HEADER, alg })}.${base64url(claims())}.`;

  test.for<{ rule: string; token: () => string | Promise<string> }>([
    { rule: 'without a signature', token: () => unsigned('none') },
    { rule: 'without a signature, in other letters', token: () => unsigned('nOnE') },
    { rule: 'with a signature of nothing', token: () => `${unsigned('none')}AA` },
    { rule: 'with an empty signature of a good algorithm', token: () => unsigned('RS256') },
    {
      rule: 'with the public key as a shared secret',
      token: () => hmac(publicPem, { ...HEADER, alg: 'HS256' }),
    },
    { rule: 'with the modulus as a shared secret', token: () => hmac(String(jwk.n), { ...HEADER, alg: 'HS256' }) },
    {
      rule: 'with the key of another algorithm',
      token: async () => curve.sign(times(), { alg: 'ES256', kid: 'one' }),
    },
    {
      rule: 'with a signature of zeros',
      token: () => `${base64url({ ...HEADER, alg: 'ES256', kid: 'curve' })}.${base64url(claims())}.${'A'.repeat(86)}`,
    },
    { rule: 'of somebody else under the id of a good key', token: () => attacker.sign(times()) },
    {
      rule: 'that brings its key along',
      token: async () => attacker.sign(times(), { jwk: attacker.jwk, kid: 'one' }),
    },
    {
      rule: 'that says where its key is',
      token: async () =>
        attacker.sign(times(), { jku: `${urlOf(keyServer)}/jwks`, x5u: `${urlOf(keyServer)}/x5u`, kid: 'brought' }),
    },
    {
      rule: 'with a path as the id of its key',
      token: () => signed({ ...HEADER, kid: '../../../dev/null' }, claims()),
    },
    { rule: 'with ids of several keys', token: () => signed({ ...HEADER, kid: ['one'] }, claims()) },
    { rule: 'with an id that every object has', token: () => signed({ ...HEADER, kid: '__proto__' }, claims()) },
    { rule: 'without the id of a key', token: () => signed({ alg: 'RS256' }, claims()) },
    { rule: 'with several algorithms', token: () => signed({ ...HEADER, alg: ['RS256'] }, claims()) },
    { rule: 'with critical extensions', token: () => signed({ ...HEADER, crit: ['exp'], exp: 1 }, claims()) },
    { rule: 'whose payload is not encoded', token: () => signed({ ...HEADER, b64: false, crit: ['b64'] }, claims()) },
    { rule: 'of another type', token: () => signed({ ...HEADER, typ: 'logout+jwt' }, claims()) },
    {
      rule: 'with a claim twice',
      token: () => signed(HEADER, `${JSON.stringify(claims()).slice(0, -1)},"gw_workspace":"team-b"}`),
    },
    {
      rule: 'with a claim twice, once in another spelling',
      token: () => signed(HEADER, `${JSON.stringify(claims()).slice(0, -1)},"\\u0073cope":"*"}`),
    },
    {
      rule: 'with a member of its header twice',
      token: () => signed('{"alg":"none","alg":"RS256","kid":"one"}', claims()),
    },
    { rule: 'whose claims are a list', token: () => signed(HEADER, [claims()]) },
    { rule: 'nested deep', token: () => signed(HEADER, `{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`) },
    { rule: 'that is huge', token: () => signed(HEADER, claims({ padding: 'x'.repeat(100_000) })) },
    { rule: 'with a huge header', token: () => signed({ ...HEADER, padding: 'x'.repeat(10_000) }, claims()) },
    { rule: 'with a fourth part', token: () => `${signed(HEADER, claims())}.x` },
    { rule: 'that is encrypted', token: () => `${base64url({ ...HEADER, enc: 'A256GCM' })}.a.b.c.d` },
    {
      rule: 'with other claims under the same signature',
      token: () => signed(HEADER, claims()).replace(/\.[^.]+\./, `.${base64url(claims({ sub: 'root' }))}.`),
    },
    { rule: 'of an issuer with a similar name', token: () => signed(HEADER, claims({ iss: `${ISSUER}/` })) },
    { rule: 'of an issuer that is no text', token: () => signed(HEADER, claims({ iss: [ISSUER] })) },
    { rule: 'for an audience with a similar name', token: () => signed(HEADER, claims({ aud: 'gateway2' })) },
    { rule: 'of last year', token: () => signed(HEADER, claims({ iat: 1, exp: now() - 31_536_000 })) },
  ])('$rule', async ({ token }) => {
    const text = await token();
    const answer = await ask(text);
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain(text.slice(0, 40));
  });

  test.for([
    { scope: '*', status: 403 },
    { scope: ['*'], status: 403 },
    { scope: 'organisation_settings.update organisation_service_api_keys.create', status: 403 },
    { scope: 'completions.*', status: 403 },
    { scope: { 'completions.write': true }, status: 403 },
  ])('as a key of the organisation: $scope', async ({ scope, status }) => {
    expect((await ask(signed(HEADER, claims({ scope })))).status).toBe(status);
  });

  test('in a workspace that is none, whatever it is called', async () => {
    for (const gw_workspace of ['', '__proto__', 'team-b', '../team-a', null, 1]) {
      expect((await ask(signed(HEADER, claims({ gw_workspace })))).status).toBe(403);
    }
  });

  test('and nobody is asked for keys', () => {
    expect(keyRequests).toBe(0);
  });
});

test('claims with the names of members of objects change nothing', async () => {
  const payload = JSON.stringify(claims({ defaults: { metadata: { a: 'b' } } })).replace('"a":"b"', '"__proto__":"x"');
  expect((await ask(signed(HEADER, payload))).status).toBe(200);
  expect(Object.prototype).not.toHaveProperty('x');
});

test('a key that is shorter than the standard allows verifies nothing', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const text = `${base64url(HEADER)}.${base64url(claims({ iss: 'https://weak.example' }))}`;
  const token = `${text}.${sign('RSA-SHA256', Buffer.from(text), weak.privateKey).toString('base64url')}`;
  await using other = await startWorld({
    entries: () => [
      issuer('https://weak.example', {
        jwks: [{ ...createPublicKey(weak.privateKey).export({ format: 'jwk' }), kid: 'one', kty: 'RSA' }],
      }),
    ],
  });
  const headers = { authorization: `Bearer ${token}`, 'x-gw-provider': '@openai' };
  expect((await send(other.url + CHAT, { headers, body: BODY })).status).toBe(401);
});

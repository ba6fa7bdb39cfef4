/** Hosts that requests and resources name: docs/behaviour/hosts.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, provider } from '../kit/snapshot.ts';

let strict: World;

beforeAll(async () => {
  strict = await startWorld({
    env: { NODE_ENV: 'production', KUBERNETES_SERVICE_HOST: '10.96.0.1' },
    entries: ({ url }) => [
      config('in-cluster', { provider: 'openai', api_key: 'x', custom_host: `${url}/v1` }),
      config('metadata', { provider: 'openai', api_key: 'x', custom_host: 'http://169.254.169.254/v1' }),
      config('api-server', { provider: 'openai', api_key: 'x', custom_host: 'https://10.96.0.1/v1' }),
      provider('kube', { customHost: 'https://kubernetes.default.svc' }),
    ],
  });
});

afterAll(() => strict[Symbol.asyncDispose]());

const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const ask = (world: World, headers: Record<string, string>) => world.send('/v1/chat/completions', { headers, body });
const byHeader = (host: string) => ({
  'x-gw-provider': 'openai',
  authorization: 'Bearer x',
  'x-gw-custom-host': host,
});

describe('in production a request may not name', () => {
  test.for([
    { rule: 'localhost', host: 'http://localhost:8080/v1' },
    { rule: 'the loopback address', host: 'http://127.0.0.1:8080/v1' },
    { rule: 'IPv6 loopback', host: 'http://[::1]:8080/v1' },
    { rule: 'IPv4 mapped into IPv6', host: 'http://[::ffff:127.0.0.1]/v1' },
    { rule: 'a private network', host: 'http://10.0.0.8/v1' },
    { rule: 'a name of a private network', host: 'http://vllm.internal/v1' },
    { rule: 'an address as one number', host: 'http://2130706433/v1' },
    { rule: 'an address in hex', host: 'http://0x7f000001/v1' },
    { rule: 'an address in octal', host: 'http://0177.0.0.1/v1' },
    { rule: 'an address of two parts', host: 'http://127.1/v1' },
    { rule: 'an encoded host', host: 'http://%31%32%37.0.0.1/v1' },
    { rule: 'full-width digits', host: 'http://１２７.0.0.1/v1' },
    { rule: 'a host behind user information', host: 'http://api.openai.com@127.0.0.1/v1' },
    { rule: 'a host behind a backslash', host: 'http://api.openai.com\\@127.0.0.1/v1' },
    { rule: 'cloud metadata', host: 'http://169.254.169.254/latest' },
    { rule: 'a metadata name', host: 'http://metadata.google.internal/v1' },
    { rule: 'the Kubernetes API', host: 'https://kubernetes.default.svc/v1' },
    { rule: 'a rebinding service', host: 'http://127.0.0.1.nip.io/v1' },
    { rule: 'a port of another service', host: 'https://example.com:6379/v1' },
    { rule: 'another scheme', host: 'file:///etc/passwd' },
    { rule: 'no URL at all', host: 'example.com' },
    { rule: 'a text that is too long', host: `https://example.com/${'a'.repeat(2_100)}` },
  ])('$rule: 400, by header', async ({ host }) => {
    const answer = await ask(strict, byHeader(Buffer.from(host, 'utf8').toString('latin1')));
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ status: 'failure', error: { code: 'custom_host_refused' } });
  });

  test('them in an inline config either, on any level: 400 with the path', async () => {
    const answer = await ask(strict, {
      'x-gw-config': JSON.stringify({
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@openai' }, { provider: 'openai', api_key: 'x', custom_host: 'http://127.0.0.1/v1' }],
      }),
    });
    expect(answer.json()).toMatchObject({
      error: { code: 'config_invalid' },
      errors: [expect.stringMatching(/^path: targets,1,custom_host, message: /)],
    });
  });

  test('them in a header that carries the address of a provider', async () => {
    const answer = await ask(strict, {
      'x-gw-provider': 'azure-ai',
      authorization: 'Bearer x',
      'x-gw-azure-foundry-url': 'http://169.254.169.254',
    });
    expect(answer.json()).toMatchObject({ error: { code: 'custom_host_refused', param: 'x-gw-azure-foundry-url' } });
  });
});

describe('a resource may name', () => {
  test('a host inside the cluster', async () => {
    expect((await ask(strict, { 'x-gw-config': 'in-cluster' })).status).toBe(200);
    expect((await ask(strict, { 'x-gw-provider': '@openai' })).status).toBe(200);
  });

  test.for([
    { rule: 'metadata addresses', headers: { 'x-gw-config': 'metadata' } },
    { rule: 'the address of the API server', headers: { 'x-gw-config': 'api-server' } },
    { rule: 'the name of the API server', headers: { 'x-gw-provider': '@kube' } },
  ])('but never $rule', async ({ headers }) => {
    const answer = await ask(strict, headers);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code: 'custom_host_refused' } });
  });
});

describe('TRUSTED_CUSTOM_HOSTS', () => {
  test('opens exactly what it names, subdomains included', async () => {
    await using upstream = await startRawUpstream((reply) => reply.answer(200, '{}'));
    await using trusting = await startWorld({
      env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1, vllm.internal' },
    });
    expect((await ask(trusting, byHeader(`${upstream.url}/v1`))).status).toBe(200);
    const subdomain = await ask(trusting, byHeader('http://a.vllm.internal/v1'));
    expect(subdomain.json()).toMatchObject({ error: { type: 'upstream_connection_error' } }); // trusted, but not there
    expect((await ask(trusting, byHeader('http://localhost:8080/v1'))).status).toBe(400);
  });

  test('unset outside production trusts the localhost family', async () => {
    await using upstream = await startRawUpstream((reply) => reply.answer(200, '{}'));
    await using world = await startWorld();
    expect((await ask(world, byHeader(`http://localhost:${upstream.port}/v1`))).status).toBe(200);
  });
});

describe('a redirect', () => {
  test('is never followed', async () => {
    await using target = await startRawUpstream((reply) => reply.answer(200, '{"leaked":true}'));
    await using upstream = await startRawUpstream((reply) => reply.answer(302, '', { location: target.url }));
    await using world = await startWorld();
    const answer = await ask(world, byHeader(`${upstream.url}/v1`));
    expect(answer.status).toBe(302);
    expect(target.requests).toEqual([]);
  });
});

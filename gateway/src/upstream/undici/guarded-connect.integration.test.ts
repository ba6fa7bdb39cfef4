import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { toUpstreamError } from '../failures.ts';
import { type ConnectOrigin, createHostPolicy, type HostPolicy } from '../host-guard/policy.ts';
import { createGuardedConnect, type GuardedConnectOptions } from './guarded-connect.ts';

const PEM = readFileSync(new URL('./testdata/loopback.pem', import.meta.url), 'utf8');
const STRICT = createHostPolicy({ trustedCustomHosts: '', production: true });
const TRUSTING = createHostPolicy({ trustedCustomHosts: 'provider.test', production: true });

interface Upstream extends AsyncDisposable {
  readonly port: number;
  readonly sockets: Socket[];
}

async function listen(server: Server): Promise<Upstream> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const startHttp = (): Promise<Upstream> => listen(createServer((_request, response) => response.end('hello')));

const startHttps = (maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<Upstream> =>
  listen(createTlsServer({ key: PEM, cert: PEM, maxVersion }, (_request, response) => response.end('hello')));

/** Resolves every name to these addresses, one list per call; the last one stays. */
function scripted(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const lookup = async (hostname: string) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, lookup };
}

const guard = (policy: HostPolicy, options: Partial<GuardedConnectOptions> = {}) =>
  createGuardedConnect(policy, { connectTimeoutMs: 2_000, ...options });

function open(policy: HostPolicy, origin: ConnectOrigin, url: string, options: Partial<GuardedConnectOptions>) {
  return connectWith(guard(policy, options), origin, url);
}

function connectWith(connects: ReturnType<typeof guard>, origin: ConnectOrigin, text: string): Promise<Socket> {
  const { hostname, host, protocol, port } = new URL(text);
  const servername = protocol === 'https:' ? { servername: hostname } : {};
  return new Promise((resolve, reject) => {
    connects.connectorFor(origin)({ hostname, host, protocol, port, ...servername }, (error, socket) => {
      if (error !== null) reject(toUpstreamError(error));
      else resolve(socket);
    });
  });
}

const refused = expect.objectContaining({ code: 'UPSTREAM_ADDRESS_REFUSED' });

describe('a guarded connection', () => {
  test('carries a request of an undici agent to the validated address', async () => {
    await using upstream = await startHttp();
    const { asked, lookup } = scripted(['127.0.0.1']);
    const agent = new Agent({ connect: guard(TRUSTING, { lookup }).connectorFor('request') });
    const answer = await request(`http://provider.test:${upstream.port}/`, { dispatcher: agent });
    expect(await answer.body.text()).toBe('hello');
    expect(asked).toEqual(['provider.test']);
    await agent.close();
  });

  test('fails a request of an undici agent with our error', async () => {
    const agent = new Agent({ connect: guard(STRICT, scripted(['10.0.0.1'])).connectorFor('request') });
    await expect(request('http://provider.example/', { dispatcher: agent })).rejects.toEqual(refused);
    await agent.close();
  });

  test.for<{ rule: string; origin: ConnectOrigin; policy?: HostPolicy; url: string; addresses?: readonly string[] }>([
    { rule: 'a private address literal', origin: 'request', url: 'http://127.0.0.1' },
    { rule: 'a private IPv6 literal', origin: 'request', url: 'http://[::1]' },
    { rule: 'a metadata literal in a resource', origin: 'resource', url: 'http://169.254.169.254' },
    { rule: 'a private name', origin: 'request', url: 'http://llm.local' },
    { rule: 'a metadata name in a resource', origin: 'resource', url: 'http://metadata.google.internal' },
    { rule: 'a blocked port', origin: 'resource', url: 'http://llm.models.svc:6379' },
    { rule: 'a name with a private address', origin: 'request', url: 'http://a.example', addresses: ['10.0.0.1'] },
    {
      rule: 'an internationalised name with a private address',
      origin: 'request',
      url: 'http://llm.xn--bcher-kva.example',
      addresses: ['10.0.0.1'],
    },
    {
      rule: 'an internationalised name of a resource with a metadata address',
      origin: 'resource',
      url: 'http://llm.xn--bcher-kva.example',
      addresses: ['169.254.169.254'],
    },
    {
      rule: 'one private address among public ones',
      origin: 'request',
      url: 'http://a.example',
      addresses: ['8.8.8.8', '2001:4860:4860::8888', '127.0.0.1'],
    },
    {
      rule: 'a mapped private address',
      origin: 'request',
      url: 'http://a.example',
      addresses: ['::ffff:10.0.0.1'],
    },
    {
      rule: 'a trusted name with a metadata address',
      origin: 'request',
      policy: TRUSTING,
      url: 'http://provider.test',
      addresses: ['127.0.0.1', '169.254.169.254'],
    },
    {
      rule: 'a resource name with a metadata address',
      origin: 'resource',
      url: 'http://vllm.models.svc',
      addresses: ['64:ff9b::a9fe:a9fe'],
    },
  ])('is refused for $rule', async ({ origin, policy = STRICT, url, addresses = ['8.8.8.8'] }) => {
    await expect(open(policy, origin, url, scripted(addresses))).rejects.toEqual(refused);
  });

  test('is refused when it would reach the gateway itself, by the port too', async () => {
    await using upstream = await startHttp();
    const own = { address: '0.0.0.0', port: upstream.port };
    const policy = createHostPolicy({ trustedCustomHosts: 'provider.test', production: true, ownAddresses: [own] });
    const url = `http://provider.test:${upstream.port}`;
    await expect(open(policy, 'resource', url, scripted(['127.0.0.1']))).rejects.toEqual(refused);
    expect(upstream.sockets).toHaveLength(0);
  });

  test('survives DNS rebinding: each connection is judged by the answer it uses', async () => {
    await using upstream = await startHttp();
    const { asked, lookup } = scripted(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    const connects = guard(STRICT, { lookup });
    const url = `http://rebind.example:${upstream.port}`;
    (await connectWith(connects, 'resource', url)).destroy();
    await expect(connectWith(connects, 'resource', url)).rejects.toEqual(refused);
    const third = await connectWith(connects, 'resource', url);
    expect(third.remoteAddress).toBe('127.0.0.1');
    third.destroy();
    expect(asked).toHaveLength(3);
  });

  test('tries the other validated addresses when one does not answer', async () => {
    await using upstream = await startHttp();
    const url = `http://vllm.models.svc:${upstream.port}`;
    const socket = await open(STRICT, 'resource', url, scripted(['::1', '127.0.0.1']));
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('reaches metadata names for the identity of the machine only', async () => {
    await using upstream = await startHttp();
    const url = `http://metadata.google.internal:${upstream.port}`;
    await expect(open(STRICT, 'resource', url, scripted(['127.0.0.1']))).rejects.toEqual(refused);
    (await open(STRICT, 'metadata', url, scripted(['127.0.0.1']))).destroy();
  });

  test('times out when the name server is silent', async () => {
    const options = { connectTimeoutMs: 50, lookup: () => new Promise<never>(() => {}) };
    await expect(open(STRICT, 'request', 'http://a.example', options)).rejects.toMatchObject({
      code: 'UPSTREAM_CONNECT_TIMEOUT',
    });
  });

  test('reports a name without addresses, an unknown name and a closed port as unreachable', async () => {
    const unknown = async () => Promise.reject(Object.assign(new Error('boom'), { code: 'ENOTFOUND' }));
    const upstream = await startHttp();
    await upstream[Symbol.asyncDispose]();
    for (const lookup of [scripted([]).lookup, unknown, scripted(['127.0.0.1']).lookup]) {
      const url = `http://a.example:${upstream.port}`;
      await expect(open(STRICT, 'resource', url, { lookup })).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    }
  });
});

describe('a guarded TLS connection', () => {
  test.for(['TLSv1.2', 'TLSv1.3'] as const)(
    'verifies the name, not the address, and resumes with %s',
    async (version) => {
      await using upstream = await startHttps(version);
      const connects = guard(TRUSTING, { ca: PEM, ...scripted(['127.0.0.1']) });
      const agent = (): Agent => new Agent({ connect: connects.connectorFor('request') });
      for (let i = 0; i < 2; i += 1) {
        const dispatcher = agent();
        const answer = await request(`https://provider.test:${upstream.port}/`, { dispatcher });
        expect(await answer.body.text()).toBe('hello');
        await dispatcher.close();
      }
      const socket = await connectWith(connects, 'request', `https://provider.test:${upstream.port}`);
      expect((socket as TLSSocket).isSessionReused()).toBe(true); // an https connection
      socket.destroy();
    },
  );

  test('fails when the certificate is for another name', async () => {
    await using upstream = await startHttps('TLSv1.3');
    const url = `https://other.example:${upstream.port}`;
    await expect(open(STRICT, 'resource', url, { ca: [PEM], ...scripted(['127.0.0.1']) })).rejects.toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
    });
  });

  test('fails for a certificate of an unknown authority, and keeps no session with maxCachedSessions 0', async () => {
    await using upstream = await startHttps('TLSv1.3');
    const url = `https://provider.test:${upstream.port}`;
    const unknown = { maxCachedSessions: 0, ...scripted(['127.0.0.1']) };
    await expect(open(STRICT, 'resource', url, unknown)).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    (await open(STRICT, 'resource', url, { ...unknown, ca: PEM })).destroy();
  });
});

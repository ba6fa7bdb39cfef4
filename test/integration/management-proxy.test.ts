/** The way from a gateway to the process that serves the management API: docs/behaviour/management.md#where-it-is-served. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { KEY, key, workspace } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

const SCOPES = [
  'completions.write',
  'configs.create',
  'configs.read',
  'configs.update',
  'configs.list',
  'prompts.read',
  'prompts.render',
];

let folder: string;
let socketPath: string;
let gateway: RunningGateway;
let management: Server | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  socketPath = join(folder, 'management');
  gateway = await startGateway({ entries: [workspace(), key({ scopes: SCOPES })], management: { socketPath } });
});
afterEach(() => {
  management?.closeAllConnections();
  management?.close();
  management = undefined;
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function serve(listener: NonNullable<Parameters<typeof createServer>[1]>): Promise<void> {
  const server = createServer(listener);
  management = server;
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
}

describe('a request of the management API', () => {
  test('goes on with its key and comes back with a trace id, without the headers of a connection', async () => {
    const seen: object[] = [];
    await serve(async (request, response) => {
      const body = (await Array.fromAsync(request)).join('');
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      response.writeHead(201, { 'content-type': 'application/json', 'keep-alive': 'timeout=1' }).end('{"a":1}');
    });
    const headers = { te: 'x', 'x-gw-client-address': '203.0.113.7' };
    const answer = await gateway.send('/v1/configs/x?y=z', { method: 'PUT', headers, body: { b: 2 } });
    expect([answer.status, answer.text]).toEqual([201, '{"a":1}']);
    expect(answer.headers).toMatchObject({ 'x-gw-trace-id': expect.any(String), 'content-type': 'application/json' });
    expect(answer.headers['keep-alive']).not.toBe('timeout=1');
    expect(seen).toMatchObject([
      { method: 'PUT', url: '/v1/configs/x?y=z', headers: { 'x-gw-api-key': KEY }, body: '{"b":2}' },
    ]);
    // What the other side records: the id of the answer, and who has connected, whatever the caller says.
    expect(answer.headers['x-request-id']).toBe(answer.headers['x-gw-trace-id']);
    const id = answer.headers['x-request-id'];
    expect(seen).toMatchObject([{ headers: { 'x-gw-trace-id': id, 'x-gw-client-address': '127.0.0.1' } }]);
    expect(seen[0]).not.toHaveProperty('headers.te');
  });

  test('stays in the gateway without a key, with an unknown one, and without the scope', async () => {
    let asked = 0;
    await serve((_, response) => {
      asked += 1;
      response.end('{}');
    });
    const withKey = (value: string): object => ({ headers: { 'x-gw-api-key': value } });
    expect((await fetch(`${gateway.url}/v1/configs`)).status).toBe(401);
    expect((await fetch(`${gateway.url}/v1/configs`, withKey('gwk_unknown'))).status).toBe(401);
    const refused = await gateway.send('/v1/configs/x', { method: 'DELETE' });
    expect(refused.status).toBe(403);
    expect(refused.json()).toMatchObject({ message: expect.stringContaining('configs.delete') });
    expect(asked).toBe(0);
  });

  test('is none where a saved prompt is run or shown: the gateway does that', async () => {
    const asked: (string | undefined)[] = [];
    await serve((request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    for (const path of ['completions', 'render', 'completions/', 'rende%72', 'render?version=1']) {
      const answer = await gateway.send(`/v1/prompts/greeting/${path}`, { method: 'POST', body: { variables: {} } });
      expect([answer.status, answer.json()], path).toMatchObject([404, { error: { code: 'prompt_unknown' } }]);
    }
    expect(asked).toEqual([]);
    expect((await gateway.send('/v1/prompts/greeting')).status).toBe(200);
    expect(asked).toEqual(['/v1/prompts/greeting']);
  });

  test('is 503 while nobody serves it, and all else goes on', async () => {
    const answer = await gateway.send('/v1/configs', { method: 'POST', body: { b: 2 } });
    expect(answer.status).toBe(503);
    expect(answer.json()).toMatchObject({ error: { code: 'management_unavailable' } });
    expect((await gateway.send('/v1/models')).status).toBe(200);
  });

  test('is 503 where the connection ends without an answer, and cut where it ends in one', async () => {
    await serve((request, response) => {
      if (request.url === '/v1/configs') request.socket.destroy();
      else response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
    });
    expect((await gateway.send('/v1/configs')).status).toBe(503);
    await expect(gateway.send('/v1/configs/half')).rejects.toThrow();
  });

  test('ends when its client goes away', async () => {
    let isGone = false;
    let isAsked = false;
    await serve((request) => {
      isAsked = true;
      request.on('close', () => {
        isGone = true;
      });
    });
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/v1/configs`, {
      headers: { 'x-gw-api-key': KEY },
      signal: leaving.signal,
    }).catch(() => 'gone');
    await waitFor(() => isAsked, { what: 'the request' });
    leaving.abort();
    expect(await asked).toBe('gone');
    await waitFor(() => isGone, { what: 'the end of the request' });
  });

  test.for([
    { rule: 'by its length', headers: { 'content-length': '2000000' } },
    { rule: 'by its bytes', headers: {} },
  ])('with a body beyond the limit is 413 $rule', async ({ headers }) => {
    await serve((request) => void request.resume());
    const body = Buffer.alloc(2_000_000, ' ');
    const answer = await gateway.send('/v1/configs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([413, 'application/json; charset=utf-8']);
    expect(answer.json()).toMatchObject({ errorCode: 'AB01' });
    const scim = await gateway.send('/v1/scim/v2/Users?x=y', {
      method: 'POST',
      headers: { 'content-type': 'application/scim+json', ...headers },
      body,
    });
    expect([scim.status, scim.headers['content-type']]).toEqual([413, 'application/scim+json; charset=utf-8']);
    expect(scim.json()).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '413',
      detail: 'A body has at most 1048576 bytes',
    });
  });

  test('may come over HTTP/2', async () => {
    await serve(async (request, response) => {
      response.writeHead(200, { connection: 'close' }).end((await Array.fromAsync(request)).join('').toUpperCase());
    });
    await using secure = await startGateway({
      entries: [workspace(), key({ scopes: SCOPES })],
      management: { socketPath },
      env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM },
    });
    const session = connectHttp2(secure.url, { ca: LOOPBACK_PEM });
    const stream = session.request({ ':method': 'POST', ':path': '/v1/configs', 'x-gw-api-key': KEY });
    stream.end('body');
    expect((await Array.fromAsync(stream)).join('')).toBe('BODY');
    session.close();
  });
});

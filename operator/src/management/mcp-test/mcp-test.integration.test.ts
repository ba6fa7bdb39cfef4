import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMcpTest, type McpTest, type TestedServer } from './mcp-test.ts';

const SERVER = { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'Tickets' } } };
const NOWHERE = 'the server cannot be reached, or its address may not be called from here';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

type Listener = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let url: string;
let listener: Listener;
let closing: AbortController;
let ask: (server?: Partial<TestedServer>) => ReturnType<McpTest>;
const seen: { method: string; headers: IncomingMessage['headers']; body: string }[] = [];

beforeEach(async () => {
  seen.length = 0;
  closing = new AbortController();
  server = createServer(async (request, response) => {
    const body = (await Array.fromAsync(request)).join('');
    seen.push({ method: request.method ?? '', headers: request.headers, body });
    listener(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // it listens on a port
  const mcpTest = createMcpTest({ reach: 'machine', ownNamespaces: [], signal: closing.signal });
  ask = (over = {}) => mcpTest({ url, transport: 'http', asker: 'team-a', isOfWorkspace: false, ...over });
});
afterEach(async () => {
  closing.abort();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a server', () => {
  test('that answers as JSON is one, and its session is ended', async () => {
    listener = (request, response) => {
      if (request.method === 'DELETE') response.writeHead(204).end();
      else response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 's-1' }).end(JSON.stringify(SERVER));
    };
    expect(await ask()).toMatchObject({ success: true, status: 200, serverName: 'Tickets' });
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(seen[1]?.headers['mcp-session-id']).toBe('s-1');
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ jsonrpc: '2.0', method: 'initialize' });
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  test('that answers in a stream is asked no longer than for its first message', async () => {
    let isGone = false;
    listener = (_, response) => {
      response.on('close', () => {
        isGone = true;
      });
      response.writeHead(200, EVENTS).write(`: hello\n\nevent: message\ndata: ${JSON.stringify(SERVER)}\n\n`);
    };
    expect(await ask()).toMatchObject({ success: true, serverName: 'Tickets' });
    await waitFor(() => isGone, { what: 'the end of the stream' });
  });

  test('of the older transport is one by its first event', async () => {
    listener = (_, response) => void response.writeHead(200, EVENTS).write('event: endpoint\ndata: /messages\n\n');
    expect(await ask({ transport: 'sse' })).toMatchObject({ success: true, status: 200 });
    expect(seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test.for([
    { rule: 'wants a credential', status: 401, headers: {}, body: '', error: 'credential' },
    { rule: 'forbids', status: 403, headers: {}, body: '', error: 'credential' },
    { rule: 'fails', status: 500, headers: {}, body: JSON.stringify(SERVER), error: 'status 500' },
    { rule: 'leads elsewhere', status: 302, headers: { location: '/other' }, body: '', error: 'status 302' },
    { rule: 'is a web site', status: 200, headers: {}, body: '<html>', error: 'not as an MCP server' },
    {
      rule: 'speaks of errors',
      status: 200,
      headers: JSON_TYPE,
      body: '{"jsonrpc":"2.0","error":{}}',
      error: 'not as an',
    },
    { rule: 'nests deeply', status: 200, headers: JSON_TYPE, body: '['.repeat(60_000), error: 'not as an MCP server' },
  ])('that $rule is no success', async ({ status, headers, body, error }) => {
    listener = (_, response) => void response.writeHead(status, headers).end(body);
    expect(await ask()).toMatchObject({ success: false, status, error: expect.stringContaining(error) });
    expect(seen).toHaveLength(1);
  });

  test('that says too much, or is not there, has no status', async () => {
    listener = (_, response) => void response.writeHead(200).end('x'.repeat(70_000));
    expect(await ask()).toEqual({ success: false, milliseconds: expect.any(Number), error: 'the answer is too large' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await ask()).toMatchObject({ success: false, error: NOWHERE });
    server.listen(0);
  });
});

test('servers of a workspace have public addresses over TLS', async () => {
  listener = (_, response) => void response.end(JSON.stringify(SERVER));
  for (const refused of [url, url.replace('127.0.0.1', 'localhost'), 'http://example.com', 'https://10.0.0.1/mcp']) {
    expect(await ask({ url: refused, isOfWorkspace: true })).toMatchObject({
      ...{ success: false, error: NOWHERE },
    });
  }
  expect(seen).toEqual([]);
});

test('only so many are asked at once, and those who come later are told to come again', async () => {
  const held: ServerResponse[] = [];
  listener = (_, response) => void held.push(response);
  const from = (team: number) => ask({ asker: `team-${team}` });
  const tooMany = { error: 'TOO_MANY', details: { retryAfter: 1 } };
  const asked = Array.from({ length: 4 }, () => from(1));
  await waitFor(() => held.length === 4, { what: 'the requests of one' });
  await expect(from(1)).rejects.toMatchObject(tooMany);
  asked.push(...Array.from({ length: 12 }, (_, i) => from(2 + (i % 3))));
  await waitFor(() => held.length === 16, { what: 'sixteen requests' });
  await expect(from(5)).rejects.toMatchObject(tooMany);
  for (const response of held) response.end(JSON.stringify(SERVER));
  expect((await Promise.all(asked)).every(({ success }) => success)).toBe(true);
  listener = (_, response) => void response.end(JSON.stringify(SERVER));
  expect((await from(1)).success).toBe(true);
});

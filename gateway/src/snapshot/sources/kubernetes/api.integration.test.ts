import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSnapshotApi, type SnapshotApi } from './api.ts';

const { signal } = new AbortController();
const SHARD = { name: 'main-shard-0', secret: false };

let server: Server;
let api: SnapshotApi;
/** What the server has in memory, and what it has; by name. */
let remembered: Map<string, string>;
let stored: Map<string, string>;
let asked: string[];
beforeEach(async () => {
  [remembered, stored, asked] = [new Map(), new Map(), []];
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
    asked.push(`${pathname}${searchParams.has('resourceVersion') ? ' from memory' : ''}`);
    const shards = searchParams.get('resourceVersion') === '0' ? remembered : stored;
    const text = shards.get(pathname.slice(pathname.lastIndexOf('/') + 1));
    response.writeHead(text === undefined ? 404 : 200);
    response.end(JSON.stringify(text === undefined ? {} : { data: { 'shard.json': text } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a listening TCP server
  const endpoint = { origin: `http://127.0.0.1:${port}`, caFile: undefined, tokenFile: undefined };
  api = createSnapshotApi({ endpoint, namespace: 'fleets', fleet: 'main', random: () => 0 });
});
afterEach(async () => {
  await api.close();
  server.close();
  await once(server, 'close');
});

describe('a shard', () => {
  const path = '/api/v1/namespaces/fleets/configmaps/main-shard-0';

  test.for([
    {
      rule: 'comes from memory where it is there',
      memory: true,
      store: true,
      text: '[]',
      from: [`${path} from memory`],
    },
    {
      rule: 'comes from the store where memory is behind',
      memory: false,
      store: true,
      text: '[]',
      from: [`${path} from memory`, path],
    },
    {
      rule: 'is missing when neither has it',
      memory: false,
      store: false,
      text: undefined,
      from: [`${path} from memory`, path],
    },
  ])('$rule', async ({ memory, store, text, from }) => {
    if (memory) remembered.set(SHARD.name, '[]');
    if (store) stored.set(SHARD.name, '[]');
    expect(await api.shard(SHARD, { signal })).toBe(text);
    expect(asked).toEqual(from);
  });

  test('of secrets is decoded', async () => {
    remembered.set(SHARD.name, Buffer.from('[1]').toString('base64'));
    expect(await api.shard({ ...SHARD, secret: true }, { signal })).toBe('[1]');
  });
});

/** Many requests at once: Snapshot changes under load, and nothing that stays behind. */
import { Agent, request as startRequest } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { open, receive } from '../kit/http.ts';
import { config, KEY, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const chat = (model = 'mock-small', stream = false) => ({ model, stream, messages: [{ role: 'user', content: 'hi' }] });

/** Runs the task again and again in some lanes until it is stopped; returns the answers. */
function keepBusy<T>(lanes: number, task: (i: number) => Promise<T>) {
  let running = true;
  let count = 0;
  const results: T[] = [];
  const lane = async (): Promise<void> => {
    while (running) {
      count += 1;
      results.push(await task(count));
    }
  };
  const done = Promise.all(Array.from({ length: lanes }, lane));
  return {
    results,
    stop: async (): Promise<readonly T[]> => {
      running = false;
      await done;
      return results;
    },
  };
}

describe('a Snapshot that changes under load', () => {
  test('fails no request, and every new one sees the new config', async () => {
    await using world = await startWorld();
    const { url } = world.mock;
    const entries = (revision: number) => [
      workspace(),
      key(),
      provider('openai', { customHost: `${url}/v1`, secret: 'sk-openai-secret' }),
      config('main', {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@openai', override_params: { seed: revision } }],
      }),
      ...Array.from({ length: 300 }, (_, i) => key({ name: `k${i}-${revision}`, secret: `gwk_${i}_${revision}` })),
    ];
    await world.load(...entries(0));
    const load = keepBusy(8, async (i) => {
      const answer = await world.send('/v1/chat/completions', {
        headers: { 'x-gw-config': 'main' },
        body: chat('mock-small', i % 3 === 0),
      });
      return answer.status;
    });
    for (let revision = 1; revision <= 15; revision += 1) {
      await world.load(...entries(revision));
      const { status } = await world.send('/v1/chat/completions', { headers: { 'x-gw-config': 'main' }, body: chat() });
      expect(status).toBe(200);
      const seeds = world.mock.requests.map((request) => (request.json() as { seed: number }).seed);
      expect(seeds).toContain(revision);
      const before = load.results.length;
      await waitFor(() => load.results.length > before + 8);
    }
    const statuses = await load.stop();
    expect(statuses.length).toBeGreaterThan(100);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('that removes a key lets its running stream finish, and its next request fail', async () => {
    await using world = await startWorld();
    const { response } = await open(`${world.url}/v1/chat/completions`, {
      headers: { 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' },
      body: chat('mock-slow-30', true),
    });
    await world.load(workspace());
    expect((await receive(response)).text).toContain('data: [DONE]');
    expect((await world.send('/v1/models')).status).toBe(401);
  });
});

describe('two thousand mixed requests', () => {
  test('leave nothing behind: no socket, no timer, no listener, no memory', async () => {
    await using world = await startWorld({
      env: { GATEHOUSE_LOG_LEVEL: 'silent' },
      entries: () => [config('cached', { provider: '@openai', cache: { mode: 'simple' } })],
    });
    await mixedRequests(world, 200); // pools, caches and compiled code
    await settled(world);
    const before = footprint();
    await mixedRequests(world, 2_000);
    await settled(world);
    // Pools may hold a few more connections and caches a few more entries, but nothing per request.
    const more = (): readonly string[] =>
      Object.entries(resources()).flatMap(([kind, count]) =>
        count - (before.resources[kind] ?? 0) < 40 ? [] : [kind],
      );
    await waitFor(() => more().length === 0, { what: 'the last connections are closed' });
    expect(footprint().heapBytes - before.heapBytes).toBeLessThan(16 * 1024 * 1024);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc'); // node has no other way to it at run time

/** What the process holds: handles and requests by kind, and the heap after a collection. */
function footprint(): { readonly resources: Readonly<Record<string, number>>; readonly heapBytes: number } {
  collectGarbage();
  return { resources: resources(), heapBytes: process.memoryUsage().heapUsed };
}

function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

async function settled(world: World): Promise<void> {
  await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0);
  await waitFor(() => world.mock.requests.every(({ outcome }) => outcome !== 'open'), { what: 'every call has ended' });
}

async function mixedRequests(world: World, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const kinds = [
    { path: '/v1/chat/completions', headers: { 'x-gw-provider': '@openai' }, body: chat() },
    { path: '/v1/chat/completions', headers: { 'x-gw-provider': '@openai' }, body: chat('mock-small', true) },
    {
      path: '/v1/messages',
      headers: { 'x-gw-provider': '@anthropic' },
      body: { ...chat('mock-small', true), max_tokens: 9 },
    },
    { path: '/v1/chat/completions', headers: { 'x-gw-config': 'cached' }, body: chat() },
    { path: '/v1/chat/completions', headers: { 'x-gw-provider': '@openai' }, body: chat('mock-fail-503') },
    { path: '/v1/chat/completions', headers: { 'x-gw-provider': '@openai' }, body: chat('mock-cut-900', true) },
    { path: '/v1/echo', headers: { 'x-gw-provider': '@openai', 'content-type': 'text/plain' }, body: 'some text' },
    { path: '/v1/models', headers: { 'x-gw-provider': '@nobody' } },
    {
      path: '/v1/chat/completions',
      headers: { 'x-gw-provider': '@openai', 'x-gw-request-timeout': '5' },
      body: chat('mock-delay-500'),
    },
    {
      path: '/v1/chat/completions',
      headers: { 'x-gw-provider': '@openai' },
      body: chat('mock-stall-900', true),
      leaves: true,
    },
  ];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const kind = kinds[next % kinds.length];
      next += 1;
      if (kind !== undefined) await exchange(world, agent, kind);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  agent.destroy();
}

interface Kind {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly leaves?: boolean;
}

function exchange(world: World, agent: Agent, { path, headers, body, leaves = false }: Kind): Promise<void> {
  return new Promise((resolve) => {
    const request = startRequest(`${world.url}${path}`, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': KEY, ...headers },
    });
    request.on('error', () => {}); // cut connections are part of the mix
    request.on('close', resolve);
    request.on('response', (response) => {
      response.on('error', () => {}); // as above
      if (leaves) request.destroy();
      else response.resume();
    });
    request.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway, startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { config, key, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ metricsOnMain: true });
});
afterAll(() => world[Symbol.asyncDispose]());

const via = { 'x-gw-provider': '@openai' };
const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };

describe('the admin port', () => {
  test('shows the state of the Snapshot, behind its token', async () => {
    await using guarded = await startGateway({ entries: [workspace(), key()], adminToken: 'let-me-in' });
    expect((await send(`${guarded.adminUrl}/internal/status`)).status).toBe(401);
    const headers = { authorization: 'Bearer let-me-in' };
    const status = await send(`${guarded.adminUrl}/internal/status`, { headers });
    expect(status.json()).toMatchObject({ snapshot: { version: 1, entries: 2, skipped: [] } });
    expect((await send(`${guarded.adminUrl}/livez`)).status).toBe(200);
  });

  test('answers a long poll when the version is loaded, and when it is refused', async () => {
    await using fresh = await startGateway({ entries: [workspace(), key()] });
    const poll = (version: number) => send(`${fresh.adminUrl}/internal/snapshot?wait=${version}`);
    expect((await poll(1)).json()).toMatchObject({ version: 1 });
    const waiting = poll(2);
    await fresh.load(workspace(), key());
    expect((await waiting).json()).toMatchObject({ version: 2 });
    const refused = poll(3);
    const { snapshots } = fresh.gateway;
    await snapshots.load(3, { schemaVersion: { major: 99, minor: 0 }, entries: [] });
    expect((await refused).json()).toMatchObject({ version: 2, rejected: { version: 3 } });
  });

  test('answers a long poll at once when something changed since the answer that it names', async () => {
    await using fresh = await startGateway({ entries: [workspace(), key()] });
    const poll = (query: string) => send(`${fresh.adminUrl}/internal/snapshot?epoch=0&${query}`);
    const { changes } = (await poll('wait=1')).json();
    fresh.gateway.snapshots.refuse({ epoch: 0, version: 0 }, 'it comes before');
    const answer = await poll(`wait=2&changes=${changes}`);
    expect(answer.json()).toMatchObject({ version: 1, rejected: { version: 0 }, changes: changes + 1 });
  });

  test('has nothing of the main port, and the main port nothing of it', async () => {
    expect((await send(`${world.adminUrl}/v1/models`)).status).toBe(404);
    for (const path of ['/livez', '/readyz', '/internal/status', '/internal/snapshot']) {
      expect((await world.send(path)).status).toBe(404);
    }
  });
});

describe('metrics', () => {
  const count = (gateway: RunningGateway, name: string, labels: Record<string, string>) => gateway.metric(name, labels);

  test('count requests, tokens, attempts, cache verdicts and errors', async () => {
    await using counted = await startWorld({
      entries: () => [config('cached', { provider: '@openai', cache: { mode: 'simple' } })],
    });
    const ask = (headers: Record<string, string>, more: object = {}) =>
      counted.send('/v1/chat/completions', { headers, body: { ...body, ...more } });
    await ask({ 'x-gw-config': 'cached' });
    await ask({ 'x-gw-config': 'cached' });
    await ask(via, { stream: true });
    await ask(via, { model: 'mock-fail-503' });
    await ask({ 'x-gw-api-key': 'wrong' });
    await ask({
      'x-gw-config': JSON.stringify({
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@openai', override_params: { model: 'mock-fail-500' } }, { provider: '@openai' }],
      }),
    });
    const operation = 'chatComplete';
    const by = { operation, provider: 'openai' };
    await waitFor(async () => (await count(counted, 'gatehouse_requests_total', {})) === 6);
    expect(await count(counted, 'gatehouse_requests_total', { ...by, status: '200' })).toBe(4);
    expect(await count(counted, 'gatehouse_requests_total', { ...by, status: '503' })).toBe(1);
    expect(await count(counted, 'gatehouse_requests_total', { operation, provider: 'none', status: '401' })).toBe(1);
    expect(await count(counted, 'gatehouse_request_duration_seconds_count', by)).toBe(5);
    expect(await count(counted, 'gatehouse_cache_requests_total', { verdict: 'HIT' })).toBe(1);
    expect(await count(counted, 'gatehouse_cache_requests_total', { verdict: 'MISS' })).toBe(1);
    expect(await count(counted, 'gatehouse_target_attempts_total', { provider: 'openai', outcome: 'success' })).toBe(4);
    expect(await count(counted, 'gatehouse_target_attempts_total', { provider: 'openai', outcome: 'failure' })).toBe(2);
    expect(await count(counted, 'gatehouse_errors_total', { code: 'KEY_INVALID' })).toBe(1);
    expect(await count(counted, 'gatehouse_tokens_total', { provider: 'openai', type: 'input' })).toBeGreaterThan(0);
    expect(await count(counted, 'gatehouse_snapshot_version', {})).toBe(1);
    expect(await count(counted, 'gatehouse_requests_in_flight', {})).toBe(0);
  });

  test('show what is in flight', async () => {
    const waiting = world.send('/v1/chat/completions', { headers: via, body: { ...body, model: 'mock-delay-1000' } });
    await waitFor(async () => (await count(world, 'gatehouse_requests_in_flight', {})) === 1);
    await waiting;
    await waitFor(async () => (await count(world, 'gatehouse_requests_in_flight', {})) === 0);
  });

  test('are on the main port when the settings say so', async () => {
    const answer = await send(`${world.url}/metrics`);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.text).toContain('gatehouse_requests_total');
  });

  test('can be switched off', async () => {
    await using quiet = await startGateway({ entries: [], env: { ENABLE_PROMETHEUS: 'false' }, metricsOnMain: true });
    expect((await send(`${quiet.adminUrl}/metrics`)).status).toBe(404);
    expect((await send(`${quiet.url}/metrics`)).status).toBe(404);
  });
});

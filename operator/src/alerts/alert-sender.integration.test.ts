import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../runtime/index.ts';
import type { BudgetAlert } from '../usage/index.ts';
import { type AlertOutcome, type AlertWebhook, createAlertSender } from './alert-sender.ts';
import { createGuard, type Guard } from './guarded-agent.ts';

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const OPEN: Guard = { problemOf: () => undefined, addressProblem: () => undefined };
/** Waits for nothing. */
const HASTY: Clock = {
  monotonicMs: () => 0,
  wallMs: () => Date.UTC(2026, 0, 1),
  schedule: (delayMs, run) => {
    // Deadlines of calls are longer than pauses of this sender's first attempts.
    const timer = delayMs >= 10_000 ? undefined : setImmediate(run);
    return { [Symbol.dispose]: () => timer !== undefined && clearImmediate(timer) };
  },
};

const alertOf = (name: string): BudgetAlert => ({
  kind: 'alert',
  object: { apiVersion: 'x', kind: 'ApiKey', metadata: { name, namespace: 'team', uid: name } },
  row: { name: 'main', type: 'cost', limit: '10', used: '8', usedPercent: 80, alertTime: '2026-01-01T00:00:00Z' },
});

/** A webhook that answers with the statuses in their order, then 200. */
async function receiver(...statuses: number[]) {
  const calls: { path: string | undefined; id: unknown; signature: unknown; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { 'webhook-id': id, 'webhook-signature': signature } = request.headers;
    calls.push({ path: request.url, id, signature, body });
    response.statusCode = statuses.shift() ?? 200;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on TCP
  return {
    calls,
    url: `http://127.0.0.1:${port}/hook?a=1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sender(webhooks: readonly AlertWebhook[], guard = OPEN) {
  const stop = new AbortController();
  const settled: string[] = [];
  const outcomes: AlertOutcome[] = [];
  const alerts = createAlertSender({
    webhooks: () => webhooks,
    guard,
    onSettled: ({ object }) => void settled.push(object.metadata.name),
    onOutcome: (outcome) => void outcomes.push(outcome),
    log: QUIET,
    clock: HASTY,
    random: () => 0,
  });
  const running = alerts.run(stop.signal);
  return {
    ...{ alerts, settled, outcomes },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

describe('an alert', () => {
  test('is posted to every webhook, signed with its key', async () => {
    await using first = await receiver();
    await using second = await receiver();
    await using world = sender([
      { name: 'a', url: first.url, key: 'one' },
      { name: 'b', url: second.url, key: 'two' },
    ]);
    world.alerts.send(alertOf('app'));
    await waitFor(() => world.settled.length === 1);
    const [a, b] = [first.calls[0], second.calls[0]];
    expect(a).toMatchObject({ path: '/hook?a=1', id: b?.id, body: b?.body });
    expect(a?.signature).not.toBe(b?.signature);
    expect(world.outcomes).toEqual(['sent', 'sent']);
  });

  test('is sent again with the same id until the webhook takes it', async () => {
    await using flaky = await receiver(500, 302, 429);
    await using world = sender([{ name: 'a', url: flaky.url, key: 'one' }]);
    world.alerts.send(alertOf('app'));
    await waitFor(() => world.settled.length === 1);
    expect(flaky.calls.length).toBe(4);
    expect(new Set(flaky.calls.map(({ id }) => id)).size).toBe(1);
  });

  test('is given up after ten attempts, and settled then', async () => {
    await using broken = await receiver(...Array.from({ length: 20 }, () => 500));
    await using world = sender([{ name: 'a', url: broken.url, key: 'one' }]);
    world.alerts.send(alertOf('app'));
    await waitFor(() => world.settled.length === 1);
    expect(broken.calls.length).toBe(10);
    expect(world.outcomes).toEqual(['failed']);
  });

  test('is not sent unsigned', async () => {
    await using idle = await receiver();
    await using world = sender([{ name: 'a', url: idle.url, key: undefined }]);
    world.alerts.send(alertOf('app'));
    await waitFor(() => world.settled.length === 1);
    expect([idle.calls, world.outcomes]).toEqual([[], ['failed']]);
  });

  test.for(['127.0.0.1', 'localhost'])('is not sent to the machine of the operator, named %s', async (host) => {
    await using own = await receiver();
    await using world = sender([{ name: 'a', url: own.url.replace('127.0.0.1', host), key: 'one' }], createGuard([]));
    world.alerts.send(alertOf('app'));
    await waitFor(() => world.settled.length === 1);
    expect(own.calls).toEqual([]);
  });

  test('is not sent to a name that resolves to the machine of the operator', async () => {
    await using own = await receiver();
    const guard = { ...createGuard([]), problemOf: () => undefined };
    await using world = sender([{ name: 'a', url: own.url.replace('127.0.0.1', 'localhost'), key: 'one' }], guard);
    world.alerts.send(alertOf('app'));
    await waitFor(() => world.settled.length === 1);
    expect(own.calls).toEqual([]);
  });
});

test('the oldest of too many alerts is dropped', async () => {
  const outcomes: AlertOutcome[] = [];
  const alerts = createAlertSender({
    webhooks: () => [{ name: 'a', url: 'http://hooks.example', key: 'one' }],
    guard: OPEN,
    onSettled: () => {},
    onOutcome: (outcome) => void outcomes.push(outcome),
    log: QUIET,
  });
  for (let i = 0; i <= 1_000; i += 1) alerts.send(alertOf(`k${i}`));
  expect(outcomes).toEqual(['dropped']);
});

test.for([
  'http://169.254.169.254/latest',
  'http://metadata.google.internal/',
  'http://[::1]/',
  'http://kubernetes.default.svc/',
  'ftp://hooks.example/',
  'http://svc.gatehouse-system/',
])('a webhook may not be at %s', (url) => {
  expect(createGuard(['gatehouse-system']).problemOf(url)).toBeDefined();
});

test.for(['https://hooks.example/a', 'http://alerts.monitoring.svc:8080/'])('a webhook may be at %s', (url) => {
  expect(createGuard(['gatehouse-system']).problemOf(url)).toBeUndefined();
});

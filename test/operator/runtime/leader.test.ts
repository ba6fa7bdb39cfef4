import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createLeader,
  type KubeClient,
  LEASES,
  type Leader,
  type Leadership,
  LeaseLostError,
} from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { startFaultProxy } from '../../kit/fault-proxy.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, recordLog } from './support.ts';

let cluster: ControlPlaneAccess;
let admin: KubeClient;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  admin = await connectClient(cluster);
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** A tenth of the real times; the duration is in whole seconds on the wire. */
const SHORT = { durationMs: 2_000, renewDeadlineMs: 1_000, retryMs: 200 };
/** No renewal is late, however slow the machine is. */
const LONG = { durationMs: 90_000, renewDeadlineMs: 60_000, retryMs: 200 };

interface Replica {
  readonly leader: Leader;
  readonly outcome: Promise<Leadership>;
  /** The reason with which its work was aborted. */
  readonly reason: () => unknown;
  stop(): void;
}

function replica(client: KubeClient, namespace: string, identity: string, timing = LONG): Replica {
  const leader = createLeader({ client, namespace, name: 'lease', identity, log: recordLog(), timing });
  const stop = new AbortController();
  let reason: unknown;
  const outcome = leader.run(stop.signal, async (life) => {
    await new Promise((resolve) => life.addEventListener('abort', resolve, { once: true }));
    reason = life.reason;
  });
  return { leader, outcome, reason: () => reason, stop: () => stop.abort(new Error('SIGTERM')) };
}

describe('leader election', () => {
  test('has one leader, and the next one at once when it leaves in good order', async () => {
    const namespace = await cluster.createNamespace();
    const one = replica(admin, namespace, 'one');
    await waitFor(() => one.leader.leads);
    const two = replica(admin, namespace, 'two');
    await waitFor(async () => (await admin.get(LEASES, { namespace, name: 'lease' }, { signal })).spec?.renewTime);
    expect(two.leader.leads).toBe(false);
    one.stop();
    expect(await one.outcome).toBe('released');
    await waitFor(() => two.leader.leads);
    const { spec } = await admin.get(LEASES, { namespace, name: 'lease' }, { signal });
    expect(spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1, leaseDurationSeconds: 90 });
    expect(spec?.acquireTime).toMatch(/\.\d{6}Z$/);
    two.stop();
    await two.outcome;
  });

  test('takes over from a leader that is silent, and that one knows before', async () => {
    const namespace = await cluster.createNamespace();
    await using proxy = await startFaultProxy(cluster);
    await using client = await connectClient(cluster, { url: proxy.url });
    const one = replica(client, namespace, 'one', SHORT);
    await waitFor(() => one.leader.leads);
    const two = replica(admin, namespace, 'two', SHORT);
    proxy.inject(() => true, { kind: 'answer', status: 500 }, 1_000);
    expect(await one.outcome).toBe('lost');
    expect(one.reason()).toBeInstanceOf(LeaseLostError);
    expect(two.leader.leads).toBe(false);
    await waitFor(() => two.leader.leads);
    two.stop();
    await two.outcome;
  });

  test('stops a leader whose calls hang', async () => {
    const namespace = await cluster.createNamespace();
    await using proxy = await startFaultProxy(cluster);
    await using client = await connectClient(cluster, { url: proxy.url });
    const one = replica(client, namespace, 'one', { ...LONG, renewDeadlineMs: SHORT.renewDeadlineMs });
    await waitFor(() => one.leader.leads);
    proxy.inject(() => true, { kind: 'stall', afterBytes: 0 }, 1_000);
    const startedMs = performance.now();
    expect(await one.outcome).toBe('lost');
    expect(performance.now() - startedMs).toBeLessThan(LONG.durationMs);
  });

  test('ends at once for a leader whose lease another one holds', async () => {
    const namespace = await cluster.createNamespace();
    const one = replica(admin, namespace, 'one');
    await waitFor(() => one.leader.leads);
    const patch = { spec: { holderIdentity: 'thief', leaseDurationSeconds: 60 } };
    await admin.mergePatch(LEASES, { namespace, name: 'lease' }, patch, { signal });
    expect(await one.outcome).toBe('lost');
  });

  test('keeps the lease when only its metadata has changed', async () => {
    const namespace = await cluster.createNamespace();
    const one = replica(admin, namespace, 'one');
    await waitFor(() => one.leader.leads);
    const name = { namespace, name: 'lease' };
    const { spec } = await admin.mergePatch(LEASES, name, { metadata: { labels: { a: 'b' } } }, { signal });
    await waitFor(async () => (await admin.get(LEASES, name, { signal })).spec?.renewTime !== spec?.renewTime);
    expect(one.leader.leads).toBe(true);
    one.stop();
    expect(await one.outcome).toBe('released');
    expect((await admin.get(LEASES, name, { signal })).spec?.holderIdentity).toBeUndefined();
  });

  test('makes a lease that was never there, but none that has gone', async () => {
    const namespace = await cluster.createNamespace();
    const name = { namespace, name: 'lease' };
    const one = replica(admin, namespace, 'one');
    await waitFor(() => one.leader.leads);
    const seen = Promise.withResolvers<void>();
    const get: KubeClient['get'] = (...args) => admin.get(...args).finally(seen.resolve);
    const two = replica({ ...admin, get }, namespace, 'two');
    await seen.promise;
    await admin.delete(LEASES, name, { signal });
    expect(await one.outcome).toBe('lost');
    expect(two.leader.leads).toBe(false);
    await expect(admin.get(LEASES, name, { signal })).rejects.toThrow('not found');

    const restarted = replica(admin, namespace, 'one');
    await waitFor(() => restarted.leader.leads);
    for (const each of [restarted, two]) each.stop();
    await Promise.all([restarted.outcome, two.outcome]);
  });

  test('stays a candidate while the lease cannot be reached', async () => {
    const namespace = await cluster.createNamespace();
    await using proxy = await startFaultProxy(cluster);
    await using client = await connectClient(cluster, { url: proxy.url });
    proxy.inject(() => true, { kind: 'answer', status: 500 }, 3);
    const one = replica(client, namespace, 'one');
    await waitFor(() => one.leader.leads);
    one.stop();
    await one.outcome;
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../kit/wait-for.ts';
import { make, resource } from '../webhook/support.ts';
import { type OpenedStream, type SidecarStage, startSidecarStage } from './support.ts';

let stage: SidecarStage;
beforeAll(async () => {
  stage = await startSidecarStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe('the snapshot service', () => {
  test('sends a pod the Snapshot of its own workspace, with its own credentials only', async () => {
    await using stream = await stage.open(await stage.token(stage.team));
    const text = JSON.stringify(await stream.snapshot());
    expect(text).toContain(`sk-of-${stage.team}`);
    expect(text).not.toContain(`sk-of-${stage.other}`);
    expect(text).not.toContain(stage.other);
  });

  test('sends what changes, and pings in between', async () => {
    await using stream = await stage.open(await stage.token(stage.team));
    const first = await stream.snapshot();
    expect(await stream.next()).toEqual({ kind: 'ping' });
    await make(stage.cluster, resource('GatewayConfig', stage.team, 'fresh', { config: { provider: '@own' } }));
    const second = await stream.snapshot();
    expect(second.version).not.toBe(first.version);
    expect(second.entries.map(({ id }) => id)).toContain(`config/${stage.team}/fresh`);
    await using again = await stage.open(await stage.token(stage.team), `?have=${second.version}`);
    expect(await again.next()).toEqual({ kind: 'ping' });
  });

  test.for([
    { rule: 'nobody', bearer: async () => undefined, status: 401 },
    {
      rule: 'a token for the API server',
      bearer: () => stage.token(stage.team, 'https://kubernetes.default.svc.cluster.local'),
      status: 401,
    },
    { rule: 'no token at all', bearer: async () => 'made-up', status: 401 },
    { rule: 'the administrator', bearer: async () => stage.cluster.adminToken, status: 401 },
  ])('refuses $rule', async ({ bearer, status }) => {
    await using stream = await stage.open(await bearer());
    expect(stream.status).toBe(status);
  });

  test('sends a pod outside every workspace an empty Snapshot', async () => {
    await using stream = await stage.open(await stage.token('default'));
    expect((await stream.snapshot()).entries).toEqual([]);
  });

  test('keeps the slots of served sidecars from those with an empty Snapshot', async () => {
    const namespace = await stage.cluster.createNamespace();
    const bearer = await stage.token(namespace);
    const streams: OpenedStream[] = [];
    try {
      for (let i = 0; i < 4; i += 1) streams.push(await stage.open(bearer));
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await using served = await stage.open(await stage.token(stage.team));
      expect(served.status).toBe(200);
    } finally {
      for (const stream of streams) await stream[Symbol.asyncDispose]();
    }
  });

  test('turns away more streams than a namespace may have', async () => {
    const bearer = await stage.token(stage.other);
    const streams = [await stage.open(bearer), await stage.open(bearer), await stage.open(bearer)];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await stage.open(bearer)).status).toBe(503);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
    await waitFor(async () => {
      await using stream = await stage.open(bearer);
      return stream.status === 200;
    });
  });
});

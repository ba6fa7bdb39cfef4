import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError, type CallReport, createKubeClient, type KubeClient } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { type FaultProxy, startFaultProxy } from '../../kit/fault-proxy.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CONFIG_MAPS, configMap, connectClient } from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
let namespace: string;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
  namespace = await cluster.createNamespace();
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const failure = async (call: Promise<unknown>): Promise<ApiError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('expected an ApiError', { cause: error });
  return error;
};

describe('the verbs', () => {
  test('create, read, replace, patch and delete an object', async () => {
    const name = { namespace, name: 'verbs' };
    const created = await client.create(CONFIG_MAPS, configMap(namespace, 'verbs', { a: '1' }), { signal });
    const updated = await client.update(CONFIG_MAPS, { ...created, data: { a: '2' } }, { signal });
    await client.mergePatch(CONFIG_MAPS, name, { data: { b: '3' } }, { signal });
    expect((await client.get(CONFIG_MAPS, name, { signal })).data).toEqual({ a: '2', b: '3' });
    const stale = await failure(client.update(CONFIG_MAPS, { ...updated, data: {} }, { signal }));
    expect(stale).toMatchObject({ status: 409, reason: 'Conflict' });
    const other = await failure(client.delete(CONFIG_MAPS, name, { uid: 'somebody-else', signal }));
    expect(other).toMatchObject({ status: 409, reason: 'Conflict' });
    await client.delete(CONFIG_MAPS, name, { uid: created.metadata.uid, signal });
    expect(await failure(client.get(CONFIG_MAPS, name, { signal }))).toMatchObject({ status: 404, reason: 'NotFound' });
  });

  test('list page by page', async () => {
    const labels = { page: 'yes' };
    for (const name of ['p1', 'p2', 'p3']) {
      await client.create(
        CONFIG_MAPS,
        { ...configMap(namespace, name), metadata: { namespace, name, labels } },
        { signal },
      );
    }
    const selection = { namespace, labelSelector: 'page=yes', limit: 2, signal };
    const first = await client.list(CONFIG_MAPS, selection);
    const second = await client.list(CONFIG_MAPS, { ...selection, continueToken: first.continueToken });
    expect([...first.items, ...second.items].map(({ metadata }) => metadata.name)).toEqual(['p1', 'p2', 'p3']);
    expect(second.continueToken).toBeUndefined();
  });

  test('apply only what is intended, and name the owner of a field that is not ours', async () => {
    const mine = { fieldManager: 'one', force: false, signal };
    await client.apply(CONFIG_MAPS, configMap(namespace, 'shared', { a: '1', b: '1' }), mine);
    const theirs = { fieldManager: 'two', force: false, signal };
    const refused = await failure(client.apply(CONFIG_MAPS, configMap(namespace, 'shared', { a: '2' }), theirs));
    expect(refused).toMatchObject({ status: 409, reason: 'Conflict' });
    expect(refused.causes).toMatchObject([{ reason: 'FieldManagerConflict', field: '.data.a' }]);
    await client.apply(CONFIG_MAPS, configMap(namespace, 'shared', { a: '2' }), { ...theirs, force: true });
    await client.apply(CONFIG_MAPS, configMap(namespace, 'shared', {}), mine);
    const left = await client.get(CONFIG_MAPS, { namespace, name: 'shared' }, { signal });
    expect(left.data).toEqual({ a: '2' });
  });

  test('refuse a field that the schema does not know', async () => {
    const wrong = { ...configMap(namespace, 'wrong'), dat: {} };
    expect(await failure(client.create(CONFIG_MAPS, wrong, { signal }))).toMatchObject({ status: 400 });
  });

  test('only simulate a dry run', async () => {
    await client.create(CONFIG_MAPS, configMap(namespace, 'dry'), { dryRun: true, signal });
    const read = client.get(CONFIG_MAPS, { namespace, name: 'dry' }, { signal });
    expect(await failure(read)).toMatchObject({ reason: 'NotFound' });
  });

  test('post to a subresource', async () => {
    const accounts = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { name: '' }, spec: {} };
    const name = { namespace, name: 'default' };
    const answer = await client.createSub(accounts, name, body, { subresource: 'token', signal });
    expect(answer).toMatchObject({ status: { token: expect.stringMatching(/^ey/) } });
  });

  test('end with the reason of the caller', async () => {
    const boom = new Error('boom');
    await expect(client.list(CONFIG_MAPS, { signal: AbortSignal.abort(boom) })).rejects.toBe(boom);
    const stop = new AbortController();
    using stream = await client.watch(CONFIG_MAPS, {
      ...{ namespace, timeoutSeconds: 60, silenceMs: 60_000 },
      signal: stop.signal,
    });
    const read = async (): Promise<void> => {
      for await (const _ of stream) stop.abort(boom);
    };
    await expect(read()).rejects.toBe(boom);
  });
});

describe('the transport', () => {
  const throughProxy = async (work: (client: KubeClient, proxy: FaultProxy) => Promise<void>): Promise<void> => {
    await using proxy = await startFaultProxy(cluster);
    await using proxied = await connectClient(cluster, { url: proxy.url });
    await work(proxied, proxy);
  };
  const busy = { kind: 'answer', status: 429, headers: { 'retry-after': '0' } } as const;

  test('waits for a Retry-After once', () =>
    throughProxy(async (proxied, proxy) => {
      proxy.inject(() => true, busy);
      expect((await proxied.list(CONFIG_MAPS, { namespace, signal })).items).not.toEqual([]);
      proxy.inject(() => true, busy, 2);
      const second = await failure(proxied.list(CONFIG_MAPS, { namespace, signal }));
      expect(second).toMatchObject({ status: 429, reason: 'TooManyRequests', retryAfterMs: 0 });
    }));

  test('leaves a long Retry-After to the caller', () =>
    throughProxy(async (proxied, proxy) => {
      proxy.inject(() => true, { kind: 'answer', status: 503, headers: { 'retry-after': '60' } });
      const error = await failure(proxied.list(CONFIG_MAPS, { namespace, signal }));
      expect(error).toMatchObject({ status: 503, retryAfterMs: 60_000 });
    }));

  test.for([
    { rule: 'no server', fault: { kind: 'cut', afterBytes: 0 } as const, want: { status: 0, reason: 'Unreachable' } },
    { rule: 'an answer that stops', fault: { kind: 'cut', afterBytes: 20 } as const, want: { reason: 'Unreachable' } },
    { rule: 'a silent server', fault: { kind: 'stall', afterBytes: 20 } as const, want: { reason: 'Timeout' } },
    {
      rule: 'a proxy that is no API server',
      fault: { kind: 'answer', status: 200, body: '<html>' } as const,
      want: { reason: 'Undecodable' },
    },
    {
      rule: 'a gateway error in HTML',
      fault: { kind: 'answer', status: 502, body: '<html>' } as const,
      want: { status: 502 },
    },
  ])('reports $rule', ({ fault, want }) =>
    throughProxy(async (proxied, proxy) => {
      proxy.inject(() => true, fault);
      // Only a server that is silent is given up.
      const timeoutMs = fault.kind === 'stall' ? 500 : 120_000;
      const call = proxied.list(CONFIG_MAPS, { namespace, timeoutMs, signal });
      expect(await failure(call)).toMatchObject(want);
    }),
  );
});

describe('credentials', () => {
  const withFile = async (content: object, work: (path: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-kubeconfig-'));
    const path = join(folder, 'config');
    await writeFile(path, JSON.stringify(content));
    await work(path).finally(() => rm(folder, { recursive: true }));
  };

  const withUser = (user: object) => ({ ...cluster.kubeconfig, users: [{ name: 'test', user }] });

  test('come from a kubeconfig, and are read again when the server refuses them', () =>
    withFile(withUser({ token: 'outdated' }), async (kubeConfig) => {
      const reports: CallReport[] = [];
      const onCall = (report: CallReport): unknown => reports.push(report);
      await using reading = await createKubeClient({ source: { kubeConfig }, userAgent: 'gatehouse-test', onCall });
      await writeFile(kubeConfig, JSON.stringify(cluster.kubeconfig));
      expect((await reading.list(CONFIG_MAPS, { namespace, signal })).items).not.toEqual([]);
      expect(reports).toMatchObject([{ verb: 'list', code: 200 }]);
    }));

  test('in a token file are read again when it has been rotated', () =>
    withFile({}, async (tokenFile) => {
      const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
      await withFile(withUser(user), async (kubeConfig) => {
        await writeFile(tokenFile, 'outdated');
        await using reading = await createKubeClient({ source: { kubeConfig }, userAgent: 'gatehouse-test' });
        expect(await failure(reading.list(CONFIG_MAPS, { namespace, signal }))).toMatchObject({ status: 401 });
        await writeFile(tokenFile, `${cluster.adminToken}\n`);
        const list = () => reading.list(CONFIG_MAPS, { namespace, signal }).catch(() => undefined);
        const { items } = await waitFor(list);
        expect(items).not.toEqual([]);
      });
    }));

  test('come from the program that a kubeconfig names', () =>
    withFile(cluster.kubeconfig, async (kubeConfig) => {
      const answer = {
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token: cluster.adminToken },
      };
      const exec = { apiVersion: answer.apiVersion, command: '/bin/echo', args: [JSON.stringify(answer)] };
      await writeFile(kubeConfig, JSON.stringify(withUser({ exec })));
      await using reading = await createKubeClient({ source: { kubeConfig }, userAgent: 'gatehouse-test' });
      expect((await reading.list(CONFIG_MAPS, { namespace, signal })).items).not.toEqual([]);
    }));

  test('of a service account give what its role allows', async () => {
    const token = await cluster.serviceAccountToken(namespace, 'nobody');
    await using limited = await connectClient(cluster, { token });
    const error = await failure(limited.list(CONFIG_MAPS, { namespace, signal }));
    expect(error).toMatchObject({ status: 403, reason: 'Forbidden' });
  });

  test('without a file or context are an error at once', async () => {
    const open = (kubeConfig: string) => createKubeClient({ source: { kubeConfig }, userAgent: 'gatehouse-test' });
    await expect(open('/nowhere')).rejects.toThrow();
    await withFile({ ...cluster.kubeconfig, 'current-context': 'other' }, (path) =>
      expect(open(path)).rejects.toThrow(),
    );
  });
});

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../kit/wait-for.ts';
import { isAlive, type ProcessIdentity } from '../identity.ts';
import { APPLY_PATCH, type ControlPlaneAccess, sharedControlPlane, startControlPlane } from '../index.ts';
import { recordedProcesses } from '../state-folder.ts';

const configMaps = (namespace: string, query = ''): string => `/api/v1/namespaces/${namespace}/configmaps${query}`;

describe('the control plane of a test run', () => {
  let controlPlane: ControlPlaneAccess;
  beforeAll(() => {
    controlPlane = sharedControlPlane();
  });
  afterAll(() => controlPlane[Symbol.asyncDispose]());

  test('is a real API server with the controllers behind it', async () => {
    const { body } = await controlPlane.request('GET', '/version');
    expect(body).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\./) });
    const namespace = await controlPlane.createNamespace();
    await controlPlane.request('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
      body: {
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'web', image: 'localhost/web:1' }] },
          },
        },
      },
    });
    const pods = await waitFor(async () => {
      const { stdout } = await controlPlane.kubectl(['get', 'pods', '-n', namespace, '-o', 'name']);
      return stdout;
    });
    expect(pods).toMatch(/^pod\/web-/);
  });

  test('keeps the objects of its namespaces apart', async () => {
    const [one, other] = await Promise.all([controlPlane.createNamespace(), controlPlane.createNamespace()]);
    const body = { metadata: { name: 'settings' }, data: { of: one } };
    expect(await controlPlane.request('POST', configMaps(one), { body })).toMatchObject({ status: 201 });
    expect(await controlPlane.request('GET', `${configMaps(other)}/settings`)).toMatchObject({ status: 404 });
  });

  test('gives a namespace the labels of the options', async () => {
    const namespace = await controlPlane.createNamespace({ 'gatehouse.dev/workspace': 'team-a' });
    const { body } = await controlPlane.request('GET', `/api/v1/namespaces/${namespace}`);
    expect(body).toMatchObject({ metadata: { labels: { 'gatehouse.dev/workspace': 'team-a' } } });
  });

  test('knows who applied a field', async () => {
    const namespace = await controlPlane.createNamespace();
    const apply = (manager: string, data: object) =>
      controlPlane.request('PATCH', `${configMaps(namespace)}/shared?fieldManager=${manager}`, {
        contentType: APPLY_PATCH,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data },
      });
    expect(await apply('one', { colour: 'red' })).toMatchObject({ status: 201 });
    expect(await apply('other', { colour: 'blue' })).toMatchObject({ status: 409 });
  });

  test('lets a ServiceAccount do what its roles allow, and audits it', async () => {
    const namespace = await controlPlane.createNamespace();
    const token = await controlPlane.serviceAccountToken(namespace, 'reader');
    const path = configMaps(namespace);
    expect(await controlPlane.request('GET', path, { token })).toMatchObject({ status: 403 });
    const account = `--serviceaccount=${namespace}:reader`;
    await controlPlane.kubectl(['create', 'role', 'reader', '--verb=list', '--resource=configmaps', '-n', namespace]);
    await controlPlane.kubectl(['create', 'rolebinding', 'reader', '--role=reader', account, '-n', namespace]);
    // The authorizer learns of a binding through its watch.
    await waitFor(async () => (await controlPlane.request('GET', path, { token })).status === 200);

    const user = `system:serviceaccount:${namespace}:reader`;
    const allowed = await waitFor(async () => {
      const events = await controlPlane.auditEvents({ user, status: 200 });
      return events[0];
    });
    expect(allowed).toMatchObject({ verb: 'list', group: '', resource: 'configmaps', namespace, path });
    expect(await controlPlane.auditEvents({ user, verb: 'list', status: 403 })).not.toEqual([]);
    expect(await controlPlane.auditEvents({ user, verb: 'delete' })).toEqual([]);
  });

  test('makes tokens for other audiences that are no good for itself', async () => {
    const namespace = await controlPlane.createNamespace();
    const token = await controlPlane.serviceAccountToken(namespace, 'sidecar', { audiences: ['snapshot-service'] });
    expect(await controlPlane.request('GET', '/api', { token })).toMatchObject({ status: 401 });
    const body = { spec: { token, audiences: ['snapshot-service'] } };
    const review = await controlPlane.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
    expect(review.body).toMatchObject({
      status: { authenticated: true, user: { username: `system:serviceaccount:${namespace}:sidecar` } },
    });
  });

  test('reports a failed kubectl as an outcome', async () => {
    expect(await controlPlane.kubectl(['get', 'pod', 'nobody'])).toMatchObject({ code: 1, stdout: '' });
    const config = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'piped' } });
    const namespace = await controlPlane.createNamespace();
    const outcome = await controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: config });
    expect(outcome).toMatchObject({ code: 0 });
  });
});

describe('a control plane of our own', () => {
  test('survives an outage of its API server with all objects, at the same address', async () => {
    await using controlPlane = await startControlPlane();
    const namespace = await controlPlane.createNamespace();
    await controlPlane.apiServer.stop();
    await expect(controlPlane.request('GET', '/readyz')).rejects.toThrow();
    await controlPlane.apiServer.start();
    expect(await controlPlane.request('GET', `/api/v1/namespaces/${namespace}`)).toMatchObject({ status: 200 });
    expect(await controlPlane.createNamespace()).not.toBe(namespace); // the controllers have come back too
  });

  test('runs beside others and leaves nothing behind', async () => {
    const gone: { folder: string; processes: ProcessIdentity[] }[] = [];
    {
      await using both = new AsyncDisposableStack();
      const [one, other] = await Promise.all([startControlPlane(), startControlPlane()]);
      both.use(one);
      both.use(other);
      expect(one.url).not.toBe(other.url);
      for (const { folder } of [one, other]) gone.push({ folder, processes: recordedProcesses(folder) });
    }
    for (const { folder, processes } of gone) {
      expect(processes.length).toBe(3); // etcd, API server, controllers
      expect(processes.filter(isAlive)).toEqual([]);
      expect(existsSync(folder)).toBe(false);
    }
  });
});

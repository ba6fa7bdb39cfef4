import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../kit/wait-for.ts';
import {
  type ControlPlaneAccess,
  type NodesAccess,
  runKubectl,
  sharedControlPlane,
  sharedNodes,
  withoutNodes,
} from '../index.ts';
import {
  apply,
  buildProbeImage,
  PROBE_PORT,
  probeContainer,
  probeService,
  readValue,
  rolledOut,
} from './probe/pods.ts';

/** Each time by a connection of its own: a kept one would always reach the same pod. */
const textOf = async (url: string): Promise<string> => (await request(url, { reset: true })).body.text();

/** What a pod sees at the path of its server. */
const ask = (address: string, path: string, query: Record<string, string>): Promise<string> =>
  textOf(`http://${address}:${PROBE_PORT}${path}?${new URLSearchParams(query)}`);

describe.skipIf(withoutNodes() !== undefined)('pods of a test run', () => {
  let controlPlane: ControlPlaneAccess;
  let nodes: NodesAccess;
  let namespace: string;

  beforeAll(async () => {
    controlPlane = sharedControlPlane();
    nodes = sharedNodes(controlPlane);
    await using image = await buildProbeImage();
    await nodes.importImage(image.archive);
    namespace = await controlPlane.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });
  afterAll(() => controlPlane[Symbol.asyncDispose]());

  const startPod = async (name: string, spec: object): Promise<string> => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
    await apply(controlPlane, namespace, [pod]);
    await runKubectl(controlPlane, ['wait', '-n', namespace, `pod/${name}`, '--for=condition=Ready', '--timeout=300s']);
    return readValue(controlPlane, namespace, [`pod/${name}`, '.status.podIP']);
  };

  test('become ready, and a Service spreads requests of this process over them', async () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    };
    await apply(controlPlane, namespace, probeService('web', { replicas: 2, spec: spread }));
    await rolledOut(controlPlane, namespace, 'web');
    const address = await readValue(controlPlane, namespace, ['service/web', '.spec.clusterIP']);
    const seen = new Set<string>();
    const hasSeenBoth = async (): Promise<boolean> => seen.add(await textOf(`http://${address}/`)).size === 2;
    // A Service has no endpoints until every node's kube-proxy knows them.
    await waitFor(() => hasSeenBoth().catch(() => false), { what: 'both pods' });

    const pods = await readValue(controlPlane, namespace, ['pods', '.items[*].spec.nodeName']);
    expect(pods.split(' ').sort()).toEqual(nodes.nodes.map(({ name }) => name));
  });

  test('find each other by name, and the test process by address', async () => {
    await apply(controlPlane, namespace, probeService('named'));
    await rolledOut(controlPlane, namespace, 'named');
    const address = await startPod('caller', { containers: [probeContainer()], nodeName: nodes.nodes.at(-1)?.name });
    const url = `http://named.${namespace}.svc.cluster.local`;
    await waitFor(async () => (await ask(address, '/fetch', { url })).startsWith('named-'), { what: 'a pod by name' });

    const server = createServer((_, response) => response.end('the test process')).listen(0, nodes.hostAddress);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // listening on TCP
    const called = await ask(address, '/fetch', { url: `http://${nodes.hostAddress}:${port}` });
    server.close();
    server.closeAllConnections();
    expect(called).toBe('the test process');
  });

  test('see new content of mounted ConfigMaps and Secrets', async () => {
    const mounted = (value: string) => [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { value } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { value } },
    ];
    await apply(controlPlane, namespace, mounted('old'));
    const address = await startPod('mounts', {
      containers: [
        probeContainer({
          volumeMounts: [
            { name: 'settings', mountPath: '/settings' },
            { name: 'keys', mountPath: '/keys' },
          ],
        }),
      ],
      volumes: [
        { name: 'settings', configMap: { name: 'settings' } },
        { name: 'keys', secret: { secretName: 'keys' } },
      ],
    });
    const read = (folder: string): Promise<string> => ask(address, '/file', { path: `/${folder}/value` });
    expect(await Promise.all([read('settings'), read('keys')])).toEqual(['old', 'old']);
    await apply(controlPlane, namespace, mounted('new'));
    await waitFor(async () => (await Promise.all([read('settings'), read('keys')])).every((value) => value === 'new'), {
      what: 'the new content',
    });
  });

  test('have native sidecars, which are ready before the application starts', async () => {
    const port = PROBE_PORT + 1;
    const address = await startPod('sidecar', {
      initContainers: [
        {
          ...probeContainer(),
          name: 'gateway',
          restartPolicy: 'Always',
          env: [{ name: 'PORT', value: String(port) }],
          ports: [],
          readinessProbe: undefined,
          startupProbe: { httpGet: { path: '/', port }, periodSeconds: 1 },
        },
      ],
      containers: [probeContainer()],
    });
    expect(await ask(address, '/fetch', { url: `http://127.0.0.1:${port}` })).toBe('sidecar');
  });

  test('run commands and have logs', async () => {
    await startPod('shell', {
      containers: [probeContainer({ command: ['sh', '-c', 'echo started; exec node /app/server.ts'] })],
    });
    expect(await nodes.podLogs(namespace, 'shell')).toBe('started\n');
    expect(await nodes.exec(namespace, 'shell', ['id', '-u'])).toMatchObject({ code: 0, stdout: '65532\n' });
    expect(await nodes.exec(namespace, 'shell', ['cat'], { input: 'echoed' })).toMatchObject({ stdout: 'echoed' });
    expect(await nodes.exec(namespace, 'shell', ['sh', '-c', 'exit 3'])).toMatchObject({ code: 3 });
  });

  test('cannot reach anything outside the cluster', async () => {
    const address = await startPod('outside', { containers: [probeContainer()] });
    expect(await ask(address, '/fetch', { url: 'http://203.0.113.1' })).toBe('ENETUNREACH');
  });
});

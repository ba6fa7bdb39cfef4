/** The autoscaler of a fleet with a custom metrics API, as an adapter for Prometheus serves it. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient } from '../runtime/support.ts';
import { fleet, makePodsReady, PODS, startFleetOperator } from './support.ts';

const GROUP_VERSION = 'custom.metrics.k8s.io/v1beta2';

interface Asked {
  readonly namespace: string;
  readonly metric: string;
  readonly selector: string;
}

/** Serves one value for each pod that is asked about. */
async function startMetricsApi(podsOf: (asked: Asked) => Promise<readonly string[]>, value: string) {
  const server = createServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://localhost');
    const [, namespace, metric] = /\/namespaces\/([^/]+)\/pods\/\*\/([^/]+)$/.exec(decodeURIComponent(pathname)) ?? [];
    response.setHeader('content-type', 'application/json');
    if (namespace === undefined || metric === undefined) {
      const resources = [
        { name: 'pods/x', singularName: '', namespaced: true, kind: 'MetricValueList', verbs: ['get'] },
      ];
      response.end(
        JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: GROUP_VERSION, resources }),
      );
      return;
    }
    const names = await podsOf({ namespace, metric, selector: searchParams.get('labelSelector') ?? '' });
    const items = names.map((name) => ({
      describedObject: { kind: 'Pod', apiVersion: 'v1', namespace, name },
      metric: { name: metric },
      timestamp: new Date().toISOString(),
      value,
    }));
    response.end(JSON.stringify({ kind: 'MetricValueList', apiVersion: GROUP_VERSION, metadata: {}, items }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the API part of the cluster's own for the time of the test. */
async function register(cluster: ControlPlaneAccess, namespace: string, port: number) {
  const service = {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'metrics', namespace } },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  };
  const api = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: GROUP_VERSION.split('/').reverse().join('.') },
    spec: {
      ...{ group: 'custom.metrics.k8s.io', version: 'v1beta2', insecureSkipTLSVerify: true },
      ...{ groupPriorityMinimum: 100, versionPriority: 100, service: { name: 'metrics', namespace, port } },
    },
  };
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [service, api] });
  await runKubectl(cluster, ['apply', '-f', '-'], { input });
  return {
    [Symbol.asyncDispose]: async () => {
      await runKubectl(cluster, ['delete', 'apiservice', api.metadata.name]);
    },
  };
}

test('a fleet whose pods have too many streams open gets more of them', async () => {
  await using cluster = sharedControlPlane();
  await using client = await connectClient(cluster);
  const signal = AbortSignal.timeout(200_000);
  const namespace = await cluster.createNamespace();
  const asked: Asked[] = [];
  await using metrics = await startMetricsApi(async (question) => {
    asked.push(question);
    const { items } = await client.list(PODS, { namespace, labelSelector: question.selector, signal });
    return items.map(({ metadata }) => metadata.name);
  }, '400');
  await using _api = await register(cluster, namespace, metrics.port);
  await using operator = await startFleetOperator({ client, namespace });
  const autoscaling = { minReplicas: 2, maxReplicas: 4, targetOpenStreams: 200 };
  await client.create(FLEETS, fleet(namespace, 'f', { autoscaling }), { signal });
  await makePodsReady(client, namespace, 2);
  await waitFor(() => operator.replicas.at(-1) === 4, { what: 'four pods' });
  // Fleets of other files ask the same API meanwhile.
  const ours = asked.filter((question) => question.namespace === namespace);
  expect(ours[0]).toMatchObject({ metric: 'gatehouse_open_streams' });
  expect(ours[0]?.selector).toContain('gatehouse.dev/fleet=f');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage } from '../../../../images/oci/index.ts';
import { IMAGE_NODE, IMAGE_USER, nodeRootLayer } from '../../../../images/rootfs/index.ts';
import { type ControlPlaneAccess, runKubectl } from '../../index.ts';

/** The image of `server.ts`. */
export const PROBE_IMAGE = 'localhost/gatehouse-probe:1';
export const PROBE_PORT = 8080;

/** The archive of the image, until it is disposed of. */
export async function buildProbeImage(): Promise<AsyncDisposable & { readonly archive: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-probe-image-'));
  const spec = {
    name: PROBE_IMAGE,
    base: [await nodeRootLayer({ shell: true })],
    files: { '/app/server.ts': { source: fileURLToPath(new URL('./server.ts', import.meta.url)) } },
    entrypoint: [IMAGE_NODE, '/app/server.ts'],
    user: `${IMAGE_USER}:${IMAGE_USER}`,
  };
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true });
  return { archive: await buildImage(spec, folder), [Symbol.asyncDispose]: removeFolder };
}

/** A container that runs the server, as restricted as ours are. */
export const probeContainer = (more: object = {}) => ({
  name: 'probe',
  image: PROBE_IMAGE,
  ports: [{ containerPort: PROBE_PORT }],
  readinessProbe: { httpGet: { path: '/', port: PROBE_PORT }, periodSeconds: 1 },
  securityContext: {
    runAsNonRoot: true,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
  ...more,
});

/** A Deployment of the container and a Service of the same name at port 80. */
export const probeService = (name: string, { replicas = 1, spec = {} }: { replicas?: number; spec?: object } = {}) => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [probeContainer()], ...spec } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: PROBE_PORT }] },
  },
];

/** Applies objects and fails with the error of the API server. */
export async function apply(
  controlPlane: ControlPlaneAccess,
  namespace: string,
  objects: readonly object[],
): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await must(controlPlane, ['apply', '-n', namespace, '-f', '-'], input);
}

/** Waits until all pods of a Deployment are ready. */
export const rolledOut = (controlPlane: ControlPlaneAccess, namespace: string, name: string): Promise<string> =>
  must(controlPlane, ['rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=300s']);

/** One value of an object by JSONPath. */
export const readValue = (
  controlPlane: ControlPlaneAccess,
  namespace: string,
  [object, path]: readonly [object: string, path: string],
): Promise<string> => must(controlPlane, ['get', object, '-n', namespace, '-o', `jsonpath={${path}}`]);

async function must(controlPlane: ControlPlaneAccess, args: readonly string[], input = ''): Promise<string> {
  try {
    return await runKubectl(controlPlane, args, { input });
  } catch (cause) {
    const { stdout } = await controlPlane.kubectl(['get', 'events', '-A', '-o', 'custom-columns=:.message']);
    throw new Error(stdout, { cause }); // only events say why a pod did not start
  }
}

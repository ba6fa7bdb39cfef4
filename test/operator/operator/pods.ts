import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { waitFor } from '@gatehouse/test/kit';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { ask, type GatewayProcess, startGateway } from '../../contract/gateway-process.ts';
import { type KubeThing, patch, read } from './objects.ts';
import type { Stage } from './stage.ts';

/** A gateway process that stands for a pod of a fleet which no node runs. */
export interface PodProcess extends AsyncDisposable {
  readonly pod: string;
  /** Of its main listener. */
  readonly url: string;
  /** Asks with a gateway key: the model that answers, or the status of a failed request. */
  ask(key: string, headers?: Readonly<Record<string, string>>): Promise<string | number>;
  readonly gateway: GatewayProcess;
  /** Tells the API server whether it is ready, as its kubelet would. */
  report(isReady: boolean): Promise<void>;
}

const ADMIN_PORT = '8789';

/** The part of a stage that a pod needs. */
export type PodStage = Pick<Stage, 'cluster' | 'fleets' | 'fleet' | 'folder'>;

export interface RunPodsOptions {
  readonly count?: number;
  /** Further environment of the gateways. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Waits for pods of the stage's fleet and runs each as a process with an address of loopback of its own. */
export async function runPods(
  stage: PodStage,
  { count = 1, variables = {} }: RunPodsOptions = {},
): Promise<PodProcess[]> {
  const { cluster, fleets, fleet } = stage;
  const selector = encodeURIComponent(`gatehouse.dev/fleet=${fleet}`);
  const pods = await waitFor(
    async () => {
      const { body } = await cluster.request('GET', `/api/v1/namespaces/${fleets}/pods?labelSelector=${selector}`);
      const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
      const idle = items.filter((pod) => !isObject(pod.status) || pod.status['podIP'] === undefined);
      return idle.length >= count ? idle.slice(0, count) : undefined;
    },
    { what: 'pods of the fleet' },
  );
  return Promise.all(pods.map(({ metadata }) => runPod(stage, metadata.name, variables)));
}

async function runPod(
  { cluster, fleets, fleet, folder }: PodStage,
  pod: string,
  variables: Readonly<Record<string, string>>,
): Promise<PodProcess> {
  const [a = 0, b = 0, c = 0] = randomBytes(3);
  const ip = `127.${1 + (a % 254)}.${b}.${1 + (c % 254)}`;
  const admin = await waitFor(
    () => read(cluster, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: fleets, name: `${fleet}-admin` } }),
    { what: 'the admin Secret' },
  );
  const home = await mkdtemp(join(folder, 'pod-'));
  await writeFile(join(home, 'token'), await cluster.serviceAccountToken(fleets, `${fleet}-gateway`));
  await writeFile(join(home, 'ca.crt'), cluster.caPem);
  const gateway = await startGateway({
    HOST: ip,
    GATEHOUSE_ADMIN_PORT: ADMIN_PORT,
    GATEHOUSE_ADMIN_TOKEN: Buffer.from(admin.data?.['token'] ?? '', 'base64').toString('utf8'),
    GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes',
    GATEHOUSE_FLEET: fleet,
    GATEHOUSE_NAMESPACE: fleets,
    GATEHOUSE_POD_NAME: pod,
    GATEHOUSE_API_SERVER: cluster.url,
    GATEHOUSE_API_TOKEN_FILE: join(home, 'token'),
    GATEHOUSE_API_CA_FILE: join(home, 'ca.crt'),
    GATEHOUSE_SNAPSHOT_DIR: join(home, 'copy'),
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost',
    ...variables,
  });
  const url = gateway.url.replace('127.0.0.1', ip);
  const report = (isReady: boolean): Promise<void> => reportPod(cluster, { namespace: fleets, name: pod, ip }, isReady);
  await waitFor(async () => (await fetch(`http://${ip}:${ADMIN_PORT}/readyz`)).ok, {
    what: 'a gateway with a Snapshot',
  });
  await report(true);
  return {
    pod,
    url,
    gateway,
    report,
    ask: (key, headers = {}) => ask(url, { ...headers, authorization: `Bearer ${key}` }),
    [Symbol.asyncDispose]: () => gateway.kill(),
  };
}

/** Tells the API server of a pod what its kubelet would. */
export async function reportPod(
  cluster: ControlPlaneAccess,
  { namespace, name, ip }: { readonly namespace: string; readonly name: string; readonly ip: string },
  isReady: boolean,
): Promise<void> {
  const status = isReady ? 'True' : 'False';
  const conditions = [{ type: 'Ready', status, lastTransitionTime: new Date().toISOString().slice(0, 19).concat('Z') }];
  const body = { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } };
  await patch(
    cluster,
    `/api/v1/namespaces/${namespace}/pods/${name}/status`,
    body,
    'application/strategic-merge-patch+json',
  );
}

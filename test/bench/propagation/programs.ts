/** The bundled programs as the images run them: one operator, and gateways in place of the pods of its fleet. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { bundleProgram } from '../../../images/bundle.ts';
import { type KubeThing, read } from '../../operator/operator/support.ts';
import { freePort } from '../ports.ts';
import type { Processes, Running } from '../processes.ts';
import { FLEET, type Stage } from './stage.ts';

export interface Programs {
  readonly operator: string;
  readonly gateway: string;
}

export interface Bench {
  readonly processes: Processes;
  /** For bundles and what programs write; gone after the run. */
  readonly directory: string;
  readonly programs: Programs;
  /** Where CPU profiles go. */
  readonly profile: string | undefined;
  say(text: string): void;
}

export interface OperatorProcess extends Running {
  /** The sum of a metric's samples whose line has the text. */
  metric(name: string, text?: string): Promise<number>;
}

export interface GatewayProcess extends Running {
  readonly pod: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly token: string;
}

/** The admin port of every pod, which is why each gateway has an address of its own. */
const ADMIN_PORT = 8_789;
const PORT = 8_787;
const START_TIMEOUT_MS = 60_000;
/** Until a fleet has pods, and a gateway a Snapshot, on a machine that is busy with both. */
const FLEET_DEADLINE_MS = 180_000;

export async function bundlePrograms(directory: string): Promise<Programs> {
  const file = (name: 'operator' | 'gateway') => bundleProgram(name, join(directory, `${name}.js`));
  return { operator: await file('operator'), gateway: await file('gateway') };
}

const profiling = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];

/** Starts it without webhooks; resolves when it serves its metrics. */
export async function startOperator(bench: Bench, stage: Stage): Promise<OperatorProcess> {
  const { cluster, organisation, fleets } = stage;
  const port = await freePort();
  const flags = {
    kubeconfig: cluster.kubeconfigPath,
    'organisation-namespace': organisation,
    'fleet-namespaces': fleets,
    host: '127.0.0.1',
    'health-port': port,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const running = await bench.processes.startListener(process.execPath, port, {
    args: [...profiling(bench.profile), bench.programs.operator, '--no-webhooks', ...args],
    env: { NODE_ENV: 'production' },
    readyTimeoutMs: START_TIMEOUT_MS,
  });
  return {
    ...running,
    metric: async (name, text = '') => {
      const lines = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split('\n');
      const samples = lines.filter((line) => line.startsWith(name) && line.includes(text));
      return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
}

/** Waits for the pods of the fleet and starts a gateway for each; resolves when all of them are ready. */
export async function startGateways(bench: Bench, stage: Stage, count: number): Promise<readonly GatewayProcess[]> {
  const pods = await waitFor(() => podsOf(stage, count), { deadlineMs: FLEET_DEADLINE_MS, what: `${count} pods` });
  const token = await adminToken(stage);
  const second = randomBytes(1)[0] ?? 0;
  const gateways: GatewayProcess[] = [];
  for (const [i, pod] of pods.entries()) {
    const ip = `127.77.${second}.${i + 1}`;
    gateways.push(await startGateway(bench, stage, { pod, ip, token, isProfiled: i === 0 }));
  }
  await Promise.all(gateways.map((gateway) => reportReady(stage, gateway)));
  return gateways;
}

async function podsOf({ cluster, fleets }: Stage, count: number): Promise<readonly string[] | undefined> {
  const { body } = await cluster.request('GET', `/api/v1/namespaces/${fleets}/pods`);
  const pods = (body as { readonly items: readonly KubeThing[] }).items; // a list of the API server
  return pods.length < count ? undefined : pods.slice(0, count).map(({ metadata }) => metadata.name);
}

async function adminToken({ cluster, fleets }: Stage): Promise<string> {
  const metadata = { namespace: fleets, name: `${FLEET}-admin` };
  const found = await waitFor(() => read(cluster, { apiVersion: 'v1', kind: 'Secret', metadata }));
  return Buffer.from(found.data?.['token'] ?? '', 'base64').toString('utf8');
}

interface Pod {
  readonly pod: string;
  readonly ip: string;
  readonly token: string;
  readonly isProfiled: boolean;
}

async function startGateway(
  { processes, directory, programs, profile }: Bench,
  { cluster, fleets }: Stage,
  { pod, ip, token, isProfiled }: Pod,
): Promise<GatewayProcess> {
  const home = await mkdtemp(join(directory, 'pod-'));
  await mkdir(join(home, 'copy'));
  await writeFile(join(home, 'token'), await cluster.serviceAccountToken(fleets, `${FLEET}-gateway`));
  await writeFile(join(home, 'ca.crt'), cluster.caPem);
  const running = await processes.startListener(process.execPath, ADMIN_PORT, {
    args: [...profiling(isProfiled ? profile : undefined), programs.gateway],
    host: ip,
    readyTimeoutMs: START_TIMEOUT_MS,
    env: {
      NODE_ENV: 'production',
      HOST: ip,
      PORT: String(PORT),
      GATEHOUSE_ADMIN_PORT: String(ADMIN_PORT),
      GATEHOUSE_ADMIN_TOKEN: token,
      GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes',
      GATEHOUSE_FLEET: FLEET,
      GATEHOUSE_NAMESPACE: fleets,
      GATEHOUSE_POD_NAME: pod,
      GATEHOUSE_API_SERVER: cluster.url,
      GATEHOUSE_API_TOKEN_FILE: join(home, 'token'),
      GATEHOUSE_API_CA_FILE: join(home, 'ca.crt'),
      GATEHOUSE_SNAPSHOT_DIR: join(home, 'copy'),
      GATEHOUSE_DRAIN_ACCEPT_MS: '0',
      TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
    },
  });
  return { ...running, pod, token, url: `http://${ip}:${PORT}`, adminUrl: `http://${ip}:${ADMIN_PORT}` };
}

/** Writes the status of a pod as a kubelet would. */
async function reportReady({ cluster, fleets }: Stage, { pod, adminUrl }: GatewayProcess): Promise<void> {
  await waitFor(async () => (await fetch(`${adminUrl}/readyz`)).ok, {
    deadlineMs: FLEET_DEADLINE_MS,
    what: `a Snapshot in ${pod}`,
  });
  const ip = new URL(adminUrl).hostname;
  const conditions = [
    { type: 'Ready', status: 'True', lastTransitionTime: `${new Date().toISOString().slice(0, 19)}Z` },
  ];
  const { status, body } = await cluster.request('PATCH', `/api/v1/namespaces/${fleets}/pods/${pod}/status`, {
    body: { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } },
    contentType: 'application/strategic-merge-patch+json',
  });
  if (status !== 200) throw new Error(`status of ${pod}: ${JSON.stringify(body)}`);
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgramPaths, pathOf } from '../build.ts';
import { type Program, untilReady } from '../launch.ts';
import type { ProgramName } from '../programs.ts';
import { type ControlPlaneAccess, type ControlPlaneDescriptor, connect } from './access.ts';
import {
  AUDIT_POLICY,
  apiServerArguments,
  controllerManagerArguments,
  etcdArguments,
  type Layout,
} from './commands.ts';
import { type Client, type Credentials, kubeconfigOf } from './credentials.ts';
import type { Place } from './place.ts';

/** The running programs of a control plane. */
export interface Boot {
  readonly access: ControlPlaneAccess;
  startApiServer(): Promise<void>;
  stopApiServer(): Promise<void>;
  kubeconfigFor(client: Client): Promise<string>;
  /** Ends all of them, and our connections. */
  stop(): Promise<void>;
}

export interface Site {
  /** State folder. */
  readonly folder: string;
  readonly place: Place;
  readonly credentials: Credentials;
  readonly programs: ProgramPaths;
}

/** A free port may be taken before the server binds it. */
const START_TRIES = 3;

/** Starts the programs one after the other, each when the one before is ready. */
export async function boot(site: Site): Promise<Boot> {
  let failure: unknown;
  for (let i = 0; i < START_TRIES; i += 1) {
    const booted = await prepare(site);
    try {
      await booted.start();
      return booted;
    } catch (error) {
      failure = error;
      await booted.stop();
    }
  }
  throw failure;
}

async function prepare({ folder, place, credentials, programs }: Site): Promise<Boot & { start(): Promise<void> }> {
  const layout: Layout = {
    ...{ folder, place, credentials },
    ports: await place.ports(),
    auditLog: join(folder, 'audit', 'audit.log'),
    auditPolicy: join(folder, 'audit', 'policy.json'),
  };
  const access = connect(await describe(layout, programs));
  const running = new Map<ProgramName, Program>();
  const start = async (name: ProgramName, command: readonly string[]): Promise<Program> => {
    const program = await place.launch(name, [pathOf(programs, name), ...command]);
    running.set(name, program);
    return program;
  };
  const startApiServer = async (): Promise<void> => {
    if (running.has('kube-apiserver')) return;
    const server = await start('kube-apiserver', apiServerArguments(layout));
    await untilReady(server, () => exists(access, '/readyz'));
  };
  const kubeconfigFor = (client: Client): Promise<string> => writeKubeconfig(layout, access.url, client);
  return {
    access,
    startApiServer,
    kubeconfigFor,
    start: async () => {
      await start('etcd', etcdArguments(layout));
      await startApiServer();
      const kubeconfig = await kubeconfigFor('kube-controller-manager');
      const manager = await start('kube-controller-manager', controllerManagerArguments(layout, kubeconfig));
      await untilReady(manager, () => exists(access, '/api/v1/namespaces/default/serviceaccounts/default'));
    },
    stopApiServer: async () => {
      await running.get('kube-apiserver')?.stop();
      running.delete('kube-apiserver');
    },
    stop: async () => {
      await access[Symbol.asyncDispose]();
      await Promise.all([...running.values()].map((program) => program.stop()));
    },
  };
}

async function describe(layout: Layout, programs: ProgramPaths): Promise<ControlPlaneDescriptor> {
  const { folder, place, ports, credentials, auditLog, auditPolicy } = layout;
  await mkdir(join(folder, 'audit'), { recursive: true });
  await writeFile(auditPolicy, JSON.stringify(AUDIT_POLICY));
  const url = `https://${place.address}:${ports.apiServer}`;
  return {
    ...{ folder, url, auditLog },
    caPem: credentials.caPem,
    adminToken: credentials.tokenOf('admin'),
    kubeconfigPath: await writeKubeconfig(layout, url, 'admin'),
    kubectlPath: pathOf(programs, 'kubectl'),
  };
}

async function writeKubeconfig({ folder, credentials }: Layout, url: string, client: Client): Promise<string> {
  const path = join(folder, `${client}.kubeconfig`);
  const content = kubeconfigOf(url, credentials.caPem, credentials.tokenOf(client));
  await writeFile(path, JSON.stringify(content, undefined, 2), { mode: 0o600 });
  return path;
}

/** Whether there is something at the path; a server that does not answer has nothing. */
const exists = (access: ControlPlaneAccess, path: string): Promise<boolean> =>
  access.request('GET', path).then(
    ({ status }) => status === 200,
    () => false,
  );

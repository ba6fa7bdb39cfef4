import { join } from 'node:path';
import { type BuildOptions, ensurePrograms, pathOf } from '../build.ts';
import { createNetwork, type Network } from '../nodes/network.ts';
import { nodesUnavailable } from '../nodes/requirements.ts';
import { owning } from '../owning.ts';
import { PROGRAMS_OF_TIER } from '../programs.ts';
import { createStateFolder, reclaim } from '../state-folder.ts';
import type { ControlPlaneAccess } from './access.ts';
import { boot } from './boot.ts';
import { type Client, type Credentials, createCredentials } from './credentials.ts';
import { loopback } from './place.ts';

/** etcd, kube-apiserver and kube-controller-manager of our own. Disposing ends them and removes all they wrote. */
export interface ControlPlane extends ControlPlaneAccess {
  /** The API server alone, for outages; its objects, address and port stay. */
  readonly apiServer: {
    /** Ends it like a crash. */
    stop(): Promise<void>;
    /** Starts it again and waits until it is ready. */
    start(): Promise<void>;
  };
  /** Random, part of the names of what it makes on the machine. */
  readonly id: string;
  readonly credentials: Credentials;
  /** Where it runs, when nodes can join. */
  readonly network: Network | undefined;
  /** Writes a kubeconfig of this client and returns its path. */
  kubeconfigFor(client: Client): Promise<string>;
}

export interface ControlPlaneOptions extends BuildOptions {
  /** Runs it where nodes can join, which needs root on Linux; otherwise it is on loopback. */
  readonly forNodes?: boolean;
}

/** Starts a control plane and waits until it is ready: 2 to 4 s, when the programs are built. */
export const startControlPlane = (options: ControlPlaneOptions = {}): Promise<ControlPlane> =>
  owning((resources) => start(resources, options));

async function start(
  resources: AsyncDisposableStack,
  { forNodes = false, ...build }: ControlPlaneOptions,
): Promise<ControlPlane> {
  const reason = forNodes ? nodesUnavailable() : undefined;
  if (reason !== undefined) throw new Error(reason);
  const programs = await ensurePrograms(PROGRAMS_OF_TIER[forNodes ? 2 : 1], build);
  const folder = await createStateFolder();
  resources.defer(() => reclaim(folder));
  const network = forNodes ? await createNetwork(folder, pathOf(programs, 'pause')) : undefined;
  if (network !== undefined) resources.use(network);
  const place = network?.place ?? loopback(folder.path);
  const addresses = [...new Set(['127.0.0.1', place.services.first, place.address])];
  const credentials = await createCredentials(join(folder.path, 'pki'), addresses);
  const booted = await boot({ folder: folder.path, place, credentials, programs });
  resources.defer(() => booted.stop());
  return {
    ...booted.access,
    id: folder.id,
    credentials,
    network,
    apiServer: { stop: booted.stopApiServer, start: booted.startApiServer },
    kubeconfigFor: booted.kubeconfigFor,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

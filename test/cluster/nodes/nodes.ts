import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { buildImage } from '../../../images/oci/index.ts';
import { cacheFolder } from '../../../scripts/machine/index.ts';
import { type BuildOptions, ensurePrograms, type ProgramPaths, pathOf } from '../build.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { MAX_NODES, nodeName } from '../control-plane/credentials.ts';
import { untilReady } from '../launch.ts';
import { PROGRAMS_OF_TIER } from '../programs.ts';
import { connectNodes, importInto, type NodesAccess } from './access.ts';
import { corednsConfiguration, DNS_READY_PORT, PAUSE_IMAGE } from './configuration.ts';
import { joinCluster, type NodeDescriptor, type NodeSite, startRuntime } from './node.ts';

/** Nodes that this process owns. They end with their control plane, whose network they share. */
export interface Nodes extends NodesAccess {
  /** Ends a node like a power failure. Not the first one: the control plane is on it. */
  killNode(name: string): Promise<void>;
}

export interface NodesOptions extends BuildOptions {
  /** 1 to 8. */
  readonly nodes?: number;
}

/**
 * Starts nodes that run real pods, with Services and DNS, and waits until they are Ready: 2 to 4 s. The control plane must
 * have been started with `forNodes`.
 */
export async function startNodes(
  controlPlane: ControlPlane,
  { nodes: count = 1, ...build }: NodesOptions = {},
): Promise<Nodes> {
  const { network } = controlPlane;
  if (network === undefined) throw new Error('Start the control plane with forNodes: true');
  if (count < 1 || count > MAX_NODES) throw new Error(`A cluster has 1 to ${MAX_NODES} nodes`);
  const programs = await ensurePrograms(PROGRAMS_OF_TIER[2], build);
  const site: NodeSite = { controlPlane, network, programs };
  const pause = await buildPauseImage(programs);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const [nodes] = await Promise.all([
    Promise.all(numbers.map((number) => startNode(site, number, pause))),
    startScheduler(site),
    startDns(site),
  ]);
  const descriptor = { hostAddress: network.ranges.host, nodes, ctrPath: pathOf(programs, 'ctr') };
  return {
    ...connectNodes(controlPlane, descriptor),
    killNode: async (name) => {
      const number = numbers.find((candidate) => nodeName(candidate) === name);
      if (number === undefined || number === 1) throw new Error(`${name} cannot be killed`);
      await (await network.node(number)).holder.stop();
    },
  };
}

async function startNode(site: NodeSite, number: number, pauseImage: string): Promise<NodeDescriptor> {
  const facts = await startRuntime(site, number);
  const { name, address, snapshotter } = facts;
  const node = { name, address, snapshotter, pid: (await site.network.node(number)).holder.pid };
  await importInto(node, pathOf(site.programs, 'ctr'), pauseImage);
  await joinCluster(site, facts);
  return node;
}

const buildPauseImage = (programs: ProgramPaths): Promise<string> =>
  buildImage(
    {
      name: PAUSE_IMAGE,
      files: { '/pause': { source: pathOf(programs, 'pause'), mode: 0o755 } },
      entrypoint: ['/pause'],
      user: '65535:65535',
    },
    join(cacheFolder(), 'images'),
  );

async function startScheduler({ controlPlane, network, programs }: NodeSite): Promise<void> {
  const kubeconfig = await controlPlane.kubeconfigFor('kube-scheduler');
  const flags = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=500', '--kube-api-burst=1000'];
  const command = [pathOf(programs, 'kube-scheduler'), `--kubeconfig=${kubeconfig}`, ...flags] as const;
  await network.place.launch('kube-scheduler', [...command]);
}

/** A plain process on the first node: no image, no Service. */
async function startDns({ controlPlane, network, programs }: NodeSite): Promise<void> {
  const config = join(controlPlane.folder, 'Corefile');
  const address = network.ranges.nodes.address(1);
  await writeFile(config, corednsConfiguration(address, controlPlane.kubeconfigPath));
  const coredns = await network.place.launch('coredns', [pathOf(programs, 'coredns'), '-conf', config]);
  await untilReady(coredns, () => answers(`http://${address}:${DNS_READY_PORT}/ready`));
}

const answers = (url: string): Promise<boolean> =>
  request(url).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode === 200;
    },
    () => false,
  );

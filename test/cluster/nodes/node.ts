import { existsSync } from 'node:fs';
import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ProgramPaths, pathOf } from '../build.ts';
import { createCgroup } from '../cgroups.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { nodeName } from '../control-plane/credentials.ts';
import { issue } from '../control-plane/pki.ts';
import { untilReady } from '../launch.ts';
import { cgroupName } from '../state-folder.ts';
import {
  CONTAINERD_SOCKET,
  containerdConfiguration,
  kubeletConfiguration,
  kubeProxyConfiguration,
  type NodeFacts,
  networkConfiguration,
} from './configuration.ts';
import type { Network } from './network.ts';
import { requireCniFolder, requireTool } from './requirements.ts';

/** What another process needs to reach into a node. */
export interface NodeDescriptor {
  readonly name: string;
  readonly address: string;
  /** First process of its namespaces. */
  readonly pid: number;
  readonly snapshotter: string;
}

export interface NodeSite {
  readonly controlPlane: ControlPlane;
  readonly network: Network;
  readonly programs: ProgramPaths;
}

const OVERLAYFS_MAGIC = 0x794c7630; // statfs(2)

/** Starts containerd of node `number`, counted from 1. */
export async function startRuntime(site: NodeSite, number: number): Promise<NodeFacts> {
  const namespace = await site.network.node(number);
  const facts = await prepare(site, number);
  const config = join(facts.folder, 'containerd.toml');
  await writeFile(config, containerdConfiguration(facts));
  const command = [pathOf(site.programs, 'containerd'), '--config', config] as const;
  const containerd = await namespace.launch('containerd', [...command]);
  await untilReady(containerd, () => existsSync(`/proc/${namespace.holder.pid}/root${CONTAINERD_SOCKET}`));
  return facts;
}

/** Starts kubelet and kube-proxy, and waits until the node is Ready. */
export async function joinCluster({ controlPlane, network, programs }: NodeSite, facts: NodeFacts): Promise<void> {
  const namespace = await network.node(facts.number);
  const written = async (name: string, content: object): Promise<string> => {
    const path = join(facts.folder, name);
    await writeFile(path, JSON.stringify(content, undefined, 2));
    return path;
  };
  const proxyKubeconfig = await controlPlane.kubeconfigFor('kube-proxy');
  const [kubeletConfig, proxyConfig] = await Promise.all([
    written('kubelet.json', kubeletConfiguration(facts)),
    written('kube-proxy.json', kubeProxyConfiguration(facts, proxyKubeconfig)),
  ]);
  const kubelet = await namespace.launch('kubelet', [
    pathOf(programs, 'kubelet'),
    `--config=${kubeletConfig}`,
    `--kubeconfig=${await controlPlane.kubeconfigFor(`node-${facts.number}`)}`,
    `--hostname-override=${facts.name}`,
    `--node-ip=${facts.address}`,
    `--root-dir=${join(facts.folder, 'kubelet')}`,
  ]);
  await namespace.launch('kube-proxy', [pathOf(programs, 'kube-proxy'), `--config=${proxyConfig}`]);
  await untilReady(kubelet, () => isNodeReady(controlPlane, facts.name));
}

async function prepare({ controlPlane, network, programs }: NodeSite, number: number): Promise<NodeFacts> {
  const { ranges } = network;
  const [name, address] = [nodeName(number), ranges.nodes.address(number)];
  const folder = join(controlPlane.folder, name);
  await mkdir(join(folder, 'cni'), { recursive: true });
  const { credentials } = controlPlane;
  const serving = await issue(credentials.authority, credentials.folder, {
    name: `${name}-serving`,
    subject: `/O=system:nodes/CN=system:node:${name}`,
    usage: 'serverAuth',
    ips: [address],
    hosts: [name],
  });
  const facts: NodeFacts = {
    ...{ number, name, address, folder },
    pods: ranges.pods.ofNode(number),
    allPods: ranges.pods.cidr,
    cgroup: `/${cgroupName(controlPlane.id)}/${name}`,
    dnsAddress: ranges.nodes.address(1),
    snapshotter: await snapshotterFor(folder),
    cniFolder: requireCniFolder(),
    runc: requireTool('runc'),
    shim: pathOf(programs, 'containerd-shim-runc-v2'),
    clientCa: credentials.authority.certificate,
    ...serving,
  };
  createCgroup(facts.cgroup);
  await writeFile(join(folder, 'resolv.conf'), '');
  await writeFile(join(folder, 'cni', '10-pods.conflist'), JSON.stringify(networkConfiguration(facts)));
  return facts;
}

/** `native` on an overlayfs, as in a container: overlayfs cannot be mounted on overlayfs. */
async function snapshotterFor(folder: string): Promise<string> {
  return (await statfs(folder)).type === OVERLAYFS_MAGIC ? 'native' : 'overlayfs';
}

const nodeAnswer = z.looseObject({
  status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]) }),
});

async function isNodeReady(controlPlane: ControlPlane, name: string): Promise<boolean> {
  const { status, body } = await controlPlane.request('GET', `/api/v1/nodes/${name}`);
  if (status !== 200) return false;
  return nodeAnswer.parse(body).status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/**
 * The network of a cluster with nodes: a bridge in a namespace of its own, a link from it to the machine and one to each
 * node. The machine gets one link and its routes, nothing else; they go when the bridge's namespace goes.
 */
import { z } from 'zod';
import { run } from '../../../scripts/machine/index.ts';
import { MAX_NODES } from '../control-plane/credentials.ts';
import type { Place } from '../control-plane/place.ts';
import { owning } from '../owning.ts';
import type { StateFolder } from '../state-folder.ts';
import { createNetworkNamespace, createNodeNamespace, inside, type NodeNamespace } from './namespace.ts';
import { overlap, type Ranges, rangesOf, SLOTS } from './ranges.ts';

export interface Network extends AsyncDisposable {
  readonly ranges: Ranges;
  /** Inside the first node, where pods and Services can be reached: a control plane has to, for its webhooks. */
  readonly place: Place;
  /** The namespace of node `number`, made at its first use. */
  node(number: number): Promise<NodeNamespace>;
}

/** Makes the network and the namespace of the first node. */
export const createNetwork = (folder: StateFolder, pause: string): Promise<Network> =>
  owning((resources) => create(resources, folder, pause));

async function create(resources: AsyncDisposableStack, folder: StateFolder, pause: string): Promise<Network> {
  const bridge = await createNetworkNamespace({ name: 'bridge', folder: folder.path, pause });
  resources.defer(() => bridge.stop());
  const ranges = await claimSlot(bridge.pid);
  await connectMachine(ranges, bridge.pid);

  const nodes = new Map<number, Promise<NodeNamespace>>();
  const addNode = async (number: number): Promise<NodeNamespace> => {
    const node = await createNodeNamespace({ name: `node-${number}`, folder: folder.path, pause });
    resources.defer(() => node.holder.stop());
    await connectNode(ranges, { bridge: bridge.pid, number, pid: node.holder.pid });
    return node;
  };
  const node = (number: number): Promise<NodeNamespace> => {
    const added = nodes.get(number) ?? addNode(number);
    nodes.set(number, added);
    return added;
  };
  const first = await node(1);
  return {
    ranges,
    node,
    place: {
      address: ranges.nodes.address(1),
      services: ranges.services,
      hasPods: true,
      ports: () => Promise.resolve({ apiServer: 6443, etcd: 2379, etcdPeer: 2380 }),
      launch: first.launch,
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const BRIDGE = 'br0';
const UPLINK = 'uplink';

const machineRoutes = z.array(z.looseObject({ dst: z.string() }));

/** The link to the machine is the lock: only one can have its name, and the kernel removes it with its owner. */
async function claimSlot(bridge: number): Promise<Ranges> {
  const routes = machineRoutes.parse(JSON.parse(await run(['ip', '-j', '-4', 'route', 'show'])));
  const used = routes.map(({ dst }) => dst).filter((dst) => dst !== 'default');
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const ranges = rangesOf(slot);
    const cidrs = [ranges.nodes.cidr, ranges.pods.cidr, ranges.services.cidr];
    if (used.some((dst) => cidrs.some((cidr) => overlap(cidr, dst)))) continue;
    if (await claim(ranges, bridge)) return ranges;
  }
  throw new Error(
    `No free range of addresses: ${SLOTS} clusters with nodes run already, or the machine uses 10.96.0.0/14`,
  );
}

async function claim({ link }: Ranges, bridge: number): Promise<boolean> {
  const taken = (): Promise<boolean> =>
    run(['ip', 'link', 'show', link]).then(
      () => true,
      () => false,
    );
  try {
    await run(['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', UPLINK, 'netns', String(bridge)]);
    return true;
  } catch (error) {
    if (await taken()) return false;
    throw error;
  }
}

async function connectMachine({ link, host, nodes, pods, services }: Ranges, bridge: number): Promise<void> {
  await configure(inside(bridge), [
    `link add ${BRIDGE} type bridge`,
    `link set ${BRIDGE} up`,
    `link set ${UPLINK} master ${BRIDGE}`,
    `link set ${UPLINK} up`,
  ]);
  const routes = numbers().map((node) => `route add ${pods.ofNode(node)} via ${nodes.address(node)}`);
  await configure(
    [],
    [
      `addr add ${host}/24 dev ${link}`,
      `link set ${link} up`,
      ...routes,
      `route add ${services.cidr} via ${nodes.address(1)}`,
    ],
  );
}

/** There is no default route: whatever is not in the cluster or on the machine's end is unreachable at once. */
async function connectNode(
  { nodes, pods, services, host }: Ranges,
  { bridge, number, pid }: { readonly bridge: number; readonly number: number; readonly pid: number },
): Promise<void> {
  await configure(inside(bridge), [
    `link add node${number} type veth peer name eth0 netns ${pid}`,
    `link set node${number} master ${BRIDGE}`,
    `link set node${number} up`,
  ]);
  const others = numbers().filter((other) => other !== number);
  await configure(inside(pid), [
    `addr add ${nodes.address(number)}/24 dev eth0`,
    'link set eth0 up',
    ...others.map((other) => `route add ${pods.ofNode(other)} via ${nodes.address(other)}`),
    // Only so that a Service has a route at all: kube-proxy rewrites the address before the packet leaves.
    `route add ${services.cidr} via ${host}`,
  ]);
  // A Service that kube-proxy does not know yet is refused at once; lost packets would cost its callers their time-outs.
  for (const chain of ['OUTPUT', 'FORWARD']) {
    await run([...inside(pid), 'iptables', '-w', '-A', chain, '-d', services.cidr, '-j', 'REJECT']);
  }
}

const numbers = (): number[] => Array.from({ length: MAX_NODES }, (_, i) => i + 1);

const configure = (where: readonly string[], commands: readonly string[]): Promise<string> =>
  run([...where, 'ip', '-batch', '-'], { input: `${commands.join('\n')}\n` });

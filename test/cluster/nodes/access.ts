import { run } from '../../../scripts/machine/index.ts';
import {
  type ControlPlaneAccess,
  type KubectlOptions,
  type KubectlOutcome,
  runKubectl,
} from '../control-plane/access.ts';
import { inside } from './namespace.ts';
import type { NodeDescriptor } from './node.ts';

/** What another process needs to use the nodes of a cluster. */
export interface NodesDescriptor {
  /** Of this machine, as pods see it: servers of the test process that pods call listen there. */
  readonly hostAddress: string;
  readonly nodes: readonly NodeDescriptor[];
  readonly ctrPath: string;
}

export interface ContainerOptions extends KubectlOptions {
  /** Default: the first container of the pod. */
  readonly container?: string;
}

/** Nodes that another process may own. Addresses of nodes, pods and Services can be reached from this process as they are. */
export interface NodesAccess extends NodesDescriptor {
  /** Makes the image of this archive known on every node; its path is absolute. */
  importImage(archive: string): Promise<void>;
  podLogs(namespace: string, pod: string, options?: ContainerOptions): Promise<string>;
  /** Runs a command in a container. */
  exec(namespace: string, pod: string, command: readonly string[], options?: ContainerOptions): Promise<KubectlOutcome>;
}

/** The door to nodes that another process may have started. */
export function connectNodes(controlPlane: ControlPlaneAccess, descriptor: NodesDescriptor): NodesAccess {
  const select = ({ container }: ContainerOptions): string[] => (container === undefined ? [] : ['-c', container]);
  return {
    ...descriptor,
    importImage: async (archive) => {
      await Promise.all(descriptor.nodes.map((node) => importInto(node, descriptor.ctrPath, archive)));
    },
    podLogs: (namespace, pod, options = {}) =>
      runKubectl(controlPlane, ['logs', '-n', namespace, pod, ...select(options)], options),
    exec: (namespace, pod, command, options = {}) => {
      const stdin = options.input === undefined ? [] : ['-i'];
      return controlPlane.kubectl(
        ['exec', ...stdin, '-n', namespace, pod, ...select(options), '--', ...command],
        options,
      );
    },
  };
}

/** `--local`: without it ctr does not know what to unpack on a node whose snapshotter is not the default. */
export async function importInto({ pid, snapshotter }: NodeDescriptor, ctr: string, archive: string): Promise<void> {
  const command = [ctr, '-n', 'k8s.io', 'images', 'import', '--local', '--snapshotter', snapshotter, archive];
  await run([...inside(pid), '-m', '-p', '--', ...command]);
}

/** A node's private network, mounts and processes: whatever happens in them, the machine does not see it. */
import { readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../scripts/machine/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { launch, type Program } from '../launch.ts';

type Command = readonly [program: string, ...args: string[]];

export interface NodeNamespace {
  /** Its first process: when that ends, the kernel ends everything inside. */
  readonly holder: Program;
  launch(name: string, command: Command): Promise<Program>;
}

export interface NamespaceOptions {
  readonly name: string;
  /** State folder of the cluster. */
  readonly folder: string;
  /** Path of the program that holds the namespaces. */
  readonly pause: string;
}

/** Private to each node, so that nothing is written to the machine's folders of that name. */
const PRIVATE_FOLDERS = ['/run', '/var/lib', '/var/log'];

/** Kernel settings that the kubelet would change: it sees these values and changes nothing. */
const KERNEL_SETTINGS = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
} as const;

/** A network namespace alone, held by one process. */
export const createNetworkNamespace = ({ name, folder, pause }: NamespaceOptions): Promise<Program> =>
  hold({ name, folder, pause }, ['--net']);

/** Network, mounts and processes of a node, prepared for container runtime and kubelet. */
export async function createNodeNamespace({ name, folder, pause }: NamespaceOptions): Promise<NodeNamespace> {
  const hidden = PRIVATE_FOLDERS.find((path) => [folder, pause].some((used) => used.startsWith(`${path}/`)));
  if (hidden !== undefined) throw new Error(`Nodes do not see ${hidden}: move TMPDIR or GATEHOUSE_TEST_CACHE`);
  const holder = await hold({ name, folder, pause }, ['--net', '--mount', '--propagation', 'private', '--mount-proc']);
  const scratch = join(folder, name, 'tmp');
  await mkdir(scratch, { recursive: true });
  // Not "ip netns exec": it remounts /sys, which hides the cgroup mounts.
  const wrapper = [...inside(holder.pid), '-m', '-p', '--', 'env', `TMPDIR=${scratch}`];
  await run([...wrapper, 'sh', '-eu'], { input: await setupScript(join(folder, name)) });
  return {
    holder,
    launch: (program, command) => launch({ name: `${name}-${program}`, command, folder, wrapper, wrapperForks: true }),
  };
}

/** The start of a command that runs in the network of a process. */
export const inside = (pid: number): readonly string[] => ['nsenter', '-t', String(pid), '-n'];

async function hold({ name, folder, pause }: NamespaceOptions, kinds: readonly string[]): Promise<Program> {
  const holder = await launch({
    name,
    folder,
    command: [pause, 'hold'],
    wrapper: ['unshare', ...kinds, '--pid', '--fork', '--kill-child', '--'],
    wrapperForks: true,
    leash: true,
  });
  // It becomes pause as the last thing, after its own /proc has been mounted.
  await waitFor(() => readlinkSync(`/proc/${holder.pid}/exe`) === pause, { what: `${name} held` });
  return holder;
}

async function setupScript(folder: string): Promise<string> {
  const shown = join(folder, 'kernel');
  await mkdir(shown, { recursive: true });
  const settings = await Promise.all(
    Object.entries(KERNEL_SETTINGS).map(async ([path, value]) => {
      const file = join(shown, path.replaceAll('/', '-'));
      await writeFile(file, `${value}\n`);
      return `mount --bind '${file}' /proc/sys/${path}`;
    }),
  );
  return [
    'mount --make-rshared /',
    ...PRIVATE_FOLDERS.map((path) => `mount -t tmpfs tmpfs ${path}`),
    'ip link set lo up',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    // Old kernels have one such setting for the whole machine: write it only where it is our own to write.
    'bridged=/proc/sys/net/bridge/bridge-nf-call-iptables',
    '[ "$(cat $bridged)" = 1 ] || echo 1 > $bridged',
    ...settings,
  ].join('\n');
}

import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a node takes from the machine, and the Debian package that brings it. */
const TOOLS = {
  runc: 'runc',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  iptables: 'iptables',
  conntrack: 'conntrack',
  openssl: 'openssl',
  'apt-get': 'apt',
  dpkg: 'dpkg',
} as const;

const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];
const BRIDGE_FILTER = '/proc/sys/net/bridge/bridge-nf-call-iptables';

const cniFolder = (): string | undefined => CNI_FOLDERS.find((folder) => existsSync(join(folder, 'bridge')));

/** The folder of the CNI plugins. */
export const requireCniFolder = (): string => present(cniFolder(), 'the CNI plugins');

/** The absolute path of a tool. */
export const requireTool = (tool: keyof typeof TOOLS): string => present(findInPath(tool), tool);

/** Why nodes cannot run on this machine; undefined when they can. */
export function nodesUnavailable(): string | undefined {
  if (process.platform !== 'linux') return 'nodes need Linux';
  if (process.getuid?.() !== 0) return 'nodes need root';
  const missing: string[] = Object.entries(TOOLS).flatMap(([tool, brought]) =>
    findInPath(tool) === undefined ? [brought] : [],
  );
  if (cniFolder() === undefined) missing.push('containernetworking-plugins');
  if (missing.length > 0) return `nodes need apt-get install ${[...new Set(missing)].join(' ')}`;
  return existsSync(BRIDGE_FILTER) ? undefined : 'nodes need the kernel module br_netfilter';
}

function findInPath(tool: string): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, tool));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function present(path: string | undefined, what: string): string {
  if (path === undefined) throw new Error(`This machine lacks ${what}`);
  return path;
}

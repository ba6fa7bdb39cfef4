import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { dyingWithUs, launch, type Program } from '../launch.ts';

type Command = readonly [program: string, ...args: string[]];

/** Where a control plane runs: on loopback, or inside the first test node. */
export interface Place {
  /** Address that the API server listens on and its clients use. */
  readonly address: string;
  /** CIDR of Services, and its first address, which is the API server's own Service. */
  readonly services: { readonly cidr: string; readonly first: string };
  /** Whether pods can reach `address`. */
  readonly hasPods: boolean;
  /** Other ports at each call where they are shared with the rest of the machine. */
  ports(): Promise<Ports>;
  launch(name: string, command: Command): Promise<Program>;
}

export interface Ports {
  readonly apiServer: number;
  readonly etcd: number;
  readonly etcdPeer: number;
}

/** 127.0.0.1, for any user; nothing there routes to a pod. */
export const loopback = (folder: string): Place => ({
  address: '127.0.0.1',
  services: { cidr: '10.96.0.0/16', first: '10.96.0.1' },
  hasPods: false,
  ports: freePorts,
  launch: (name, command) => launch({ name, command, folder, wrapper: dyingWithUs() }),
});

async function freePorts(): Promise<Ports> {
  // All are held at once, so that they differ.
  const [apiServer, etcd, etcdPeer] = await Promise.all([listen(), listen(), listen()]);
  const held = { apiServer, etcd, etcdPeer };
  const ports = { apiServer: portOf(apiServer), etcd: portOf(etcd), etcdPeer: portOf(etcdPeer) };
  await Promise.all(Object.values(held).map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port; // listening on TCP

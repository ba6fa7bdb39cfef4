import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can fail, on loopback and a random port. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Nothing passes any more in either direction, and nothing ends. */
  stall(): void;
  /** What waits passes on, and whatever comes. */
  resume(): void;
  /** Resets all connections, and refuses new ones until `resume`. */
  cut(): void;
}

export async function startTcpProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: 'pass' | 'stall' | 'cut' = 'pass';
  const track = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    if (mode === 'stall') socket.pause();
    socket.on('data', (bytes) => other().write(bytes));
    socket.on('error', () => {}); // the other side ends with it
    socket.on('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const server = createServer((client) => {
    if (mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target.port, '127.0.0.1');
    track(client, () => upstream);
    track(upstream, () => client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    port,
    stall: () => {
      mode = 'stall';
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      mode = 'pass';
      for (const socket of sockets) socket.resume();
    },
    cut: () => {
      mode = 'cut';
      for (const socket of sockets) socket.resetAndDestroy();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Runs `work` while no other process of this machine holds the lock `name`. The lock is an abstract Unix socket, so the
 * kernel frees it when its holder ends; only Linux has them, elsewhere there is no mutual exclusion.
 */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return work();
  const path = `\0gatehouse-test/${createHash('sha256').update(name).digest('hex')}`; // a socket's name is short
  let release = await tryLock(path);
  while (release === undefined) {
    await holderLeft(path);
    release = await tryLock(path);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

async function tryLock(path: string): Promise<(() => void) | undefined> {
  const waiters = new Set<Socket>();
  const server = createServer((socket) => {
    waiters.add(socket);
    socket.on('error', () => {}); // it went away
    socket.on('close', () => waiters.delete(socket));
  });
  try {
    server.listen({ path });
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return () => {
    server.close();
    for (const waiter of waiters) waiter.destroy(); // each tries for the lock again
  };
}

/** Ends when the holder closes its end of a connection, or has no end any more. */
async function holderLeft(path: string): Promise<void> {
  const socket = connect({ path });
  socket.on('error', () => {}); // it left before we connected
  socket.resume();
  await new Promise((resolve) => socket.on('close', resolve));
}

import { randomBytes } from 'node:crypto';
import type { RedisConnection } from './connection.ts';

/** A random text that a Redis keeps: gateways with the same one share their counters. */
export interface StoreId {
  /** Undefined until it was read. */
  current(): string | undefined;
  close(): void;
}

const KEY = 'gatehouse:store-id';
/** A Redis that was emptied, or replaced behind its address, has another one. */
const READ_MS = 30_000;

/** Reads it after each connect and from time to time; the first gateway makes it up. Failures leave the last one. */
export function followStoreId(
  connection: Pick<RedisConnection, 'run' | 'health' | 'onHealth'>,
  onChange: () => void,
): StoreId {
  let id: string | undefined;
  const read = async (): Promise<void> => {
    try {
      const found = await connection.run(async (client) => {
        await client.set(KEY, randomBytes(12).toString('base64url'), 'NX');
        return client.get(KEY);
      });
      if (found === null || found === id) return;
      id = found;
      onChange();
    } catch {
      // limits and budgets report a Redis that is away
    }
  };
  if (connection.health() === 'ready') void read(); // never rejects
  const stop = connection.onHealth((health) => {
    if (health === 'ready') void read(); // never rejects
  });
  const timer = setInterval(() => {
    if (connection.health() === 'ready') void read(); // never rejects
  }, READ_MS).unref();
  return {
    current: () => id,
    close: () => {
      stop();
      clearInterval(timer);
    },
  };
}

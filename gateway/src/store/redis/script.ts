import { createHash } from 'node:crypto';
import type { RedisClient, RedisConnection } from './connection.ts';

/** A Lua script that Redis runs atomically. */
export interface RedisScript {
  readonly lua: string;
  readonly sha1: string;
}

/** Arguments of one run; all keys must live in one hash slot. */
export interface ScriptInput {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

export interface RunOptions {
  /** Longest wait; default: that of the connection. */
  readonly timeoutMs?: number | undefined;
  /** Gets a reply that came after the wait was given up. */
  onLate?(reply: unknown): void;
}

export function defineScript(lua: string): RedisScript {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

/** Runs a script by its digest, and by its text where the server has not cached it yet. Rejects with StoreUnavailable. */
export async function runScript(
  connection: RedisConnection,
  script: RedisScript,
  { keys, args }: ScriptInput,
  { timeoutMs, onLate }: RunOptions = {},
): Promise<unknown> {
  let isLate = false;
  const evaluate = async (client: RedisClient): Promise<unknown> => {
    const reply = await evaluateOn(client, script, [keys.length, ...keys, ...args]);
    if (isLate) onLate?.(reply);
    return reply;
  };
  try {
    return await connection.run(evaluate, timeoutMs);
  } catch (error) {
    isLate = true;
    throw error;
  }
}

async function evaluateOn(
  client: RedisClient,
  { sha1, lua }: RedisScript,
  [count, ...rest]: [number, ...(string | number)[]],
): Promise<unknown> {
  try {
    return await client.evalsha(sha1, count, ...rest);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return client.eval(lua, count, ...rest);
  }
}

/** Redis error codes are the first word of the message. */
const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');

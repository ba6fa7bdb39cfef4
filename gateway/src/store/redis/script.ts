import { createHash } from 'node:crypto';
import type { RedisConnection } from './connection.ts';

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

export function defineScript(lua: string): RedisScript {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

/** Runs a script by its digest, and by its text where the server has not cached it yet. Rejects with StoreUnavailable. */
export function runScript(
  connection: RedisConnection,
  script: RedisScript,
  { keys, args }: ScriptInput,
): Promise<unknown> {
  const rest = [...keys, ...args];
  return connection.run(async (client) => {
    try {
      return await client.evalsha(script.sha1, keys.length, ...rest);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return client.eval(script.lua, keys.length, ...rest);
    }
  });
}

/** Redis error codes are the first word of the message. */
const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');

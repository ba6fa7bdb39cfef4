import { CIRCUIT_TTL_SECONDS, type CircuitRecord, type CircuitStore } from '../circuit.ts';
import type { RedisConnection } from './connection.ts';
import { defineScript, type RedisScript, runScript } from './script.ts';

/**
 * A hash per config: path to "failures:successes:firstFailureMs".
 * KEYS[1] the hash; ARGV path, outcome, Unix time in ms, lifetime in seconds.
 */
const RECORD = defineScript(`
local known = redis.call('HGET', KEYS[1], ARGV[1])
local failures, successes, since
if known then
  failures, successes, since = string.match(known, '^(%d+):(%d+):(%d+)$')
end
if not failures then
  if ARGV[2] == 'success' then return 0 end
  failures, successes, since = 0, 0, ARGV[3]
end
if ARGV[2] == 'success' then
  successes = successes + 1
else
  failures = failures + 1
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%d:%s', failures, successes, since))
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
`);

/** What it runs. */
export const CIRCUIT_SCRIPTS: readonly RedisScript[] = [RECORD];

/** Circuit records shared by all gateways. */
export function createRedisCircuitStore(connection: RedisConnection, now: () => number): CircuitStore {
  return {
    read: async (key) => {
      const fields = await connection.run((client) => client.hgetall(key));
      const records = new Map<string, CircuitRecord>();
      for (const [path, text] of Object.entries(fields)) {
        const record = parseRecord(text);
        if (record !== undefined) records.set(path, record);
      }
      return records;
    },
    record: async (key, path, outcome) => {
      await runScript(connection, RECORD, { keys: [key], args: [path, outcome, now(), CIRCUIT_TTL_SECONDS] });
    },
    clear: async (key, path) => {
      await connection.run((client) => client.hdel(key, path));
    },
  };
}

function parseRecord(text: string): CircuitRecord | undefined {
  const [, failures, successes, since] = /^(\d+):(\d+):(\d+)$/.exec(text) ?? [];
  if (failures === undefined) return undefined;
  return { failures: Number(failures), successes: Number(successes), firstFailureMs: Number(since) };
}

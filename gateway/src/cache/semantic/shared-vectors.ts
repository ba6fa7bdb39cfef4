/**
 * Vectors that all gateways share: Redis has the changes of each partition in a stream, and each gateway a copy, which it brings up to
 * date before a search. docs/behaviour/caching.md#answers-to-similar-prompts
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../lib/entry-bound.ts';
import { defineScript, type RedisConnection, runScript, type StoreBreaker } from '../../store/index.ts';
import { createMemoryVectors, MAX_DIMENSIONS, type MemoryVectorsOptions, type VectorStore } from './vectors.ts';

export interface SharedVectorsOptions extends Pick<MemoryVectorsOptions, 'now' | 'maxBytes'> {
  readonly connection: RedisConnection;
  /** Reports errors of Redis and skips it while it is failing: the copy is searched then. */
  readonly storeBreaker: StoreBreaker;
  /** Changes of a partition that Redis keeps; the oldest go first. */
  readonly maxChanges?: number;
}

const MAX_CHANGES = 1_000;
/** Changes of one answer of Redis: 0.8 MiB with vectors of 1,536 dimensions. */
const PAGE = 100;
/** Partitions of which it is known how far they were read; others are read anew. */
const MAX_POSITIONS = 10_000;
/** Writes under way; beyond it vectors are known to this gateway alone. */
const MAX_PENDING = 256;
const MAX_KEY_CHARS = 256;
/** A vector that was taken out is forgotten everywhere by then, in ms. */
const REMOVAL_TTL_MS = 60_000;
/** How far the length of a vector may be from 1. */
const LENGTH_TOLERANCE = 1e-3;

/** The stream lives as long as its last vector. */
const APPEND = defineScript(`
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[5], '*', 'k', ARGV[1], 'v', ARGV[2], 'e', ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1
`);

/** What is run in the Redis of cached answers. */
export const VECTOR_SCRIPTS = [APPEND];

interface Change {
  readonly key: string;
  /** Undefined: it was taken out. */
  readonly vector: Float32Array | undefined;
  readonly ttlMs: number;
}

/** Searches never fail: without Redis they see what this gateway has. */
export function createSharedVectors(options: SharedVectorsOptions): VectorStore {
  return new SharedVectors(options);
}

class SharedVectors implements VectorStore {
  readonly #options: SharedVectorsOptions;
  readonly #copy: VectorStore;
  /** The last change that was read. */
  readonly #positions = new LRUCache<string, string>(atMostEntries(MAX_POSITIONS));
  readonly #pulls = new Map<string, Promise<void>>();
  #pending = 0;

  constructor(options: SharedVectorsOptions) {
    const { now, maxBytes } = options;
    this.#options = options;
    this.#copy = createMemoryVectors({ now, maxBytes, onEvicted: (partition) => this.#positions.delete(partition) });
  }

  async nearest(partition: string, vector: Float32Array, least: number) {
    await this.#pull(partition);
    return this.#copy.nearest(partition, vector, least);
  }

  set(partition: string, entry: Parameters<VectorStore['set']>[1]): void {
    this.#copy.set(partition, entry);
    this.#append(partition, { key: entry.key, vector: entry.vector, ttlMs: entry.ttlSeconds * 1_000 });
  }

  delete(partition: string, key: string): void {
    this.#copy.delete(partition, key);
    this.#append(partition, { key, vector: undefined, ttlMs: REMOVAL_TTL_MS });
  }

  #append(partition: string, { key, vector, ttlMs }: Change): void {
    if (this.#pending >= MAX_PENDING) return;
    const { connection, storeBreaker, now, maxChanges = MAX_CHANGES } = this.#options;
    const args = [key, vector === undefined ? '' : toText(vector), now() + ttlMs, ttlMs, maxChanges];
    this.#pending += 1;
    const writing = storeBreaker.attempt(() => runScript(connection, APPEND, { keys: [keyOf(partition)], args }));
    void writing.finally(() => {
      this.#pending -= 1;
    });
  }

  /** Searches of one partition wait for the same changes. */
  #pull(partition: string): Promise<void> {
    const known = this.#pulls.get(partition);
    if (known !== undefined) return known;
    const pull = this.#readChanges(partition).finally(() => this.#pulls.delete(partition));
    this.#pulls.set(partition, pull);
    return pull;
  }

  async #readChanges(partition: string): Promise<void> {
    const { connection, storeBreaker, now, maxChanges = MAX_CHANGES } = this.#options;
    for (let read = 0; read <= maxChanges; read += PAGE) {
      const last = this.#positions.get(partition);
      const from = last === undefined ? '-' : `(${last}`;
      const page = await storeBreaker.attempt(() =>
        connection.run((client) => client.xrange(keyOf(partition), from, '+', 'COUNT', PAGE)),
      );
      if (!page.ok) return;
      for (const [id, fields] of page.value) {
        this.#positions.set(partition, id);
        this.#apply(partition, readChange(fields, now()));
      }
      if (page.value.length < PAGE) return;
    }
  }

  #apply(partition: string, change: Change | undefined): void {
    if (change === undefined) return;
    const { key, vector, ttlMs } = change;
    if (vector === undefined) this.#copy.delete(partition, key);
    else if (ttlMs > 0) this.#copy.set(partition, { key, vector, ttlSeconds: ttlMs / 1_000 });
  }
}

const keyOf = (partition: string): string =>
  `gatehouse:vectors:${createHash('sha256').update(partition).digest('hex')}`;

const toText = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Undefined: it was not written by a gateway. */
function readChange(fields: readonly string[], nowMs: number): Change | undefined {
  const [, key = '', , text = '', , expiresAt = ''] = fields;
  const ttlMs = Number(expiresAt) - nowMs;
  if (key === '' || key.length > MAX_KEY_CHARS || !Number.isFinite(ttlMs)) return undefined;
  if (text === '') return { key, vector: undefined, ttlMs };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0 || bytes.length > MAX_DIMENSIONS * 4) return undefined;
  const vector = new Float32Array(bytes.length / 4);
  Buffer.from(vector.buffer).set(bytes); // aligned
  const length = Math.hypot(...vector);
  return Math.abs(length - 1) <= LENGTH_TOLERANCE ? { key, vector, ttlMs } : undefined;
}

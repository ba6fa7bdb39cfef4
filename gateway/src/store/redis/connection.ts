import type { EventEmitter } from 'node:events';
import type { Cluster, Redis } from 'ioredis';
import type { Secret } from '../../lib/secret.ts';
import { StoreUnavailable } from '../unavailable.ts';
import { createWarmUp } from './warm-up.ts';

export type RedisClient = Redis | Cluster;

/** `waiting`: not used yet. `ready`: the server has the scripts, too. `down`: connecting failed or the connection broke; it is retried. */
export type RedisHealth = 'waiting' | 'connecting' | 'ready' | 'down' | 'closed';

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisSettings {
  /** The server, or the first nodes of a cluster. */
  readonly nodes: readonly [RedisNode, ...RedisNode[]];
  readonly mode: 'standalone' | 'cluster';
  readonly username?: string | undefined;
  readonly password?: Secret | undefined;
  /** Database number; clusters have only 0. */
  readonly database?: number | undefined;
  /** Present: TLS. Certificate authorities in PEM instead of the built-in ones. */
  readonly tls?: { readonly ca?: string | undefined } | undefined;
  /** Clusters only: the nodes that serve reads. */
  readonly scaleReads?: 'master' | 'slave' | 'all' | undefined;
  /** Longest wait for an answer in ms. */
  readonly commandTimeoutMs?: number | undefined;
  /** Longest wait for a connection in ms. */
  readonly connectTimeoutMs?: number | undefined;
  /** What will be run there: loaded at each connect. */
  readonly scripts?: readonly { readonly lua: string }[] | undefined;
}

/** One Redis server or cluster. Without a connection commands fail at once instead of being queued. */
export interface RedisConnection {
  /** Runs commands on the client; all errors become StoreUnavailable. Default of the wait in ms: that of the settings. */
  run<T>(commands: (client: RedisClient) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** Keys of one script must have the same hash tag. */
  readonly isCluster: boolean;
  health(): RedisHealth;
  /** Connects in the background; the first `run` does so too. */
  connect(): void;
  /** Called after each change of health; returns the function that removes the listener. */
  onHealth(listener: (health: RedisHealth) => void): () => void;
  /** Pending commands fail, at the latest by their timeout. */
  close(): Promise<void>;
}

const COMMAND_TIMEOUT_MS = 50;
const CONNECT_TIMEOUT_MS = 2_000;
/** A command waits at most so many times its timeout while others are answered. */
const MOST_WAITS = 10;
/** Time without any data, in ms, after which a connection with pending commands counts as dead. */
const SILENCE_TIMEOUT_MS = 2_000;
/** Pending commands of all callers: bounds memory while the server hangs. */
const MAX_IN_FLIGHT = 10_000;
/** First and longest pause before connecting again, in ms. */
const BACKOFF_MS = { first: 50, longest: 2_000 } as const;
const HEALTH_EVENTS = ['connecting', 'ready', 'close', 'reconnecting', 'end'] as const;

/** Creates a connection without opening it. */
export function createRedisConnection(settings: RedisSettings): RedisConnection {
  const commandTimeoutMs = settings.commandTimeoutMs ?? COMMAND_TIMEOUT_MS;
  const listeners = new Set<(health: RedisHealth) => void>();
  const warmUp = createWarmUp({ scripts: settings.scripts ?? [], timeoutMs: connectTimeoutOf(settings) });
  let client: RedisClient | undefined;
  let state: 'waiting' | 'opened' | 'closed' = 'waiting';
  let inFlight = 0;
  let heardMs = 0;

  const health = (): RedisHealth => {
    if (state !== 'opened') return state;
    if (client === undefined) return 'connecting';
    return client.status === 'ready' && !warmUp.isDone() ? 'connecting' : toHealth(client.status);
  };
  let reported = health();
  const report = (): void => {
    const current = health();
    if (current === reported) return;
    reported = current;
    for (const listener of listeners) listener(current);
  };

  const open = async (): Promise<void> => {
    const created = await createClient(settings);
    if (health() === 'closed') return;
    const events: EventEmitter = created;
    events.on('error', () => {}); // reported as health, and as errors of commands
    events.on('ready', () => void warmUp.run(created).then(report)); // never rejects
    for (const event of HEALTH_EVENTS) events.on(event, report);
    client = created;
    await created.connect().catch(() => {}); // retried with back-off
  };
  const connect = (): void => {
    if (state !== 'waiting') return;
    state = 'opened';
    report();
    void open();
  };

  return {
    health,
    connect,
    isCluster: settings.mode === 'cluster',
    run: async (commands, timeoutMs = commandTimeoutMs) => {
      connect();
      if (client === undefined || health() !== 'ready') throw new StoreUnavailable('disconnected');
      if (inFlight >= MAX_IN_FLIGHT) throw new StoreUnavailable('busy');
      inFlight += 1;
      try {
        const answer = await withDeadline(commands(client), timeoutMs, () => heardMs);
        heardMs = performance.now();
        return answer;
      } catch (error) {
        throw error instanceof StoreUnavailable ? error : new StoreUnavailable(reasonOf(error), withoutCommand(error));
      } finally {
        inFlight -= 1;
      }
    },
    onHealth: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      state = 'closed';
      report();
      client?.disconnect();
    },
  };
}

/**
 * A client that is not connected yet; its errors come as events, too. Its modules are loaded here: a gateway without Redis does
 * without their memory.
 */
export async function createClient(settings: RedisSettings): Promise<RedisClient> {
  const { Cluster, Redis } = await import('ioredis');
  const common = commonOptions(settings);
  if (settings.mode === 'standalone') {
    const [node] = settings.nodes;
    return new Redis({
      ...common,
      host: node.host,
      port: node.port,
      db: settings.database ?? 0,
      enableOfflineQueue: false,
      retryStrategy: backoffMs,
    });
  }
  return new Cluster([...settings.nodes], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: backoffMs,
    scaleReads: settings.scaleReads ?? 'master',
    redisOptions: common,
  });
}

const connectTimeoutOf = ({ connectTimeoutMs }: RedisSettings): number => connectTimeoutMs ?? CONNECT_TIMEOUT_MS;

function commonOptions(settings: RedisSettings) {
  const { username, password, tls } = settings;
  return {
    lazyConnect: true,
    connectTimeout: connectTimeoutOf(settings),
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Commands of one turn of the event loop are written together.
    enableAutoPipelining: true,
    // Scripts of counters already are: waiting for a further turn would only add latency.
    autoPipeliningIgnoredCommands: ['evalsha'],
    // A master that became a replica, behind the same address: the next connection finds the new master.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    // Commands sent before the connection broke are not repeated: their callers no longer wait.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: password.reveal() }),
    ...(tls === undefined ? {} : { tls: tls.ca === undefined ? {} : { ca: tls.ca } }),
  };
}

/** Doubles up to the longest pause; randomised between half and all of it, so that gateways do not reconnect together. */
const backoffMs = (attempt: number): number =>
  Math.min(BACKOFF_MS.first * 2 ** attempt, BACKOFF_MS.longest) * (0.5 + Math.random() / 2);

function toHealth(status: RedisClient['status']): RedisHealth {
  switch (status) {
    case 'wait':
      return 'waiting';
    case 'connecting':
    case 'connect':
      return 'connecting';
    case 'ready':
      return 'ready';
    default:
      return 'down';
  }
}

/** ioredis gives errors that the server sent a name of their own. */
const reasonOf = (error: unknown): 'refused' | 'failed' =>
  error instanceof Error && error.name === 'ReplyError' ? 'refused' : 'failed';

/** Errors of ioredis contain the command with its arguments, which are keys and answers of tenants and must not be logged. */
export const withoutCommand = (error: unknown): Error =>
  new Error(error instanceof Error ? error.message : String(error));

/**
 * Rejects when there was no answer for so long. `heardMs`: time of the last answer to anything, while the answer to this may wait
 * behind others: a burst of our own is no outage. In the end the wait has a bound, too.
 */
export async function withDeadline<T>(
  promise: Promise<T>,
  timeoutMs: number,
  heardMs: () => number = () => 0,
): Promise<T> {
  const expiry = Promise.withResolvers<never>();
  const startMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const nowMs = performance.now();
    const silentSinceMs = Math.max(startMs, heardMs());
    const leftMs = Math.min(silentSinceMs + timeoutMs, startMs + timeoutMs * MOST_WAITS) - nowMs;
    if (leftMs > 0) wait(leftMs);
    else expiry.reject(new StoreUnavailable('timeout'));
  };
  const wait = (ms: number): void => {
    // An answer that arrived while this process was busy is read before the next immediate: it is not too late.
    timer = setTimeout(() => setImmediate(check), ms);
  };
  wait(timeoutMs);
  try {
    return await Promise.race([promise, expiry.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * GET over HTTPS with a bearer token and certificate authority read from files that rotate. A port of its own (`HttpsClient`):
 * the Kubernetes API and the snapshot service are no providers, so host rules and pools of the upstream client do not apply. The
 * only file outside `gateway/src/upstream` that knows undici.
 */
import { readFile } from 'node:fs/promises';
import { Agent, type Dispatcher } from 'undici';

export interface Endpoint {
  /** `https://host:port`, without a path. */
  readonly origin: string;
  /** Its certificate authority as PEM; absent: those of the system. */
  readonly caFile: string | undefined;
  /** File of the bearer token; read again for every request, but for those with `isOneOfMany`. */
  readonly tokenFile: string | undefined;
}

export interface HttpsClient {
  /** Resolves with any answer; the body is to be read or destroyed. Rejects without an answer, or with the signal's reason. */
  get(path: string, options: GetOptions): Promise<HttpsAnswer>;
  close(): Promise<void>;
}

export interface GetOptions {
  readonly signal: AbortSignal;
  /** One of many requests: token and authority may be a few seconds old. */
  readonly isOneOfMany?: boolean;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly body: AsyncIterable<Buffer> & { destroy(): unknown };
}

const CONNECT_MS = 5_000;
/** Shards are read in parallel, beside the watch. */
const CONNECTIONS = 12;
/** In ms: longer than the pauses between edits, below the 60 s after which many load balancers drop connections. */
const IDLE_MS = 50_000;
/** TCP keep-alive detects a dead peer of a silent stream. */
const TCP_KEEPALIVE_MS = 30_000;
/** In ms: kubelet renews a token minutes before it expires, and reading it for every shard dominated the time of an update. */
const FRESH_MS = 5_000;

export function createHttpsClient({ origin, caFile, tokenFile }: Endpoint): HttpsClient {
  let current: { readonly ca: string | undefined; readonly agent: Agent } | undefined;

  let read: { readonly untilMs: number; readonly texts: Promise<readonly (string | undefined)[]> } | undefined;

  const credentials = (isOneOfMany: boolean): Promise<readonly (string | undefined)[]> => {
    if (read === undefined || !isOneOfMany || performance.now() > read.untilMs) {
      read = { untilMs: performance.now() + FRESH_MS, texts: Promise.all([textOf(caFile), textOf(tokenFile)]) };
    }
    return read.texts;
  };
  const forget = (): void => {
    read = undefined;
  };
  const agentFor = (ca: string | undefined): Agent => {
    if (current !== undefined && current.ca === ca) return current.agent;
    current?.agent.close().catch(() => undefined); // answers in progress may finish
    const tls = ca === undefined ? {} : { ca };
    const connect = { ...tls, timeout: CONNECT_MS, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS };
    current = { ca, agent: new Agent({ connections: CONNECTIONS, keepAliveTimeout: IDLE_MS, connect }) };
    return current.agent;
  };
  const send = async (path: string, { signal, isOneOfMany = false }: GetOptions): Promise<Dispatcher.ResponseData> => {
    const [ca, token] = await credentials(isOneOfMany);
    return agentFor(ca).request({
      origin,
      path,
      method: 'GET',
      headers: {
        accept: 'application/json',
        'user-agent': 'gatehouse-gateway',
        ...(token === undefined ? {} : { authorization: `Bearer ${token.trim()}` }),
      },
      signal,
      headersTimeout: 0, // every request has a signal with a deadline
      bodyTimeout: 0,
    });
  };
  return {
    get: async (path, options) => {
      const { statusCode, body } = await send(path, options).catch((error: unknown) => {
        forget();
        throw error;
      });
      if (statusCode === 401) forget();
      body.on('error', () => undefined); // readers get the error; without a reader it must not crash the process
      return { status: statusCode, body };
    },
    close: async () => {
      await current?.agent.destroy();
    },
  };
}

const textOf = async (file: string | undefined): Promise<string | undefined> =>
  file === undefined ? undefined : readFile(file, 'utf8');

import { isDeepStrictEqual } from 'node:util';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type Clock, sleep } from '../time/index.ts';
import type { Access, TlsMaterial } from './access.ts';
import { ApiError } from './api-error.ts';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly target: string;
  readonly body?: { readonly text: string; readonly type: string } | undefined;
  /** Ends the request and the reading of its answer. */
  readonly signal: AbortSignal;
  /** A long answer that is read as a stream: it does not share the connections of calls. */
  readonly streams?: boolean;
  /** Default: JSON. */
  readonly accept?: string | undefined;
  /** Called when the server asks to wait, in ms, and the request does. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
}

export interface TransportAnswer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly body: Dispatcher.ResponseData['body'];
}

export interface Transport {
  /** Resolves with any answer. Rejects with ApiError `Unreachable`, or with the reason of the signal. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly access: Access;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** Further calls wait for a connection, which keeps the operator from flooding the API server. */
const MAX_CALL_CONNECTIONS = 16;
/** Watches share connections over HTTP/2, where 500 need 7; without it each has its own. */
const MAX_STREAM_CONNECTIONS = 4_096;
/** A page of 500 objects of half a MiB each. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Longer waits are left to the caller, since they occupy a worker. */
const MAX_RETRY_AFTER_MS = 10_000;
/** How long an idle connection is kept for the next call: below the 60 s of many load balancers. */
const IDLE_MS = 30_000;
/** As client-go: below the idle time of cloud load balancers. A dead peer is noticed within about 40 s. */
const TCP_KEEPALIVE_MS = 30_000;

/** HTTP to the API server with the current credentials; waits once for the Retry-After of 429 and 503. */
export function createTransport({ access, userAgent, clock }: TransportOptions): Transport {
  let pools: Pools | undefined;

  const attempt = async (request: TransportRequest): Promise<TransportAnswer> => {
    const { headers, tls } = await access.credentials();
    pools = poolsFor(access, tls, pools);
    const { method, target, body, signal, streams = false, accept = 'application/json' } = request;
    const answer = await (streams ? pools.streams : pools.calls).request({
      origin: access.server.origin,
      path: `${access.server.pathname.replace(/\/$/, '')}${target}`,
      method,
      headers: { accept, 'user-agent': userAgent, ...headers, ...typeOf(body) },
      body: body?.text ?? null,
      signal,
      // Requests have their own deadline, and streams one that every byte extends.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { status: answer.statusCode, retryAfterMs: retryAfterMs(answer.headers), body: answer.body };
  };

  const send = async (request: TransportRequest): Promise<TransportAnswer> => {
    let answer = await attempt(request);
    if (answer.status === 401) {
      await answer.body.dump();
      await access.renew();
      answer = await attempt(request);
    }
    if (!asksToWait(answer)) return answer;
    await answer.body.dump();
    request.onWait?.(answer.retryAfterMs);
    await sleep(answer.retryAfterMs, { signal: request.signal, clock });
    return attempt(request);
  };

  return {
    send: (request) => send(request).catch((error: unknown) => Promise.reject(toUnreachable(error, request.signal))),
    close: async () => {
      await Promise.all([pools?.calls.destroy(), pools?.streams.destroy()]);
    },
  };
}

/** The error of a failed exchange: the reason of the signal if that ended it. */
export function toUnreachable(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof ApiError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new ApiError({
    status: 0,
    reason: 'Unreachable',
    message: `the API server cannot be reached: ${code}`,
    cause: error,
  });
}

function asksToWait(answer: TransportAnswer): answer is TransportAnswer & { readonly retryAfterMs: number } {
  const { status, retryAfterMs: waitMs } = answer;
  return (status === 429 || status === 503) && waitMs !== undefined && waitMs <= MAX_RETRY_AFTER_MS;
}

/** The API server sends whole seconds, never a date. */
function retryAfterMs(headers: Dispatcher.ResponseData['headers']): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

const typeOf = (body: TransportRequest['body']) => (body === undefined ? {} : { 'content-type': body.type });

interface Pools {
  readonly tls: TlsMaterial;
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
}

/** The same pools as long as the TLS material is unchanged; old ones close after their last answer. */
function poolsFor(access: Access, tls: TlsMaterial, current: Pools | undefined): Pools {
  if (current !== undefined && isDeepStrictEqual(current.tls, tls)) return current;
  const open = (options: Pool.Options): Dispatcher => {
    const connect = { ...tls, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS };
    if (access.proxyUrl === undefined) return new Pool(access.server.origin, { ...options, connect });
    return new ProxyAgent({ ...options, uri: access.proxyUrl, requestTls: connect });
  };
  current?.calls.close().catch(() => {});
  current?.streams.close().catch(() => {});
  return {
    tls,
    calls: open({
      connections: MAX_CALL_CONNECTIONS,
      maxResponseSize: MAX_ANSWER_BYTES,
      keepAliveTimeout: IDLE_MS,
      allowH2: false, // a page of large objects must not delay other answers
    }),
    streams: open({ connections: MAX_STREAM_CONNECTIONS, allowH2: true }),
  };
}

import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AppError, toAppError } from '../errors/index.ts';
import { UpstreamBody } from './body.ts';
import type { ConnectOrigin } from './host-guard/index.ts';
import { type Reach, routeOf } from './reach.ts';
import { locate } from './unreachable.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | undefined;
  readonly hostOrigin: ConnectOrigin | Reach;
}

export interface UpstreamLimits {
  /** From send to the response headers, in ms. */
  readonly headersTimeoutMs: number;
  /** Longest silence between two pieces of the body, in ms. */
  readonly idleTimeoutMs: number;
}

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly body: UpstreamBody;
}

/**
 * Sends one request and answers as soon as the response headers are there; redirects are answers like any other.
 * Rejects with an AppError of the upstream family, or with the signal's reason.
 */
export interface UpstreamClient {
  send(
    request: UpstreamRequest,
    options: { readonly signal: AbortSignal; readonly limits: UpstreamLimits },
  ): Promise<UpstreamResponse>;
  close(): Promise<void>;
}

type Dispatchers = Readonly<Record<ConnectOrigin, Dispatcher>>;

/** A client over one dispatcher per origin of the host name. */
export function createUpstreamClient(dispatchers: Dispatchers): UpstreamClient {
  return {
    send: (request, { signal, limits }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(toAppError(signal.reason));
          return;
        }
        const route = routeOf(request, request.hostOrigin);
        dispatchers[route.connect].dispatch(
          {
            origin: route.origin,
            path: request.path,
            method: request.method,
            headers: route.headers as Record<string, string>,
            body: request.body ?? null,
            headersTimeout: limits.headersTimeoutMs,
            bodyTimeout: limits.idleTimeoutMs,
          },
          new ResponseHandler({ signal, origin: request.origin, resolve, reject }),
        );
      }),
    close: async () => {
      await Promise.all(Object.values(dispatchers).map((dispatcher) => dispatcher.destroy()));
    },
  };
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly origin: string;
  readonly resolve: (response: UpstreamResponse) => void;
  readonly reject: (error: AppError) => void;
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #waiting: Waiting;
  #controller: Dispatcher.DispatchController | undefined;
  #body: UpstreamBody | undefined;

  constructor(waiting: Waiting) {
    this.#waiting = waiting;
    waiting.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#waiting.signal.aborted) this.#onAbort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) return; // informational
    this.#body = new UpstreamBody(controller);
    this.#waiting.resolve({ status, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#body?.push(bytes);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    const reason = this.#waiting.signal.aborted ? this.#waiting.signal.reason : error;
    if (this.#body === undefined) this.#waiting.reject(locate(toAppError(reason), this.#waiting.origin));
    else this.#body.break(broken(reason));
  }

  /** A request that still waits for a connection is given up at once; its turn later ends in the second abort. */
  readonly #onAbort = (): void => {
    const reason = toAppError(this.#waiting.signal.reason);
    this.#controller?.abort(reason);
    if (this.#body === undefined) this.#waiting.reject(reason);
  };

  #release(): void {
    this.#waiting.signal.removeEventListener('abort', this.#onAbort);
  }
}

const LOST: ReadonlySet<string> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_INVALID_RESPONSE']);

/** After the headers a lost connection, or one that no longer speaks HTTP, is a broken answer. */
function broken(reason: unknown): AppError {
  const error = toAppError(reason);
  return LOST.has(error.code) ? new AppError('UPSTREAM_STREAM_BROKEN', { cause: error }) : error;
}

import type { Dispatcher } from 'undici';
import { AppError, toAppError } from '../../errors/index.ts';
import { BodyRelay } from '../body-relay.ts';
import type { UpstreamClient, UpstreamClientOptions, UpstreamHeaders, UpstreamResponse } from '../port.ts';
import { routeOf } from '../reach.ts';
import { locate } from '../unreachable.ts';
import { createDispatchers } from './dispatchers.ts';

/** A client over undici with one pool of connections per kind of host. */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const dispatchers = createDispatchers(options);
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
            headers: route.headers as Record<string, string>, // undici's type is mutable; it changes nothing
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
  #body: BodyRelay | undefined;

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
    this.#body = new BodyRelay(controller);
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

  /** A request that still waits for a connection is rejected at once; when its turn comes, `onRequestStart` aborts it. */
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

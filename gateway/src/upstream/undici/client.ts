import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AppError } from '../../errors/index.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { OnRead } from '../../lib/read-memory.ts';
import { BodyRelay } from '../body-relay.ts';
import { toUpstreamError, withOrigin } from '../failures.ts';
import type {
  UpgradingClient,
  UpstreamClient,
  UpstreamClientOptions,
  UpstreamConnection,
  UpstreamHeaders,
  UpstreamLimits,
  UpstreamRequest,
  UpstreamResponse,
} from '../port.ts';
import { routeOf } from '../reach.ts';
import { createDispatchers } from './dispatchers.ts';

/** A client over undici with one pool of connections per kind of host. */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient & UpgradingClient {
  const { calls, tunnels } = createDispatchers(options);
  const dispatch = (request: UpstreamRequest, waiting: Waiting, { limits, protocol }: DispatchOptions): void => {
    const { signal, reject } = waiting;
    if (signal.cancelled) {
      reject(toUpstreamError(signal.reason));
      return;
    }
    const handler = new ResponseHandler(waiting, options.onRead);
    try {
      const route = routeOf(request, request.hostOrigin);
      (protocol === undefined ? calls : tunnels)[route.connect].dispatch(
        {
          origin: route.origin,
          path: request.path,
          method: request.method,
          ...payloadOf(route.headers, request.body),
          headersTimeout: limits.headersTimeoutMs,
          bodyTimeout: limits.idleTimeoutMs,
          upgrade: protocol ?? null,
        },
        handler,
      );
    } catch (error) {
      handler.refuse(error);
    }
  };
  return {
    send: (request, { signal, limits }) =>
      new Promise((resolve, reject) => {
        dispatch(request, { signal, origin: request.origin, resolve, reject }, { limits });
      }),
    upgrade: (request, { signal, limits, protocol }) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = {
          signal,
          origin: request.origin,
          resolve: (response) => resolve({ kind: 'response', response }),
          onConnection: (connection) => resolve({ kind: 'connection', connection }),
          reject,
        };
        dispatch(request, waiting, { limits, protocol });
      }),
    close: async () => {
      const all = new Set([...Object.values(calls), ...Object.values(tunnels)]);
      await Promise.all(Array.from(all, (dispatcher) => dispatcher.destroy()));
    },
  };
}

interface DispatchOptions {
  readonly limits: UpstreamLimits;
  /** Undefined: HTTP. */
  readonly protocol?: string;
}

/** Bodies from this size on are not held until the end of the answer. */
const LARGE_BYTES = 64 * 1024;

type Payload = Pick<Dispatcher.DispatchOptions, 'headers' | 'body'>;

/** undici keeps a body until its answer has ended, which may be hours later. A large one is given away when it is sent. */
function payloadOf(headers: Readonly<Record<string, string>>, body: UpstreamRequest['body']): Payload {
  const isLarge = body instanceof Buffer && body.length >= LARGE_BYTES;
  const payload = isLarge
    ? { headers: { ...headers, 'content-length': String(body.length) }, body: givenAway(body) }
    : { headers, body: body ?? null };
  return payload as Payload; // undici takes iterables and changes no headers; its types know of neither
}

function givenAway(bytes: Buffer): Iterable<Buffer> {
  const held = [bytes];
  return { [Symbol.iterator]: () => held.splice(0).values() };
}

interface Waiting {
  readonly signal: CancelSignal;
  readonly origin: string;
  readonly resolve: (response: UpstreamResponse) => void;
  /** Absent where no other protocol was asked for. */
  readonly onConnection?: (connection: UpstreamConnection) => void;
  readonly reject: (error: AppError) => void;
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #waiting: Waiting;
  readonly #onRead: OnRead | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodyRelay | undefined;

  constructor(waiting: Waiting, onRead: OnRead | undefined) {
    this.#waiting = waiting;
    this.#onRead = onRead;
    waiting.signal.onCancel(this.#onCancel);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#waiting.signal.cancelled) this.#onCancel();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) return; // informational
    this.#body = new BodyRelay(controller);
    this.#waiting.resolve({ status, headers, body: this.#body });
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    headers: UpstreamHeaders,
    socket: Duplex,
  ): void {
    this.#release();
    socket.on('error', () => {}); // 'close' follows, which its owner looks at
    this.#waiting.onConnection?.({ headers, socket });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#onRead?.(bytes.length);
    this.#body?.push(bytes);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    const reason = this.#waiting.signal.cancelled ? this.#waiting.signal.reason : error;
    if (this.#body === undefined) this.#waiting.reject(withOrigin(toUpstreamError(reason), this.#waiting.origin));
    else this.#body.break(broken(reason));
  }

  /** The request was refused before any connection. */
  refuse(error: unknown): void {
    this.#release();
    this.#waiting.reject(toUpstreamError(error));
  }

  /** A request that still waits for a connection is rejected at once; when its turn comes, `onRequestStart` aborts it. */
  readonly #onCancel = (): void => {
    const reason = toUpstreamError(this.#waiting.signal.reason);
    this.#controller?.abort(reason);
    if (this.#body === undefined) this.#waiting.reject(reason);
  };

  #release(): void {
    this.#waiting.signal.offCancel(this.#onCancel);
  }
}

const LOST: ReadonlySet<string> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_INVALID_RESPONSE']);

/** After the headers a lost connection, or one that no longer speaks HTTP, is a broken answer. */
function broken(reason: unknown): AppError {
  const error = toUpstreamError(reason);
  return LOST.has(error.code) ? new AppError('UPSTREAM_STREAM_BROKEN', { cause: error }) : error;
}

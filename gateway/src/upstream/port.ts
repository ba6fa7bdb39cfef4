/**
 * The port of the upstream client: one HTTP request out, one answer in. What implements it (sockets, TLS, pools, proxies) is
 * known in this folder only. `test/conformance/upstream` holds what every implementation does.
 */
import type { Duplex, Readable } from 'node:stream';
import type { AppError } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { OnRead } from '../lib/read-memory.ts';
import type { ConnectOrigin, HostPolicy } from './host-guard/index.ts';
import type { Reach } from './reach.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | undefined;
  /** Which addresses the connection may go to. */
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
  /** 200 and above: informational answers are skipped. */
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly body: UpstreamBody;
}

/** Takes the bytes of an answer. */
export interface BodySink {
  /** False: send nothing more until `resume()`. */
  write(bytes: Buffer): boolean;
  end(): void;
  fail(error: AppError): void;
}

/**
 * The body of one answer. Exactly one of `collect`, `pipe` and `discard` is called. Until then at most 64 KiB are held and the
 * upstream is paused.
 */
export interface UpstreamBody {
  /**
   * Waits until more than `bytes` are held, the body ended, or no more can be held; rejects when the connection broke.
   * Resolves with what is held. For looking before `collect` or `pipe` is called.
   */
  peek(bytes: number): Promise<{ readonly held: readonly Buffer[]; readonly last: boolean }>;
  /** Sends everything to the sink, in order, with backpressure. */
  pipe(sink: BodySink): void;
  /** Continues after a sink returned false. */
  resume(): void;
  /** Stops the upstream; the sink's `fail` is called with the reason, also when the rest has already arrived. */
  cancel(reason: AppError): void;
  /**
   * The whole body, which the account holds from then on. Rejects with UPSTREAM_TOO_LARGE beyond `maxBytes`, with
   * MEMORY_EXHAUSTED, or with what broke the connection.
   */
  collect(maxBytes: number, memory: ByteAccount): Promise<Buffer>;
  /** Stops the upstream: the body is not needed. */
  discard(): void;
}

export interface UpstreamClientOptions {
  /** Judges every name and address that a connection may go to. */
  readonly hosts: HostPolicy;
  /** From the first look-up of the name to an open connection, TLS included. */
  readonly connectTimeoutMs: number;
  readonly connectionsPerOrigin: number;
  /** How long an unused connection is kept. */
  readonly keepAliveMs: number;
  /** Further certificate authorities, PEM. */
  readonly ca: string | undefined;
  /** Egress proxies by scheme, and the hosts that bypass them (`NO_PROXY`). */
  readonly proxy: {
    readonly http: string | undefined;
    readonly https: string | undefined;
    readonly no: string | undefined;
  };
  /** Told of each piece of an answer. */
  readonly onRead?: OnRead | undefined;
}

export interface UpstreamClient {
  /**
   * Sends one request and resolves as soon as the response headers are there; redirects are answers like any other.
   * Rejects with an AppError of the upstream family, or with the signal's reason. After the headers the same errors reach
   * the body.
   */
  send(
    request: UpstreamRequest,
    options: { readonly signal: CancelSignal; readonly limits: UpstreamLimits },
  ): Promise<UpstreamResponse>;
  /** Cuts what is in flight. */
  close(): Promise<void>;
}

/** A connection that has left HTTP. */
export interface UpstreamConnection {
  readonly headers: UpstreamHeaders;
  /** Both directions, with backpressure; bytes that came right behind the answer are read first. Its owner destroys it. */
  readonly socket: Duplex;
}

/** What a request for another protocol came to. */
export type UpgradeAnswer =
  /** 101: the protocol is spoken from now on. */
  | { readonly kind: 'connection'; readonly connection: UpstreamConnection }
  /** Any other status. */
  | { readonly kind: 'response'; readonly response: UpstreamResponse };

export interface UpgradingClient {
  /**
   * Asks for another protocol (RFC 9110 section 7.8) over the same hosts, proxies and certificates as `send`, and rejects as it
   * does. The signal counts until the answer is there.
   */
  upgrade(
    request: UpstreamRequest,
    options: { readonly protocol: string; readonly signal: CancelSignal; readonly limits: UpstreamLimits },
  ): Promise<UpgradeAnswer>;
}

/** The port of a listener. The HTTP server, its framework and its sockets are known in this folder only. */
import type { Duplex } from 'node:stream';
import type { CancelSignal } from '../lib/cancellation.ts';

export interface Listener {
  /** Opens the port; resolves with its number. Rejects when the address is taken or not ours. */
  listen(): Promise<number>;
  /** No further connections and, on those of HTTP/2, no further requests; whatever is in flight continues. */
  stopAccepting(): void;
  /** Cuts everything, upgraded connections included. */
  closeNow(): Promise<void>;
}

export interface ListenAddress {
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined;
  /** 0: any free port. */
  readonly port: number;
}

/** An HTTP/1.1 request with an `Upgrade` header (RFC 9110 section 7.8). */
export interface UpgradeRequest {
  readonly method: string;
  /** The whole path, encoded. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** Lower-case names; repeated headers joined by `, `. */
  header(name: string): string | undefined;
  headers(): Iterable<readonly [name: string, value: string]>;
}

/** An answer of HTTP in place of another protocol. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** A connection that leaves HTTP. It counts as a request in flight until it is closed. */
export interface UpgradedConnection {
  /** Both directions, with backpressure; bytes that came right behind the request are read first. */
  readonly socket: Duplex;
  /**
   * Cancelled with an AppError when the client disconnects (CLIENT_CLOSED) or the drain deadline passes (DRAINING). What is written
   * in its tasks is still sent, then the socket is closed.
   */
  readonly signal: CancelSignal;
  /** Cancelled when no further connections are accepted: whatever may take long should end soon. */
  readonly leaving: CancelSignal;
  /** Sends an answer of HTTP and ends the connection. */
  refuse(refusal: UpgradeRefusal): void;
  /** Sends `101 Switching Protocols`. Throws a TypeError for a name or value that no header may have. */
  switchProtocols(headers: Readonly<Record<string, string>>): void;
}

export interface UpgradeHandler {
  /** Undefined: the connection stays HTTP and the request is served as if it had no `Upgrade` header. */
  accept(request: UpgradeRequest): ((connection: UpgradedConnection) => void) | undefined;
}

/** Connections that leave HTTP/1.1 for another protocol. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { fromAzurePath } from '../azure-paths.ts';
import { headerOf } from '../body/client-request.ts';
import { renameHeaders } from '../header-aliases.ts';
import type { UpgradedConnection, UpgradeHandler, UpgradeRefusal, UpgradeRequest } from '../listener.ts';
import type { InFlight } from '../serve.ts';

/** How long a client may take to close the connection after an answer of HTTP, in ms. */
const LINGER_MS = 2_000;

export interface Upgrades {
  /** For the HTTP server: whether a request with an `Upgrade` header leaves HTTP. */
  readonly shouldUpgradeCallback: (message: IncomingMessage) => boolean;
  attach(server: Pick<Server, 'on'>): void;
  /** Tells all upgraded connections that the process is about to end. */
  goAway(): void;
  /** Cuts all upgraded connections, which the HTTP server no longer knows. */
  destroyAll(): void;
}

export interface UpgradeOptions {
  readonly inFlight: InFlight;
  /** Further prefixes for the gateway's own headers. */
  readonly headerAliases: readonly string[];
}

export function createUpgrades(handler: UpgradeHandler, { inFlight, headerAliases }: UpgradeOptions): Upgrades {
  const accepted = new WeakMap<IncomingMessage, (connection: UpgradedConnection) => void>();
  const sockets = new Set<Duplex>();
  const leaving = new Cancellation();
  const shouldUpgradeCallback = (message: IncomingMessage): boolean => {
    const request = toUpgradeRequest(message, headerAliases);
    const session = request && handler.accept(request);
    if (session !== undefined) accepted.set(message, session);
    return session !== undefined;
  };
  return {
    shouldUpgradeCallback,
    attach: (server) => {
      // Node reads the option for servers of HTTP/1.1 alone; the one that also speaks HTTP/2 has the member.
      Object.assign(server, { shouldUpgradeCallback });
      server.on('upgrade', (message: IncomingMessage, socket: Duplex, early: Buffer) => {
        const session = accepted.get(message);
        if (session === undefined) {
          socket.destroy();
          return;
        }
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        if (early.length > 0) socket.unshift(early);
        run(session, socket, { inFlight, leaving });
      });
    },
    goAway: () => leaving.cancel(new AppError('DRAINING')),
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Surroundings {
  readonly inFlight: InFlight;
  readonly leaving: CancelSignal;
}

function run(
  session: (connection: UpgradedConnection) => void,
  socket: Duplex,
  { inFlight, leaving }: Surroundings,
): void {
  const cancellation = new Cancellation();
  inFlight.add(cancellation);
  socket.on('error', () => {}); // 'close' follows
  socket.on('close', () => {
    cancellation.cancel(new AppError('CLIENT_CLOSED'));
    inFlight.remove(cancellation);
  });
  const connection: UpgradedConnection = {
    socket,
    signal: cancellation,
    leaving,
    switchProtocols: (headers) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\n${linesOf(headers)}\r\n`);
    },
    refuse: ({ status, headers, body }) => {
      const all = { ...headers, 'content-length': String(body.length), connection: 'close' };
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${linesOf(all)}\r\n`);
      socket.end(body);
      socket.resume(); // whatever still comes is thrown away
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.on('close', () => clearTimeout(timer));
    },
  };
  try {
    session(connection);
  } catch {
    socket.destroy(); // the connection is lost, not the process
    return;
  }
  // Added after the tasks of the session: its last bytes are written first.
  cancellation.onCancel(() => socket.end(() => socket.destroy()));
}

/** Throws a TypeError for a name or value that no header may have. */
const linesOf = (headers: UpgradeRefusal['headers']): string =>
  Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
    .map(([name, value]) => {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return `${name}: ${value}\r\n`;
    })
    .join('');

/** Undefined when its headers cannot be read: it is served as HTTP, and refused there. */
function toUpgradeRequest(
  { method = 'GET', url: asked = '/', headers: given }: IncomingMessage,
  aliases: readonly string[],
): UpgradeRequest | undefined {
  const headers = withOwnNames(given, aliases);
  if (headers === undefined) return undefined;
  const url = fromAzurePath(asked);
  const mark = url.indexOf('?');
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    header: (name) => headerOf(headers, name),
    headers: () => pairsOf(headers),
  };
}

function* pairsOf(headers: IncomingHttpHeaders): Generator<readonly [name: string, value: string]> {
  for (const name in headers) {
    const value = headerOf(headers, name);
    if (value !== undefined) yield [name, value];
  }
}

function withOwnNames(headers: IncomingHttpHeaders, aliases: readonly string[]): IncomingHttpHeaders | undefined {
  if (aliases.length === 0) return headers;
  const renamed = { ...headers };
  return renameHeaders(renamed, aliases).refusal === undefined ? renamed : undefined;
}

/** Connections that leave HTTP/1.1 for another protocol. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { headerOf } from '../body/client-request.ts';
import { renameHeaders } from '../header-aliases.ts';
import type { UpgradedConnection, UpgradeHandler, UpgradeRequest } from '../listener.ts';
import type { InFlight } from '../serve.ts';

export interface Upgrades {
  /** For the HTTP server: whether a request with an `Upgrade` header leaves HTTP. */
  readonly shouldUpgradeCallback: (message: IncomingMessage) => boolean;
  attach(server: Pick<Server, 'on'>): void;
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
  return {
    shouldUpgradeCallback: (message) => {
      const request = toUpgradeRequest(message, headerAliases);
      const session = request && handler.accept(request);
      if (session !== undefined) accepted.set(message, session);
      return session !== undefined;
    },
    attach: (server) => {
      server.on('upgrade', (message: IncomingMessage, socket: Duplex, early: Buffer) => {
        const session = accepted.get(message);
        if (session === undefined) {
          socket.destroy();
          return;
        }
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        if (early.length > 0) socket.unshift(early);
        run(session, socket, inFlight);
      });
    },
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function run(session: (connection: UpgradedConnection) => void, socket: Duplex, inFlight: InFlight): void {
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
    switchProtocols: (headers) => {
      const lines = Object.entries(headers).map(([name, value]) => {
        validateHeaderName(name);
        validateHeaderValue(name, value);
        return `${name}: ${value}\r\n`;
      });
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\n${lines.join('')}\r\n`);
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

/** Undefined when its headers cannot be read: it is served as HTTP, and refused there. */
function toUpgradeRequest(
  { method = 'GET', url = '/', headers: given }: IncomingMessage,
  aliases: readonly string[],
): UpgradeRequest | undefined {
  const headers = withOwnNames(given, aliases);
  if (headers === undefined) return undefined;
  const mark = url.indexOf('?');
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    header: (name) => headerOf(headers, name),
  };
}

function withOwnNames(headers: IncomingHttpHeaders, aliases: readonly string[]): IncomingHttpHeaders | undefined {
  if (aliases.length === 0) return headers;
  const renamed = { ...headers };
  return renameHeaders(renamed, aliases).refusal === undefined ? renamed : undefined;
}

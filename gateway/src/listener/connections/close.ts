import type { EventEmitter } from 'node:events';
import type { Http2Session } from 'node:http2';
import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ListenAddress, Listener } from '../listener.ts';
import type { Upgrades } from './upgrade.ts';

/** A Fastify app as a listener. Node knows its HTTP/1.1 connections, but not the sessions of HTTP/2: they are kept here. */
export function toListener(
  app: FastifyInstance,
  { host = '::', port }: ListenAddress,
  upgrades?: Pick<Upgrades, 'goAway' | 'destroyAll'>,
): Listener {
  const sessions = new Set<Http2Session>();
  const events: EventEmitter = app.server;
  events.on('session', (session: Http2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  return {
    listen: async () => {
      await app.listen({ port, host });
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    },
    stopAccepting: () => {
      // Not the HTTP server's own `close`: it cuts connections whose answer has been written but not yet sent.
      Server.prototype.close.call(app.server);
      for (const session of sessions) session.close();
      upgrades?.goAway();
    },
    closeNow: async () => {
      app.server.close(); // at once: `app.close` takes a few turns, during which connections would still be accepted
      app.server.closeAllConnections?.();
      for (const session of sessions) session.destroy();
      upgrades?.destroyAll();
      await app.close();
    },
  };
}

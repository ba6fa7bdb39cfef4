import type { EventEmitter } from 'node:events';
import type { Http2Session } from 'node:http2';
import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The two ways to end a listener. */
export interface Closer {
  /** No further connections and, on those of HTTP/2, no further requests; whatever is under way goes on. */
  stopAccepting(): void;
  /** Ends everything on it. */
  closeNow(): Promise<void>;
}

/** node knows its connections, but not the sessions of HTTP/2: they are kept here. */
export function createCloser(app: FastifyInstance): Closer {
  const sessions = new Set<Http2Session>();
  const events: EventEmitter = app.server;
  events.on('session', (session: Http2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  return {
    stopAccepting: () => {
      // Not the HTTP server's own `close`: it cuts connections whose answer has been written but not yet sent.
      Server.prototype.close.call(app.server);
      for (const session of sessions) session.close();
    },
    closeNow: async () => {
      app.server.close(); // at once: `app.close` takes a few turns, in which connections would still come
      app.server.closeAllConnections?.();
      for (const session of sessions) session.destroy();
      await app.close();
    },
  };
}

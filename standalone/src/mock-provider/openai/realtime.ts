import { bodilessRoutes, type Route } from '../exchange.ts';
import { json, refuse } from '../reply.ts';
import { openai } from './errors.ts';

/** The handshake of a session; what follows is in `realtime/`. */
export function createRealtimeRoutes(): readonly Route[] {
  const route = bodilessRoutes(openai);
  return ['/v1/realtime', '/openai/realtime', '/openai/v1/realtime'].map((path) =>
    route('GET', path, ({ request }) =>
      request.headers.upgrade?.toLowerCase() === 'websocket'
        ? json({})
        : refuse(426, 'The realtime API is a WebSocket', { code: 'upgrade_required' }),
    ),
  );
}

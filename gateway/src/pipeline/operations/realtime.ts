/** Sessions of the realtime API: the client and the provider speak over WebSockets, and the gateway between them. */
import { AppError } from '../../errors/index.ts';
import { COMPLETIONS, type Operation } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const realtime: Operation = {
  id: 'realtime',
  routes: [{ method: 'GET', path: '/v1/realtime' }],
  scopes: COMPLETIONS,
  // The query, as the session reads it.
  bodies: ['json'],
  cacheable: false,
  errors: 'openai',
  streamFormat: 'events',
  connects: true,
  refusePath: () =>
    new AppError('UPGRADE_REQUIRED', {
      detail:
        'GET /v1/realtime is a WebSocket: connect with a WebSocket client over HTTP/1.1 (wss://HOST/v1/realtime?model=MODEL)',
    }),
  handler: { ...typedHandler('realtime', { model: 'body' }), readsStream: false },
};

/** Bodies that a client sends once it is asked to (`Expect: 100-continue`): RFC 9110 section 10.1.1, docs/behaviour/requests.md#bodies. */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Of requests whose body has not been asked for. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Serves such a request as any other; its client is asked when the body is read, and never where it is answered without. */
export function askLate(server: EventEmitter): void {
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    waiting.set(message, response);
    server.emit('request', message, response);
  });
}

/** To be called before a body is read. */
export function askForBody(message: IncomingMessage): void {
  const response = waiting.get(message);
  if (response === undefined) return;
  waiting.delete(message);
  if (!response.headersSent && !response.destroyed) response.writeContinue();
}

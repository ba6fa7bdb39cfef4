/**
 * The yardstick: a fastify server that reads the same bodies and writes the same answer, ANSWER, and does nothing else. The port is its
 * one message.
 */
import { fastify } from 'fastify';

const answer: unknown = JSON.parse(process.env['ANSWER'] ?? '');
const app = fastify();
app.route({ method: ['GET', 'PUT'], url: '/v1/*', handler: (_, reply) => reply.send(answer) });
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit(0));
const address = app.server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : 0 });

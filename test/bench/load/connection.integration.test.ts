import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { Connection } from './connection.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const REFUSED = 'HTTP/1.1 429 Too Many\r\ncontent-length: 2\r\n\r\nno';

/** Answers every request with the pieces, each in a write of its own. */
async function serve(pieces: readonly string[]): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test.for([
  { rule: 'in one piece', pieces: [ANSWER], ok: true },
  { rule: 'byte by byte', pieces: [...ANSWER], ok: true },
  { rule: 'head and body apart', pieces: ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'hello'], ok: true },
  { rule: 'with another status', pieces: [REFUSED], ok: false },
])('an answer is seen whole: $rule', async ({ pieces, ok }) => {
  const server = await serve(pieces);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const answers: boolean[] = [];
  const twice = Promise.withResolvers<void>();
  const connection = await Connection.open(
    { host: '127.0.0.1', port },
    {
      onAnswer: (from, answered) => {
        answers.push(answered.ok);
        if (answers.length === 2) twice.resolve();
        else from.send(Buffer.from('again'));
      },
      onLost: () => twice.reject(new Error('lost')),
    },
  );
  connection.send(Buffer.from('once'));
  await twice.promise;
  expect(answers).toEqual([ok, ok]);
  connection.close();
  server.close();
});

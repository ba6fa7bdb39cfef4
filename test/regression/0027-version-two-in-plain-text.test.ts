/** A request line that said HTTP/2.0 was taken for HTTP/2, of which it has no stream: it was never answered. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';

test('a request whose line says HTTP/2.0 is answered, and its connection ends', async () => {
  await using world = await startWorld();
  const socket = connect(world.port, '127.0.0.1');
  socket.write('GET /v1/health HTTP/2.0\r\nhost: x\r\ncontent-length: 9\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  await once(socket, 'close');
});

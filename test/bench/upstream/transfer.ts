/** Child process: takes uploads, gives downloads of so many bytes (argument), and opens WebSockets that say nothing. Its one message is its address. */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const BYTES = Number(process.argv[2]);
const PIECE = Buffer.alloc(64 * 1024, 'x');
/** Source: RFC 6455, section 1.3. */
const WEBSOCKET_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function fill(response: ServerResponse, left: number): void {
  for (let rest = left; !response.destroyed; rest -= PIECE.length) {
    if (rest <= PIECE.length) {
      response.end(PIECE.subarray(0, rest));
      return;
    }
    if (!response.write(PIECE)) {
      response.once('drain', () => fill(response, rest - PIECE.length));
      return;
    }
  }
}

const server = createServer((request, response) => {
  response.on('error', () => undefined); // the caller has gone
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': BYTES });
    fill(response, BYTES);
    return;
  }
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  request.on('end', () => {
    const body = JSON.stringify({ id: 'file-1', object: 'file', bytes });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
});
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key'] ?? ''}${WEBSOCKET_ID}`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.on('error', () => undefined); // the caller has gone
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
});
server.listen(
  { port: 0, host: '127.0.0.1', backlog: 4_096 },
  () => process.send?.({ port: (server.address() as AddressInfo).port }), // listening on TCP
);
process.once('disconnect', () => process.exit(0));

/**
 * Child process: an upstream that never ends its answers (`endless`) or always fails (`failing`), by its argument. Its one message
 * is its address.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const PIECE = Buffer.alloc(64 * 1024, ' ');

function writeForEver(response: ServerResponse): void {
  while (!response.destroyed && response.write(PIECE));
  if (!response.destroyed) response.once('drain', () => writeForEver(response));
}

const endless = process.argv[2] === 'endless';
const server = createServer((request, response) => {
  request.resume();
  response.on('error', () => undefined); // the caller has gone
  response.writeHead(endless ? 200 : 503, { 'content-type': 'application/json' });
  if (endless) writeForEver(response);
  else response.end('{"error":{"message":"Overloaded"}}');
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port })); // listening on TCP
process.once('disconnect', () => process.exit(0));

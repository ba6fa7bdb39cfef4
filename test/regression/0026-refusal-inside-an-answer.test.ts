/** What followed a request on its connection and was no HTTP was refused in the middle of the answer to that request. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startGateway } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY, key, provider, workspace } from '../kit/snapshot.ts';

const JSON_BODY = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] });
const REQUEST = [
  'POST /v1/chat/completions HTTP/1.1',
  'host: gateway',
  `x-gw-api-key: ${KEY}`,
  'x-gw-provider: @main',
  'content-type: application/json',
  `content-length: ${JSON_BODY.length}`,
  '',
  JSON_BODY,
].join('\r\n');

test('an answer that has begun is cut, and nothing else is written into it', async () => {
  await using upstream = await startRawUpstream(async (reply) => {
    await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    await reply.chunk('data: {"choices":[]}\n\n');
  });
  await using gateway = await startGateway({
    entries: [[workspace(), key(), ...provider('main', { customHost: upstream.url })]],
  });
  const socket = connect(gateway.port, '127.0.0.1');
  let received = '';
  let wasSent = false;
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
    if (wasSent || !received.includes('choices')) return;
    wasSent = true;
    socket.write('\0 no HTTP\r\n\r\n');
  });
  socket.write(REQUEST);
  await once(socket, 'close');
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(received).not.toContain('header_invalid');
});

test('answers 400 on a connection without an answer in progress', async () => {
  await using gateway = await startGateway({ entries: [[workspace(), key()]] });
  const socket = connect(gateway.port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
  });
  socket.write('\0 no HTTP\r\n\r\n');
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toContain('header_invalid');
});

/** Port 9443 accepts any connection: its buffers are bounded, and with a client authority only its certificates are accepted. */
import { request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { startWebhooks } from '../../../operator/src/webhook/index.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';

const NOTHING_KNOWN = {
  profilesIn: () => [],
  workspaceOf: () => undefined,
  userRangeOf: () => undefined,
  areRetired: () => false,
  translatedWorld: () => undefined,
  isTerminating: () => false,
};
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const start = (more: { readonly clientCaPem?: string } = {}) =>
  startWebhooks({
    certificates: {
      current: { certPem: LOOPBACK_PEM, keyPem: LOOPBACK_PEM, caPem: LOOPBACK_PEM },
      subscribe: () => ({ [Symbol.dispose]: () => {} }),
    },
    host: '127.0.0.1',
    port: 0,
    view: NOTHING_KNOWN,
    sidecar: { image: 'i', imagePullPolicy: 'Never', snapshotServiceUrl: 'https://localhost:9090' },
    log: QUIET,
    ...more,
  });

const ask = (port: number, tls: object = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = httpsRequest(
      { host: '127.0.0.1', port, path: '/validate', method: 'POST', ca: LOOPBACK_PEM, agent: false, ...tls },
      (answer) => resolve(answer.resume().statusCode ?? 0),
    );
    call.on('error', reject);
    call.setHeader('content-type', 'application/json');
    call.end('{}');
  });

test('refuses callers without a certificate of the given authority', async () => {
  await using webhooks = await start({ clientCaPem: LOOPBACK_PEM });
  await expect(ask(webhooks.port)).rejects.toThrow();
  expect(await ask(webhooks.port, { cert: LOOPBACK_PEM, key: LOOPBACK_PEM })).toBe(400);
});

test('requests that never end hold a bounded number of bodies, and others get 503 with Retry-After', async () => {
  await using webhooks = await start();
  const sockets: TLSSocket[] = [];
  for (let i = 0; i < 40; i += 1) {
    const socket = connect({ host: '127.0.0.1', port: webhooks.port, ca: LOOPBACK_PEM });
    socket.on('error', () => {});
    socket.write(
      'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 8000000\r\n\r\n{',
    );
    sockets.push(socket);
  }
  await waitFor(async () => (await ask(webhooks.port)) === 503, { what: 'a webhook that is full' });
  for (const socket of sockets) socket.destroy();
  await waitFor(async () => (await ask(webhooks.port)) === 400, { what: 'a webhook with room' });
});

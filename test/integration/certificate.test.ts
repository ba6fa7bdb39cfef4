/** A TLS certificate in files that are replaced while the gateway serves, as a kubelet replaces those of a Secret. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { receive } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM, RENEWED_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

const CA = [LOOPBACK_PEM, RENEWED_PEM];
const EXPIRY = 'gatehouse_tls_certificate_expiry_timestamp_seconds';
const expiryOf = (pem: string): number => new X509Certificate(pem).validToDate.getTime() / 1000;
const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;
const headers = { 'x-gw-provider': '@openai', 'x-gw-api-key': KEY, 'content-type': 'application/json' };
const body = (model: string, stream: boolean) =>
  JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] });

/** A mounted Secret: links to a folder that is replaced as a whole. */
async function mountSecret(pem: string) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'));
  let version = 0;
  const replace = async (next: string): Promise<void> => {
    version += 1;
    const content = join(folder, `..v${version}`);
    await mkdir(content);
    for (const name of ['tls.key', 'tls.crt']) await writeFile(join(content, name), next);
    await symlink(`..v${version}`, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  await replace(pem);
  for (const name of ['tls.key', 'tls.crt']) await symlink(join('..data', name), join(folder, name));
  return {
    env: { TLS_KEY_PATH: join(folder, 'tls.key'), TLS_CERT_PATH: join(folder, 'tls.crt') },
    replace,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** The certificate that a new connection gets. */
async function servedAt(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', ca: CA });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate()?.fingerprint256 ?? '';
  } finally {
    socket.destroy();
  }
}

test('a replaced certificate is served on new connections, and no open one is dropped', async () => {
  await using secret = await mountSecret(LOOPBACK_PEM);
  await using world = await startWorld({ env: secret.env });
  expect(await servedAt(world.port)).toBe(fingerprintOf(LOOPBACK_PEM));

  expect(await world.metric(EXPIRY)).toBe(expiryOf(LOOPBACK_PEM));

  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: CA });
  const call = async (): Promise<{ readonly status: number; readonly socket: TLSSocket }> => {
    const request = httpsRequest(`${world.url}/v1/chat/completions`, { method: 'POST', agent, headers });
    request.end(body('mock-small', false));
    const [response] = await once(request, 'response');
    const { status } = await receive(response);
    return { status, socket: request.socket as TLSSocket }; // of an https request
  };
  const before = await call();
  const session = connectHttp2(world.url, { ca: CA });
  const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions', ...headers });
  stream.end(body('mock-stall-900', true));
  await once(stream, 'data');

  await secret.replace(RENEWED_PEM);
  await waitFor(async () => (await servedAt(world.port)) === fingerprintOf(RENEWED_PEM), {
    what: 'the new certificate',
  });
  expect(world.logs.map(({ msg }) => msg)).toContain('TLS certificate replaced');
  expect(await world.metric(EXPIRY)).toBe(expiryOf(RENEWED_PEM));
  const after = await call();
  expect([before.status, after.status]).toEqual([200, 200]);
  expect(after.socket).toBe(before.socket);
  expect(stream.destroyed).toBe(false);
  expect(await world.metric('gatehouse_open_streams')).toBe(1);
  const again = session.request({ ':method': 'POST', ':path': '/v1/chat/completions', ...headers });
  again.end(body('mock-small', true));
  expect((await Array.fromAsync(again)).join('')).toContain('data: [DONE]');
  stream.on('error', () => {}); // we close it ourselves
  stream.close();
  await waitFor(async () => (await world.metric('gatehouse_open_streams')) === 0, { what: 'no stream left' });
  session.destroy();
  agent.destroy();
});

import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError, type KubeClient } from '../../../operator/src/runtime/index.ts';
import { startWebhooks } from '../../../operator/src/webhook/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, recordLog } from '../runtime/support.ts';
import { certificatesIn, IMAGE } from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const SECRET = 'gatehouse-webhook-certificate';
const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets/${SECRET}`;

/** The serial number of what a server shows to one who trusts the authorities. */
function shownBy(port: number, ca: string): Promise<{ readonly serial: string; readonly socket: TLSSocket }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca }, () =>
      resolve({ serial: socket.getPeerCertificate().serialNumber, socket }),
    );
    socket.on('error', reject);
  });
}

describe('the certificate', () => {
  test('is the same for all replicas, whichever writes first', async () => {
    const namespace = await cluster.createNamespace();
    const replicas = await Promise.all([1, 2, 3].map(() => certificatesIn(client, namespace)));
    const shown = new Set(replicas.map(({ current }) => current.certPem));
    // Losers of the race look again before they resolve.
    expect(shown.size).toBe(1);
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
  });

  test('is taken up again by a process that starts later', async () => {
    const namespace = await cluster.createNamespace();
    const first = await certificatesIn(client, namespace);
    await first[Symbol.asyncDispose]();
    const second = await certificatesIn(client, namespace);
    expect(second.current).toEqual(first.current);
    await second[Symbol.asyncDispose]();
  });

  test('changes in a server that goes on serving', async () => {
    const namespace = await cluster.createNamespace();
    const lifetimes = { authorityMs: 3_600_000, leafMs: 3_000, settleMs: 0 };
    await using certificates = await certificatesIn(client, namespace, { lifetimes });
    const view = {
      profilesIn: () => [],
      workspaceOf: () => undefined,
      userRangeOf: () => undefined,
      areRetired: () => false,
      translatedWorld: () => undefined,
      isTerminating: () => false,
    };
    const sidecar = { image: IMAGE, snapshotServiceUrl: 'https://service' };
    await using server = await startWebhooks({
      certificates,
      host: '127.0.0.1',
      port: 0,
      view,
      sidecar,
      log: recordLog(),
    });
    const ca = certificates.current.caPem;
    const before = await shownBy(server.port, ca);
    const after = await waitFor(async () => {
      // On a busy machine the old one may have expired before the new one is there.
      const shown = await shownBy(server.port, ca).catch(() => undefined);
      shown?.socket.destroy();
      return shown?.serial === before.serial ? undefined : shown;
    });
    expect(after.serial).not.toBe(before.serial);
    expect(before.socket.closed).toBe(false);
    before.socket.destroy();
  });

  test('of another issuer is waited for, taken, and never written', async () => {
    const namespace = await cluster.createNamespace();
    const source = await certificatesIn(client, await cluster.createNamespace());
    const { certPem, keyPem, caPem } = source.current;
    await source[Symbol.asyncDispose]();
    const waiting = certificatesIn(client, namespace, { managedBy: 'external' });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const data = { 'tls.crt': base64(certPem), 'tls.key': base64(keyPem), 'ca.crt': base64(caPem) };
    const body = { metadata: { name: SECRET }, type: 'kubernetes.io/tls', data };
    await cluster.request('POST', `/api/v1/namespaces/${namespace}/secrets`, { body });
    await using certificates = await waiting;
    expect(certificates.current).toEqual({ certPem, keyPem, caPem });
    expect((await cluster.request('GET', path(namespace))).body).toMatchObject({ data });
  });

  test('is not waited for longer than asked', async () => {
    const signal = AbortSignal.timeout(300);
    const waiting = certificatesIn(client, 'no-such-namespace', { managedBy: 'external', signal });
    await expect(waiting).rejects.not.toBeInstanceOf(ApiError);
  });
});

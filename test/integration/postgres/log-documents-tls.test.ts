/** Documents in a store whose certificate is of an authority of its own: docs/behaviour/request-logs.md#a-store-of-documents. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { openLogObjects } from '../../../operator/src/management/index.ts';
import { startGateway } from '../../kit/gateway.ts';
import { key, workspace } from '../../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';

const WRITTEN = 'gatehouse_request_log_documents_written_total';
const AWAY = 'gatehouse_request_log_store_away';
const KEYS = { accessKey: 'AKID', secretKey: 'very-secret' };

test('are written and read with that authority alone', async () => {
  await using server = await startPostgres();
  const objects = new Map<string, Buffer>();
  const store = createServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }, async (request, response) => {
    const { method, url = '' } = request;
    if (method === 'PUT') objects.set(url, await buffer(request));
    response.end(method === 'GET' ? objects.get(url) : undefined);
  });
  await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
  const basePath = `https://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const database = await server.database();
  const start = (variables: Readonly<Record<string, string>>) =>
    startGateway({
      env: {
        ...{ GATEHOUSE_LOGS_DATABASE_URL: database, LOG_STORE: 's3_custom', LOG_STORE_GENERATIONS_BUCKET: 'bucket' },
        ...{ LOG_STORE_BASEPATH: basePath, LOG_STORE_ACCESS_KEY: KEYS.accessKey, LOG_STORE_SECRET_KEY: KEYS.secretKey },
        ...{ LOG_STORE_CONNECTION_FAILURE_THRESHOLD: '1', ...variables },
      },
      entries: [workspace(), key({ scopes: ['logs.write'] })],
    });
  const told = { body: { request: { url: '/said', body: { a: 1 } } } };
  try {
    await using trusting = await start({ LOG_STORE_CA: LOOPBACK_PEM });
    expect((await trusting.send('/v1/logs', told)).status).toBe(200);
    await waitFor(async () => (await trusting.metric(WRITTEN)) === 1, { what: 'the document' });
    await using doubting = await start({});
    expect((await doubting.send('/v1/logs', told)).status).toBe(200);
    await waitFor(async () => (await doubting.metric(AWAY)) === 1, { what: 'a store that is not trusted' });
    expect(objects.size).toBe(1);

    const [path = ''] = objects.keys();
    const read = async (ca: string | undefined) => {
      const place = { kind: 's3_custom', bucket: 'bucket', region: undefined, basePath, folder: undefined } as const;
      const ports = { openIdentity: () => async () => ({ ok: false, error: 'none' }) as const, now: Date.now };
      return unwrap(openLogObjects({ ...place, ...KEYS, ca }, ports))?.get(path.replace('/bucket/', ''));
    };
    expect(await read(LOOPBACK_PEM)).toContain('/said');
    await expect(read(undefined)).rejects.toThrow('cannot be read');
    expect(
      openLogObjects(
        {
          kind: 's3_custom',
          bucket: 'bucket',
          region: undefined,
          basePath,
          folder: undefined,
          ...KEYS,
          ca: 'very-secret',
        },
        { openIdentity: () => async () => ({ ok: false, error: 'none' }), now: Date.now },
      ),
    ).toEqual({ ok: false, error: 'LOG_STORE_CA: expected certificates as PEM' });
  } finally {
    store.closeAllConnections();
    store.close();
  }
});

/** Answers made outside the pipeline had no trace id or no CORS headers, and the wrong format on /v1/messages. */
import { expect, test } from 'vitest';
import { startGateway } from '../kit/gateway.ts';
import { sendBytes } from '../kit/http.ts';
import { key, workspace } from '../kit/snapshot.ts';

const env = { ENABLE_CORS: 'true', CORS_ALLOWED_ORIGINS: 'https://app.example' };

test('every answer carries a trace id, also those of the parser', async () => {
  await using gateway = await startGateway({ entries: [workspace(), key()], env, metricsOnMain: true });
  for (const [method, path] of [
    ['GET', '/v1/health'],
    ['GET', '/metrics'],
    ['GET', '/nope'],
    ['OPTIONS', '/v1/models'],
  ] as const) {
    const { headers } = await gateway.send(path, { method, headers: { 'x-gw-trace-id': 'mine' } });
    expect(headers['x-gw-trace-id'], path).toBe('mine');
  }
  const malformed = (await sendBytes(gateway.port, 'GET / HTTP/1.1\r\nno colon\r\n\r\n')).toString();
  expect(malformed).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(malformed).toMatch(/\r\nx-gw-trace-id: [0-9a-f-]{36}\r\n/);
  expect(JSON.parse(malformed.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'header_invalid' } });
});

test('errors outside the pipeline are readable for browsers', async () => {
  await using gateway = await startGateway({ entries: [workspace(), key()], env });
  const { headers } = await gateway.send('/nope', { headers: { origin: 'https://app.example' } });
  expect(headers['access-control-allow-origin']).toBe('https://app.example');
});

test('errors of /v1/messages have their own format, also outside the pipeline', async () => {
  await using gateway = await startGateway();
  const early = await gateway.send('/v1/messages', { body: {} });
  expect(early.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  const unrouted = await gateway.send('/v1/messages', { method: 'PATCH' });
  expect(unrouted.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  await gateway.load(workspace(), key());
  const proxied = await gateway.send('/v1/messages/batches', { body: {} });
  expect(proxied.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
});

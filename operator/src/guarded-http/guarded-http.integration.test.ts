import { err } from '@gatehouse/crds';
import { expect, test } from 'vitest';
import { startStub } from '../secret-managers/testing.ts';
import { createHttp, type HttpCall } from './guarded-http.ts';

const call = (url: string, reach: HttpCall['reach']): HttpCall => ({ method: 'GET', url, reach });

test.for<[string, HttpCall['reach']]>([
  ['https://10.0.0.1/', 'public'],
  ['https://192.168.1.1:8200/', 'public'],
  ['https://[fd00::1]/', 'public'],
  ['https://[::ffff:10.0.0.1]/', 'public'],
  ['https://127.0.0.1/', 'public'],
  ['https://127.0.0.1/', 'cluster'],
  ['https://localhost/', 'cluster'],
  ['https://169.254.169.254/', 'public'],
  ['https://169.254.169.254/', 'cluster'],
  ['http://169.254.169.254/', 'machine'],
  ['https://metadata.google.internal/', 'machine'],
  ['https://kubernetes.default.svc/', 'cluster'],
  ['https://vault.gatehouse-system.svc/', 'cluster'],
  ['https://vault.example.com:6379/', 'machine'],
  ['http://vault.example.com/', 'public'],
  ['https://user:password@vault.example.com/', 'public'],
  ['https://0x7f.1/', 'public'],
])('%s is refused with the reach %s', async ([url, reach], { signal }) => {
  const http = createHttp({ ownNamespaces: ['gatehouse-system'] });
  expect(await http(call(url, reach), signal)).toEqual(err('HostRefused'));
});

test.for<HttpCall['reach']>(['public', 'cluster'])(
  'a name that resolves to the own machine is refused with the reach %s',
  async (reach, { signal }) => {
    await using stub = await startStub(() => ({ body: 'canary' }));
    const { port } = new URL(stub.origin);
    const http = createHttp({ ownNamespaces: [], originOf: () => `http://localhost:${port}` });
    expect(await http(call('https://vault.example.com/', reach), signal)).toEqual(err('HostRefused'));
    expect(stub.seen).toEqual([]);
    expect((await http(call('https://vault.example.com/', 'machine'), signal)).ok).toBe(true);
  },
);

test('no more of an answer is read than is asked for', async ({ signal }) => {
  await using stub = await startStub(() => ({ headers: { 'x-test': 'a' }, body: 'x'.repeat(50_000) }));
  const http = createHttp({ ownNamespaces: [], maxBytes: 10 });
  const asked = { ...call(stub.origin, 'machine'), until: (text: string) => text.length > 0 };
  expect(await http(call(stub.origin, 'machine'), signal)).toEqual(err('TooLarge'));
  const open = createHttp({ ownNamespaces: [] });
  expect(await open(asked, signal)).toMatchObject({ ok: true, value: { status: 200, headers: { 'x-test': 'a' } } });
});

import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { cancelledBy } from '../../lib/testing.ts';
import type { RemoteMedia } from '../../wire/gemini/index.ts';
import type { ProviderServices, SideAnswer, SideRequest } from '../contract.ts';
import { downloadMedia, MAX_MEDIA_BYTES, MAX_MEDIA_COUNT } from './download-media.ts';

type Fetch = (request: SideRequest) => Promise<SideAnswer>;

const services = (fetch: Fetch): ProviderServices => ({
  fetch,
  cached: async (_key, make) => (await make()).value,
  env: () => undefined,
  now: () => 0,
});

const answer = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): SideAnswer => ({
  status,
  headers,
  body: Buffer.from(body),
});
const remote = (url: string, mimeType?: string): RemoteMedia => ({ url, mimeType });
const URL_A = 'https://x.example/a.png';

const download = (list: readonly RemoteMedia[], fetch: Fetch, signal: CancelSignal = new Cancellation()) =>
  downloadMedia(list, { services: services(fetch), signal });

describe('remote media', () => {
  test.for([
    {
      rule: 'the client',
      item: remote(URL_A, 'image/heic'),
      headers: { 'content-type': 'image/webp' },
      want: 'image/heic',
    },
    { rule: 'the server', item: remote(URL_A), headers: { 'content-type': 'Image/WebP; q=1' }, want: 'image/webp' },
    {
      rule: 'the extension',
      item: remote(URL_A),
      headers: { 'content-type': 'application/octet-stream' },
      want: 'image/png',
    },
    { rule: 'the default', item: remote('https://x.example/a'), headers: {}, want: 'image/jpeg' },
  ])(
    'are typed by $rule',
    async ({ item, headers, want }: { item: RemoteMedia; headers: Record<string, string>; want: string }) => {
      const media = unwrap(await download([item], async () => answer('hi', headers)));
      expect(media.get(item.url)).toEqual({ mimeType: want, data: 'aGk=' });
    },
  );

  test('share one limit of bytes', async () => {
    const limits: (number | undefined)[] = [];
    const list = [remote('https://x.example/1'), remote('https://x.example/2')];
    const got = await download(list, async ({ maxBytes }) => {
      limits.push(maxBytes);
      return answer(Buffer.alloc(MAX_MEDIA_BYTES - 1));
    });
    expect(limits).toEqual([MAX_MEDIA_BYTES, 1]);
    expect(got).toMatchObject({ ok: false, error: { code: 'PARAMETER_INVALID', param: 'messages' } });
  });

  test('are not downloaded at all when there are too many', async () => {
    const list = Array.from({ length: MAX_MEDIA_COUNT + 1 }, (_, at) => remote(`https://x.example/${at}`));
    const got = await download(list, () => Promise.reject(new Error('boom')));
    expect(got).toMatchObject({ ok: false, error: { code: 'PARAMETER_INVALID' } });
  });

  test.for([
    { rule: 'a status', fetch: async () => answer('', {}, 302) },
    { rule: 'a refused address', fetch: () => Promise.reject(new AppError('UPSTREAM_ADDRESS_REFUSED')) },
    { rule: 'too many bytes', fetch: () => Promise.reject(new AppError('UPSTREAM_TOO_LARGE')) },
  ])('are a mistake of the request for $rule', async ({ fetch }: { fetch: Fetch }) => {
    expect(await download([remote(URL_A)], fetch)).toMatchObject({ ok: false, error: { code: 'PARAMETER_INVALID' } });
  });

  test('end with the call', async () => {
    const boom = new AppError('CLIENT_CLOSED');
    const work = download([remote(URL_A)], () => Promise.reject(boom), cancelledBy(boom));
    await expect(work).rejects.toBe(boom);
  });
});

import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { Cancellation } from '../lib/cancellation.ts';
import { unlimitedAccount } from '../lib/testing.ts';
import { BodyRelay, type UpstreamClient, type UpstreamRequest } from '../upstream/index.ts';
import { createProviderServices } from './services.ts';

function open(
  respond: (request: UpstreamRequest) => { status: number; body: string } = () => ({ status: 200, body: '{}' }),
) {
  const requests: UpstreamRequest[] = [];
  let time = 1_000;
  const client: UpstreamClient = {
    send: async (request) => {
      requests.push(request);
      const { status, body: text } = respond(request);
      const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: () => {} });
      body.push(Buffer.from(text));
      body.finish();
      return { status, headers: { 'set-cookie': ['a', 'b'], etag: 'e', gone: undefined }, body };
    },
    close: async () => {},
  };
  const limits = { headersTimeoutMs: 1, idleTimeoutMs: 1 };
  const servicesFor = createProviderServices({ client, limits, env: (name) => `env:${name}`, now: () => time });
  return {
    requests,
    services: servicesFor('resource', unlimitedAccount()),
    servicesFor,
    advance: (ms: number) => {
      time += ms;
    },
  };
}
const signal = new Cancellation();

describe('a side call', () => {
  test('is sent as it is and answered flat', async () => {
    const { services, requests } = open(() => ({ status: 404, body: 'no' }));
    const answer = await services.fetch(
      { method: 'POST', url: 'https://x.example/a/b?c=d', headers: { h: '1' }, body: 'text' },
      { signal },
    );
    expect(requests[0]).toMatchObject({ origin: 'https://x.example', path: '/a/b?c=d', headers: { h: '1' } });
    expect(String(requests[0]?.body)).toBe('text');
    expect(answer).toEqual({ status: 404, headers: { 'set-cookie': 'a, b', etag: 'e' }, body: Buffer.from('no') });
  });

  test.for([
    { kind: {}, want: 'request' },
    { kind: { metadata: true }, want: 'metadata' },
    { kind: { account: true }, want: 'resource' },
  ] as const)('of $kind may connect as $want', async ({ kind, want }) => {
    const { services, requests } = open();
    await services.fetch({ method: 'GET', url: 'https://x.example/', ...kind }, { signal });
    expect(requests[0]?.hostOrigin).toBe(want);
  });

  test('for an account that the request named connects as the request', async () => {
    const { servicesFor, requests } = open();
    await servicesFor('request', unlimitedAccount()).fetch(
      { method: 'GET', url: 'https://x.example/', account: true },
      { signal },
    );
    expect(requests[0]?.hostOrigin).toBe('request');
  });

  test('has a limit', async () => {
    const { services } = open(() => ({ status: 200, body: 'x'.repeat(11) }));
    const fetching = services.fetch({ method: 'GET', url: 'https://x.example/', maxBytes: 10 }, { signal });
    await expect(fetching).rejects.toMatchObject({ code: 'UPSTREAM_TOO_LARGE' });
  });
});

describe('what is made once', () => {
  test('is kept until it expires', async () => {
    const { services, advance } = open();
    let made = 0;
    const make = async () => {
      made += 1;
      return { value: made, ttlMs: 100 };
    };
    expect([await services.cached('k', make), await services.cached('k', make)]).toEqual([1, 1]);
    advance(99);
    expect(await services.cached('k', make)).toBe(1);
    advance(1);
    expect(await services.cached('k', make)).toBe(2);
    expect(await services.cached('other', make)).toBe(3);
  });

  test('is made once for all who ask at the same time', async () => {
    const { services } = open();
    const gate = Promise.withResolvers<void>();
    let made = 0;
    const make = async () => {
      made += 1;
      await gate.promise;
      return { value: made, ttlMs: 100 };
    };
    const asking = [1, 2, 3].map(() => services.cached('k', make));
    gate.resolve();
    expect(await Promise.all(asking)).toEqual([1, 1, 1]);
  });

  test('is shared by both kinds of accounts, since its key holds all it depends on', async () => {
    const { servicesFor } = open();
    await servicesFor('request', unlimitedAccount()).cached('k', async () => ({ value: 'v', ttlMs: 100 }));
    expect(await servicesFor('resource', unlimitedAccount()).cached('k', () => Promise.reject(new Error('boom')))).toBe(
      'v',
    );
  });

  test('is not kept when it fails, or lives no time', async () => {
    const { services } = open();
    await expect(services.cached('k', () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    expect(await services.cached('k', async () => ({ value: 1, ttlMs: 0 }))).toBe(1);
    expect(await services.cached('k', async () => ({ value: 2, ttlMs: 9 }))).toBe(2);
  });

  test('fails for all waiting calls when it fails without an abort', async () => {
    const { services } = open();
    const refused = new AppError('CREDENTIAL_UNAVAILABLE');
    const asking = [1, 2].map(() => services.cached('k', () => Promise.reject(refused)));
    expect(await Promise.allSettled(asking)).toMatchObject([{ reason: refused }, { reason: refused }]);
  });

  test.for(['CLIENT_CLOSED', 'UPSTREAM_TIMEOUT', 'DRAINING'] as const)(
    'is made anew when the request that began it is aborted: %s',
    async (code) => {
      const { services } = open();
      const gone = Promise.withResolvers<never>();
      const first = services.cached('k', () => gone.promise);
      let made = 0;
      const make = async () => {
        made += 1;
        return { value: `made ${made}`, ttlMs: 100 };
      };
      const others = [1, 2, 3].map(() => services.cached('k', make));
      gone.reject(new AppError(code));
      await expect(first).rejects.toMatchObject({ code });
      expect(await Promise.all(others)).toEqual(['made 1', 'made 1', 'made 1']);
    },
  );
});

test('the environment is read by name', () => {
  expect(open().services.env('AWS_REGION')).toBe('env:AWS_REGION');
});

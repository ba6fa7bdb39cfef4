import { describe, expect, test, vi } from 'vitest';
import { createResolver, type Lane, type ResolvedAddress } from './resolver.ts';

const ANSWER: readonly ResolvedAddress[] = [{ address: '8.8.8.8', family: 4 }];

/** A name server whose answers the test gives by hand. */
function scriptedLookup() {
  const open = new Map<string, PromiseWithResolvers<readonly ResolvedAddress[]>>();
  const asked: string[] = [];
  return {
    asked,
    open,
    lookup: (hostname: string) => {
      asked.push(hostname);
      const answer = Promise.withResolvers<readonly ResolvedAddress[]>();
      open.set(hostname, answer);
      return answer.promise.finally(() => open.delete(hostname));
    },
    answer: (hostname: string) => open.get(hostname)?.resolve(ANSWER),
  };
}

const names = (lane: Lane, count: number): string[] => Array.from({ length: count }, (_, i) => `${lane}-${i}.example`);

describe('name resolution', () => {
  test('runs at most three look-ups for requests and five in all, and all are answered in the end', async () => {
    const dns = scriptedLookup();
    const resolver = createResolver({ lookup: dns.lookup, deadlineMs: 5_000 });
    const requests = names('request', 20).map((name) => resolver.resolve(name, 'request'));
    expect(dns.open.size).toBe(3);
    const trusted = names('trusted', 20).map((name) => resolver.resolve(name, 'trusted'));
    expect(dns.open.size).toBe(5);
    const all = Promise.all([...requests, ...trusted]);
    while (dns.open.size > 0) {
      expect(dns.open.size).toBeLessThanOrEqual(5);
      expect([...dns.open.keys()].filter((name) => name.startsWith('request')).length).toBeLessThanOrEqual(3);
      for (const name of dns.open.keys()) dns.answer(name);
      await new Promise(setImmediate);
    }
    expect(await all).toHaveLength(40);
  });

  test('looks up once for all callers of the same name, and again afterwards', async () => {
    const dns = scriptedLookup();
    const resolver = createResolver({ lookup: dns.lookup, deadlineMs: 5_000 });
    const both = Promise.all([resolver.resolve('a.example', 'request'), resolver.resolve('a.example', 'request')]);
    dns.answer('a.example');
    expect(await both).toEqual([ANSWER, ANSWER]);
    const later = resolver.resolve('a.example', 'request');
    dns.answer('a.example');
    await later;
    expect(dns.asked).toEqual(['a.example', 'a.example']);
  });

  test('refuses when the queue is full', async () => {
    const dns = scriptedLookup();
    const resolver = createResolver({ lookup: dns.lookup, deadlineMs: 5_000, maxQueued: 2 });
    for (const name of names('request', 5)) resolver.resolve(name, 'request').catch(() => {});
    await expect(resolver.resolve('more.example', 'request')).rejects.toMatchObject({
      code: 'UPSTREAM_CONNECT_TIMEOUT',
    });
    expect(dns.asked).toHaveLength(3);
  });

  test('rejects with the error of the look-up', async () => {
    const boom = Object.assign(new Error('boom'), { code: 'ENOTFOUND' });
    const resolver = createResolver({ lookup: () => Promise.reject(boom), deadlineMs: 5_000 });
    await expect(resolver.resolve('a.example', 'trusted')).rejects.toBe(boom);
  });

  test('rejects at the deadline, and does not start look-ups without callers', async () => {
    vi.useFakeTimers();
    try {
      const dns = scriptedLookup();
      const resolver = createResolver({ lookup: dns.lookup, deadlineMs: 1_000 });
      const slow = names('request', 4).map((name) => resolver.resolve(name, 'request'));
      const failures = Promise.all(
        slow.map((promise) => expect(promise).rejects.toMatchObject({ code: 'UPSTREAM_CONNECT_TIMEOUT' })),
      );
      await vi.advanceTimersByTimeAsync(1_001);
      await failures;
      dns.answer('request-0.example');
      await vi.advanceTimersByTimeAsync(0);
      expect(dns.asked).toEqual(names('request', 3));
      const next = resolver.resolve('next.example', 'request');
      dns.answer('next.example');
      expect(await next).toEqual(ANSWER);
    } finally {
      vi.useRealTimers();
    }
  });
});

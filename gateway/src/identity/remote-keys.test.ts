/** Keys that are fetched: when, how often, and what remains while the issuer is away. */
import { createTokenIssuer } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { RemoteKeys } from './remote-keys.ts';

const one = (await createTokenIssuer({ kid: 'one' })).jwk;
const two = (await createTokenIssuer({ kid: 'two' })).jwk;
const URI = 'https://id.example/keys';

/** An issuer that answers what it is told, and a clock that the test moves. */
function createIssuer() {
  const issuer = { keys: [one] as unknown[], isAway: false, fetches: 0, outcomes: [] as boolean[] };
  const clock = { nowMs: 0 };
  let task: { readonly atMs: number; readonly run: () => void } | undefined;
  const open = (): RemoteKeys =>
    new RemoteKeys(URI, {
      fetchKeys: async () => {
        issuer.fetches += 1;
        if (issuer.isAway) throw new Error('away');
        return issuer.keys;
      },
      onFetch: (_, error) => issuer.outcomes.push(error === undefined),
      nowMs: () => clock.nowMs,
      random: () => 0.5,
      after: (ms, run) => {
        task = { atMs: clock.nowMs + ms, run };
        return () => {
          task = undefined;
        };
      },
    });
  /** Runs what is due until then. */
  const pass = async (ms: number): Promise<void> => {
    const untilMs = clock.nowMs + ms;
    while (task !== undefined && task.atMs <= untilMs) {
      clock.nowMs = task.atMs;
      const { run } = task;
      task = undefined;
      run();
      for (let i = 0; i < 10; i += 1) await Promise.resolve();
    }
    clock.nowMs = untilMs;
  };
  return { issuer, open, pass };
}

describe('keys at a URL', () => {
  test('are fetched at once, and a known key is found without waiting', async () => {
    const { issuer, open } = createIssuer();
    const keys = open();
    const first = keys.find('one', 'RS256');
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBeDefined();
    expect(keys.find('one', 'RS256')).toBe(await first);
    expect(issuer.fetches).toBe(1);
  });

  test('are fetched again every five minutes, and one that is gone verifies nothing more', async () => {
    const { issuer, open, pass } = createIssuer();
    const keys = open();
    const old = await keys.find('one', 'RS256');
    issuer.keys = [two];
    await pass(299_999);
    expect(issuer.fetches).toBe(1);
    await pass(1);
    expect(issuer.fetches).toBe(2);
    expect(old !== undefined && keys.has(old)).toBe(false);
    expect(keys.find('two', 'RS256')).toBeDefined();
  });

  test('that stay the same are the same objects', async () => {
    const { issuer, open, pass } = createIssuer();
    const keys = open();
    const known = await keys.find('one', 'RS256');
    issuer.keys = [two, { ...one }];
    await pass(300_000);
    expect(keys.find('one', 'RS256')).toBe(known);
  });

  test('are fetched for a key that is not known, once in ten seconds', async () => {
    const { issuer, open, pass } = createIssuer();
    const keys = open();
    await keys.find('one', 'RS256');
    issuer.keys = [one, two];
    expect(await keys.find('two', 'RS256')).toBeUndefined();
    await pass(10_000);
    const both = [keys.find('two', 'RS256'), keys.find('three', 'RS256')];
    expect(await both[0]).toBeDefined();
    expect(await both[1]).toBeUndefined();
    expect(issuer.fetches).toBe(2);
    for (let i = 0; i < 100; i += 1) expect(await keys.find(`forged-${i}`, 'RS256')).toBeUndefined();
    expect(issuer.fetches).toBe(2);
  });

  test.for<{ what: string; change: (issuer: { keys: unknown[]; isAway: boolean }) => void }>([
    { what: 'is away', change: (issuer) => Object.assign(issuer, { isAway: true }) },
    { what: 'publishes nothing', change: (issuer) => Object.assign(issuer, { keys: [] }) },
    {
      what: 'publishes no keys for signatures',
      change: (issuer) => Object.assign(issuer, { keys: [{ ...two, use: 'enc' }] }),
    },
  ])('are kept while the issuer $what, which is tried again less and less often', async ({ change }) => {
    const { issuer, open, pass } = createIssuer();
    const keys = open();
    const known = await keys.find('one', 'RS256');
    change(issuer);
    await pass(300_000);
    expect(issuer.outcomes).toEqual([true, false]);
    await pass(3_600_000);
    expect(issuer.fetches).toBeGreaterThan(12);
    expect(issuer.fetches).toBeLessThan(25);
    expect(keys.find('one', 'RS256')).toBe(known);
    Object.assign(issuer, { isAway: false, keys: [two] });
    await pass(300_000);
    expect(keys.find('two', 'RS256')).toBeDefined();
  });

  test('that were never fetched are an error, not a refusal', async () => {
    const { issuer, open, pass } = createIssuer();
    issuer.isAway = true;
    const keys = open();
    await expect(keys.find('one', 'RS256')).rejects.toMatchObject({ code: 'ISSUER_KEYS_UNAVAILABLE' });
    await expect(keys.find('one', 'RS256')).rejects.toMatchObject({ code: 'ISSUER_KEYS_UNAVAILABLE' });
    expect(issuer.fetches).toBe(1);
    issuer.isAway = false;
    await pass(2_000);
    expect(keys.find('one', 'RS256')).toBeDefined();
  });

  test('are not fetched any more when nobody needs them', async () => {
    const { issuer, open, pass } = createIssuer();
    const keys = open();
    await keys.find('one', 'RS256');
    keys.close();
    await pass(3_600_000);
    expect(issuer.fetches).toBe(1);
  });
});

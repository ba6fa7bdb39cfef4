/** Scope, expiry and rates of a key: what stands between identification and the request itself. */
import { describe, expect, test } from 'vitest';
import { Cancellation } from '../lib/cancellation.ts';
import { createConcurrency, createMemoryLimiter, type Limiter } from '../limits/index.ts';
import type { KeyRecord } from '../snapshot/index.ts';
import { admit, holdConcurrencySlot } from './admit.ts';
import { authorize, authorizeUpstream } from './authorize.ts';
import type { Caller } from './exchange.ts';
import { OPERATIONS } from './operations/index.ts';

const NOW = Date.UTC(2026, 0, 1);

function caller(over: Partial<KeyRecord> = {}): Caller {
  const key: KeyRecord = {
    id: 'key/team-a/main',
    name: 'main',
    workspace: 'team-a',
    scopes: new Set(['completions.write']),
    defaults: { allowConfigOverride: true },
    rateLimits: [],
    expiresAtMs: Number.POSITIVE_INFINITY,
    user: undefined,
    ...over,
  };
  const workspace = { name: 'team-a', savedConfigsOnly: false, defaults: {} };
  return { key, keyHash: 'h', keyHeaders: new Set(['x-gw-api-key']), workspace, credential: undefined };
}

describe('a scope', () => {
  test.for<{ scopes: string[]; operation: keyof typeof OPERATIONS; want: boolean }>([
    { scopes: ['completions.write'], operation: 'chatComplete', want: true },
    { scopes: ['completions.write'], operation: 'proxy', want: true },
    { scopes: ['completions.write'], operation: 'listModels', want: true },
    { scopes: ['virtual_keys.list'], operation: 'listModels', want: true },
    { scopes: ['models.list'], operation: 'listModels', want: true },
    { scopes: ['models.list'], operation: 'chatComplete', want: false },
    { scopes: ['*'], operation: 'messages', want: true },
    { scopes: ['completions.*'], operation: 'messages', want: false },
    { scopes: [], operation: 'embed', want: false },
  ])('$scopes opens $operation: $want', ({ scopes, operation, want }) => {
    const check = (): void => authorize(caller({ scopes: new Set(scopes) }), OPERATIONS[operation]);
    if (want) check();
    else expect(check).toThrow(expect.objectContaining({ code: 'SCOPE_MISSING' }));
  });

  test.for<{ scopes: string[]; want: boolean }>([
    { scopes: ['completions.write'], want: true },
    { scopes: ['models.list'], want: true },
    { scopes: ['*'], want: true },
    { scopes: ['virtual_keys.list'], want: false },
  ])('$scopes lists the models of a provider: $want', ({ scopes, want }) => {
    const check = (): void => authorizeUpstream(caller({ scopes: new Set(scopes) }), OPERATIONS.listModels);
    if (want) check();
    else
      expect(check).toThrow(
        expect.objectContaining({ code: 'SCOPE_MISSING', message: expect.stringContaining('models.list') }),
      );
  });

  test('of completions opens every operation', () => {
    for (const operation of Object.values(OPERATIONS)) authorize(caller(), operation);
  });
});

describe('a key', () => {
  const POST = { method: 'POST', path: '/v1/chat/completions' };
  const code = async (given: Caller, limiter: Limiter, now = NOW, request = POST): Promise<string | undefined> => {
    try {
      await admit(given, request, { limiter, now: () => now });
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test('expires at its time, by the clock of the gateway', async () => {
    const expiring = caller({ expiresAtMs: NOW });
    expect(await code(expiring, createMemoryLimiter(), NOW - 1)).toBeUndefined();
    expect(await code(expiring, createMemoryLimiter(), NOW)).toBe('KEY_EXPIRED');
  });

  test('that has expired consumes nothing', async () => {
    const limiter = createMemoryLimiter();
    const rateLimits = [{ type: 'requests' as const, unit: 'rpm' as const, value: 1 }];
    await code(caller({ rateLimits, expiresAtMs: 0 }), limiter);
    expect(await code(caller({ rateLimits }), limiter)).toBeUndefined();
  });

  test('beyond its rate says when to come back, also from a limiter that takes its time', async () => {
    const rateLimits = [{ type: 'requests' as const, unit: 'rpm' as const, value: 1 }];
    const limiter = createMemoryLimiter();
    const slow: Limiter = { ...limiter, reserve: async (...args) => limiter.reserve(...args) };
    for (const by of [limiter, slow]) {
      const limited = caller({ id: `key-${by === slow}`, rateLimits });
      await admit(limited, POST, { limiter: by, now: () => NOW });
      const denied = await Promise.resolve()
        .then(() => admit(limited, POST, { limiter: by, now: () => NOW + 1_000 }))
        .catch((error: unknown) => error);
      expect(denied).toMatchObject({ code: 'KEY_RATE_LIMITED', retryAfterMs: 59_000 });
    }
  });

  test.for([
    { method: 'GET', path: '/v1/batches', free: true },
    { method: 'GET', path: '/v1/files/file-1/content', free: true },
    { method: 'GET', path: '/v1/fine_tuning/jobs/1', free: true },
    { method: 'POST', path: '/v1/files', free: false },
    { method: 'DELETE', path: '/v1/files/file-1', free: false },
    { method: 'GET', path: '/v1/filesystem', free: false },
    { method: 'GET', path: '/v1/models', free: false },
  ])('asks for $method $path for free: $free, but not after it has expired', async ({ free, ...request }) => {
    const limiter = createMemoryLimiter();
    const rateLimits = [{ type: 'requests' as const, unit: 'rpm' as const, value: 1 }];
    await code(caller({ rateLimits }), limiter);
    expect(await code(caller({ rateLimits }), limiter, NOW, request)).toBe(free ? undefined : 'KEY_RATE_LIMITED');
    expect(await code(caller({ expiresAtMs: NOW }), limiter, NOW, request)).toBe('KEY_EXPIRED');
  });

  test('without limits never asks the limiter', async () => {
    const fail = (): never => {
      throw new Error('boom');
    };
    const broken: Limiter = { ask: fail, reserve: fail, close: async () => {} };
    expect(await code(caller(), broken)).toBeUndefined();
  });
});

describe('a slot of a key', () => {
  const request = (signal = new Cancellation()) => {
    const tasks: (() => void)[] = [];
    return {
      signal,
      atEnd: (task: () => void) => tasks.push(task),
      end: () => {
        for (const task of tasks) task();
      },
    };
  };

  test('is held until the request ends, also where granting it takes time', async () => {
    const memory = createConcurrency(1);
    const other = createConcurrency(1);
    for (const concurrency of [memory, { enter: async (subject: string) => other.enter(subject) }]) {
      const first = request();
      await holdConcurrencySlot(caller(), first, { concurrency });
      const second = async () => holdConcurrencySlot(caller(), request(), { concurrency });
      await expect(second()).rejects.toMatchObject({ code: 'KEY_CONCURRENCY_EXCEEDED' });
      first.end();
      await expect(second()).resolves.toBeUndefined();
    }
  });

  test('is returned at once when the request has ended before it was granted', async () => {
    const memory = createConcurrency(1);
    const cancellation = new Cancellation();
    const held = holdConcurrencySlot(caller(), request(cancellation), {
      concurrency: { enter: async (subject) => memory.enter(subject) },
    });
    cancellation.cancel(new Error('gone'));
    await expect(held).rejects.toThrow('gone');
    expect(memory.enter(caller().key.id)).toBeDefined();
  });
});

/** Expiry and limits of key and workspace: what a request meets before it is read. */
import type { RateLimitBody } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { createMemoryLimiter, type Limiter } from '../../limits/index.ts';
import type { KeyRecord, WorkspaceRecord } from '../../snapshot/index.ts';
import { compileLimits } from '../../snapshot/owner-limits.ts';
import { limitPorts } from '../testing.ts';
import { admit, type LimitLog } from './entry.ts';

const NOW = Date.UTC(2026, 0, 1);
const POST = { method: 'POST', path: '/v1/chat/completions' };
const rate = (value: number, over: Partial<RateLimitBody> = {}): RateLimitBody => ({
  type: 'requests',
  unit: 'rpm',
  value,
  ...over,
});

interface Given {
  readonly id?: string;
  readonly expiresAtMs?: number;
  readonly rateLimits?: readonly RateLimitBody[];
  readonly workspaceLimits?: readonly RateLimitBody[];
}

function caller({ id = 'key/team-a/main', expiresAtMs = Number.POSITIVE_INFINITY, ...given }: Given = {}) {
  const limits = (subject: string, rateLimits: readonly RateLimitBody[] = []) =>
    compileLimits({ subject, workspace: 'team-a' }, { rateLimits });
  const key: KeyRecord = {
    id,
    name: 'main',
    workspace: 'team-a',
    scopes: new Set(['completions.write']),
    defaults: { allowConfigOverride: true },
    limits: limits(id, given.rateLimits),
    expiresAtMs,
    user: undefined,
  };
  const workspace: WorkspaceRecord = {
    name: 'team-a',
    savedConfigsOnly: false,
    defaults: {},
    limits: limits('workspace/team-a/team-a', given.workspaceLimits),
  };
  return { key, workspace };
}

describe('a key', () => {
  const code = async (
    given: ReturnType<typeof caller>,
    limiter: Limiter,
    now = NOW,
    request = POST,
  ): Promise<string | undefined> => {
    try {
      await admit(given, request, limitPorts({ limiter, now: () => now }));
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
    const rateLimits = [rate(1)];
    await code(caller({ rateLimits, expiresAtMs: 0 }), limiter);
    expect(await code(caller({ rateLimits }), limiter)).toBeUndefined();
  });

  test('beyond its rate says when to come back, also from a limiter that takes its time', async () => {
    const rateLimits = [rate(1)];
    const limiter = createMemoryLimiter();
    const slow: Limiter = { ...limiter, reserve: async (...args) => limiter.reserve(...args) };
    for (const by of [limiter, slow]) {
      const limited = caller({ id: `key-${by === slow}`, rateLimits });
      await admit(limited, POST, limitPorts({ limiter: by, now: () => NOW }));
      const denied = await Promise.resolve()
        .then(() => admit(limited, POST, limitPorts({ limiter: by, now: () => NOW + 1_000 })))
        .catch((error: unknown) => error);
      expect(denied).toMatchObject({ code: 'KEY_RATE_LIMITED', retryAfterMs: 59_000 });
    }
  });

  test.for([
    { method: 'GET', path: '/v1/batches', free: true },
    { method: 'GET', path: '/v1/messages/batches/b/results', free: true },
    { method: 'GET', path: '/v1/messages/batchesx', free: false },
    { method: 'GET', path: '/v1/files/file-1/content', free: true },
    { method: 'GET', path: '/v1/fine_tuning/jobs/1', free: true },
    { method: 'POST', path: '/v1/batches/b/cancel', free: true },
    { method: 'POST', path: '/v1/messages/batches/b/cancel', free: true },
    { method: 'POST', path: '/v1/fine_tuning/jobs/j/cancel/', free: true },
    { method: 'POST', path: '/v1/batches', free: false },
    { method: 'POST', path: '/v1/batches/cancel', free: false },
    { method: 'POST', path: '/v1/files', free: false },
    { method: 'DELETE', path: '/v1/files/file-1', free: false },
    { method: 'GET', path: '/v1/filesystem', free: false },
    { method: 'GET', path: '/v1/models', free: false },
  ])('asks for $method $path for free: $free, but not after it has expired', async ({ free, ...request }) => {
    const limiter = createMemoryLimiter();
    const rateLimits = [rate(1)];
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

describe('a workspace', () => {
  test('beyond its rate refuses every key, and takes nothing of the key that is refused', async () => {
    const limiter = createMemoryLimiter();
    const ports = limitPorts({ limiter, now: () => NOW });
    const workspaceLimits = [rate(2)];
    for (const id of ['key/team-a/a', 'key/team-a/b']) await admit(caller({ id, workspaceLimits }), POST, ports);
    const limited = caller({ rateLimits: [rate(1)], workspaceLimits });
    expect(() => admit(limited, POST, ports)).toThrow(
      expect.objectContaining({
        code: 'WORKSPACE_RATE_LIMITED',
        message: 'The workspace team-a exceeded its limit of 2 requests per minute',
        retryAfterMs: 60_000,
      }),
    );
    await admit(caller({ rateLimits: [rate(1)] }), POST, ports);
  });
});

describe('a limit of tokens', () => {
  test('lets requests in as long as a token is left, and takes none', async () => {
    const limiter = createMemoryLimiter();
    const ports = limitPorts({ limiter, now: () => NOW });
    const limited = caller({ rateLimits: [rate(10, { type: 'tokens' })] });
    for (let i = 0; i < 20; i += 1) await admit(limited, POST, ports);
    const [tokens] = limited.key.limits.tokens;
    if (tokens === undefined) throw new Error('the key has a limit of tokens');
    limiter.reserve([{ ...tokens, cost: 10 }], NOW);
    expect(() => admit(limited, POST, ports)).toThrow(
      expect.objectContaining({ message: 'The API key main exceeded its limit of 10 tokens per minute' }),
    );
  });
});

describe('the trail of a request', () => {
  test('has a verdict of every limit and the windows nearest to their end, also of the one that denies', async () => {
    const ports = limitPorts({ limiter: createMemoryLimiter(), now: () => NOW + 15_500 });
    const limited = caller({
      rateLimits: [rate(1), rate(50, { type: 'tokens' })],
      workspaceLimits: [rate(5, { unit: 'rpd' })],
    });
    const log: LimitLog = {};
    await admit(limited, POST, ports, log);
    expect(log.limits?.verdicts()).toEqual([
      { id: 'key/team-a/main requests rpm', passed: true },
      { id: 'key/team-a/main tokens rpm', passed: true },
      { id: 'workspace/team-a/team-a requests rpd', passed: true },
    ]);
    const headers = {};
    log.limits?.addHeaders(headers);
    expect(headers).toEqual({
      'ratelimit-policy': '"key-requests-rpm";q=1;w=60, "key-tokens-rpm";q=50;w=60;qu="tokens"',
      ratelimit: '"key-requests-rpm";r=0;t=45, "key-tokens-rpm";r=50;t=45',
    });

    const denied: LimitLog = {};
    expect(() => admit(limited, POST, ports, denied)).toThrow();
    expect(denied.limits?.verdicts()).toEqual([{ id: 'key/team-a/main requests rpm', passed: false }]);
    const onError = {};
    denied.limits?.addHeaders(onError);
    expect(onError).toMatchObject({ ratelimit: '"key-requests-rpm";r=0;t=45' });
  });

  test('is not made for callers without limits', async () => {
    const log: LimitLog = {};
    await admit(caller(), POST, limitPorts({ limiter: createMemoryLimiter(), now: () => NOW }), log);
    expect(log).toEqual({});
  });
});

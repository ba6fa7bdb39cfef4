/** Scope and concurrency of a key: what stands between identification and the request itself. */
import { describe, expect, test } from 'vitest';
import { Cancellation } from '../lib/cancellation.ts';
import { createConcurrency } from '../limits/index.ts';
import { type KeyRecord, NO_LIMITS } from '../snapshot/index.ts';
import { authorize, authorizeUpstream } from './authorize.ts';
import { holdConcurrencySlot } from './concurrency.ts';
import type { Caller } from './exchange.ts';
import { OPERATIONS } from './operations/index.ts';

function caller(over: Partial<KeyRecord> = {}): Caller {
  const key: KeyRecord = {
    id: 'key/team-a/main',
    name: 'main',
    workspace: 'team-a',
    scopes: new Set(['completions.write']),
    defaults: { allowConfigOverride: true },
    limits: NO_LIMITS,
    expiresAtMs: Number.POSITIVE_INFINITY,
    user: undefined,
    ...over,
  };
  const workspace = { name: 'team-a', savedConfigsOnly: false, defaults: {}, limits: NO_LIMITS };
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

  test('that is missing is told as far as the key could have it', () => {
    const scopes = ['organisation_service_api_keys.rotate', 'workspace_service_api_keys.rotate'];
    const told = (workspace: string | null, wanted: readonly string[]): unknown => {
      try {
        return authorize(caller({ workspace }), { ...OPERATIONS.embed, scopes: wanted });
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    expect(told('team-a', scopes)).toMatch(/needs the scope workspace_service_api_keys\.rotate$/);
    expect(told(null, scopes)).toContain(scopes.join(' or '));
    expect(told('team-a', scopes.slice(0, 1))).toContain(scopes[0]);
  });

  test('of completions opens every operation that may call a provider', () => {
    const { promptRender, ...calling } = OPERATIONS;
    for (const operation of Object.values(calling)) authorize(caller(), operation);
    expect(() => authorize(caller(), promptRender)).toThrow(expect.objectContaining({ code: 'SCOPE_MISSING' }));
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

/** GET /v1/models from the gateway's own catalogue, and the breaker's bookkeeping. */
import { config, type Entries, fakeRequest, provider, snapshot, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { PROVIDERS } from '../providers/register.ts';
import { compilePlan, type Leaf } from '../routing/index.ts';
import { createSnapshotHolder, type SnapshotView } from '../snapshot/index.ts';
import { createMemoryCircuitStore, createStoreBreaker } from '../store/index.ts';
import type { AttemptOutcome } from './attempt/index.ts';
import { type CircuitBreakerPort, openCircuits, recordCircuit } from './circuit-breakers.ts';
import type { Caller, Exchange } from './exchange.ts';
import { catalogueAnswer, wantsCatalogue } from './models.ts';
import { OPERATIONS } from './operations/index.ts';
import type { Resolution } from './resolve/index.ts';

async function view(...entries: Entries): Promise<SnapshotView> {
  const holder = createSnapshotHolder({ providers: PROVIDERS });
  await holder.load(1, snapshot(...entries));
  if (holder.current === undefined) throw new Error(holder.status.rejected?.reason);
  return holder.current;
}

const world = await view(
  workspace(),
  provider('a', { models: ['m1', 'm2'] }),
  provider('b', { provider: 'anthropic', models: ['m3'] }),
  provider('unlisted'),
  provider('shared', { workspace: null, grants: ['*'], models: ['m4'] }),
  provider('secret', { workspace: null, grants: ['team-b'], models: ['m5'] }),
  config('breaking', {
    strategy: { mode: 'fallback', cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } },
    targets: [{ provider: '@a' }, { provider: '@b' }],
  }),
);

const caller = { workspace: { name: 'team-a' } } as unknown as Caller; // all that is looked at
const PLAIN = compilePlan({}, { saved: undefined, credential: () => undefined });
const savedPlan = world.config('team-a', 'breaking')?.plan;
if (savedPlan === undefined) throw new Error('no plan');

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly operation?: keyof typeof OPERATIONS;
  readonly resolution?: Partial<Resolution>;
}
const ask = ({ headers = {}, operation = 'listModels', resolution = {} }: Asked) => ({
  exchange: {
    operation: OPERATIONS[operation],
    request: fakeRequest({ headers }),
    snapshot: world,
  } as unknown as Exchange, // all that is looked at
  caller,
  resolution: { plan: PLAIN, requestProvider: undefined, ...resolution } as unknown as Resolution, // as above
});
const named = (slug: string): Partial<Resolution> => {
  const record = world.provider('team-a', slug);
  if (record === undefined) throw new Error(`no provider ${slug}`);
  return { requestProvider: { kind: 'managed', record } };
};
const FORCE = { 'x-gw-fetch-integrated-models': ' True' };

describe('the catalogue', () => {
  test.for<{ rule: string; asked: Asked; want: boolean }>([
    { rule: 'answers when nothing names a provider', asked: {}, want: true },
    { rule: 'leaves it to the provider that is named', asked: { resolution: named('a') }, want: false },
    { rule: 'leaves it to the config that names one', asked: { resolution: { plan: savedPlan } }, want: false },
    { rule: 'answers when it is asked for', asked: { headers: FORCE, resolution: named('a') }, want: true },
    {
      rule: 'answers when the config asks for it',
      asked: { resolution: { plan: { ...savedPlan, fetchIntegratedModels: true } } },
      want: true,
    },
    { rule: 'answers nothing else', asked: { operation: 'chatComplete', headers: FORCE }, want: false },
  ])('$rule', ({ asked, want }) => {
    expect(wantsCatalogue(ask(asked))).toBe(want);
  });

  test.for<{ rule: string; asked: Asked; want: string[] }>([
    { rule: 'lists what the workspace may use', asked: {}, want: ['@a/m1', '@a/m2', '@b/m3', '@shared/m4'] },
    {
      rule: 'lists only the provider that is named',
      asked: { headers: FORCE, resolution: named('b') },
      want: ['@b/m3'],
    },
    {
      rule: 'lists only those of the config',
      asked: { headers: FORCE, resolution: { plan: savedPlan } },
      want: ['@a/m1', '@a/m2', '@b/m3'],
    },
    {
      rule: 'lists everything when a target of the config may be any',
      asked: { headers: FORCE, resolution: { plan: { ...savedPlan, hasPassthrough: true } } },
      want: ['@a/m1', '@a/m2', '@b/m3', '@shared/m4'],
    },
    { rule: 'may be empty', asked: { headers: FORCE, resolution: named('unlisted') }, want: [] },
  ])('$rule', ({ asked, want }) => {
    const { headers, bytes } = catalogueAnswer(ask(asked));
    const body = JSON.parse(bytes.toString());
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(body).toMatchObject({ object: 'list', total: want.length });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(want);
  });

  test('says which model, of whom', () => {
    const { bytes } = catalogueAnswer(ask({ headers: FORCE, resolution: named('b') }));
    expect(JSON.parse(bytes.toString()).data).toEqual([
      { id: '@b/m3', slug: 'm3', object: 'model', created: 0, owned_by: 'anthropic' },
    ]);
  });
});

describe('the health of targets', () => {
  const input = { caller, resolution: { plan: savedPlan } as unknown as Resolution }; // all that is looked at
  const leaves = savedPlan.root.kind === 'branch' ? (savedPlan.root.children as Leaf[]) : [];
  const NOW = 1_760_000_000_000;
  const KEY = `{circuit_breaker:default:team-a:breaking}:${savedPlan.version}`;

  function open() {
    let time = NOW;
    const errors: unknown[] = [];
    const circuits = createMemoryCircuitStore({ now: () => time });
    const health: CircuitBreakerPort = {
      circuits,
      storeBreaker: createStoreBreaker({ onError: (error) => errors.push(error) }),
    };
    const record = (status: number, over: Partial<AttemptOutcome> = {}): void =>
      recordCircuit(health, input, { leaf: leaves[0], status, ...over } as AttemptOutcome); // all that is looked at
    return {
      health,
      errors,
      record,
      openNow: async (ms = 0) => {
        time = NOW + ms;
        return [...(await openCircuits(health, input, time))];
      },
    };
  }

  test('is bad after a failure, and good again after the cool-down', async () => {
    const { record, openNow } = open();
    expect(await openNow()).toEqual([]);
    record(503);
    expect(await openNow()).toEqual(['config.targets[0]']);
    expect(await openNow(30_000)).toEqual(['config.targets[0]']);
    expect(await openNow(30_001)).toEqual([]);
    expect(await openNow(30_001)).toEqual([]);
  });

  test.for<{ rule: string; status: number; over?: object }>([
    { rule: 'a good answer', status: 200 },
    { rule: 'an answer that is neither', status: 404 },
    { rule: 'a client that left', status: 499, over: { error: { code: 'CLIENT_CLOSED' } } },
    {
      rule: 'a failure of a target without a breaker',
      status: 500,
      over: { leaf: { ...leaves[0], breaker: undefined } },
    },
  ])('is not touched by $rule', async ({ status, over }) => {
    const { record, openNow } = open();
    record(status, over as Partial<AttemptOutcome>);
    expect(await openNow()).toEqual([]);
  });

  test('does not count what the cache answered', async () => {
    const { health, record } = open();
    record(503);
    record(200, { cacheStatus: 'HIT' });
    record(200);
    const [counts] = [...(await health.circuits.read(KEY)).values()];
    expect(counts).toMatchObject({ failures: 1, successes: 1 });
  });

  test('is good as far as anyone knows when the store is away', async () => {
    const { errors } = open();
    const broken: CircuitBreakerPort = {
      circuits: {
        read: () => Promise.reject(new Error('boom')),
        record: () => Promise.reject(new Error('boom')),
        clear: () => Promise.reject(new Error('boom')),
      },
      storeBreaker: createStoreBreaker({ onError: (error) => errors.push(error) }),
    };
    expect([...(await openCircuits(broken, input, NOW))]).toEqual([]);
    recordCircuit(broken, input, { leaf: leaves[0], status: 500 } as AttemptOutcome); // all that is looked at
    await Promise.resolve();
    expect(errors).toHaveLength(2);
  });
});

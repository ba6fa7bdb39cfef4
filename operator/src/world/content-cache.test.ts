import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createStore, type KubeClient, type KubeObject } from '../runtime/index.ts';
import { type Translation, translate, type WorldObjects } from '../translate/index.ts';
import { createContentCache } from './content-cache.ts';
import type { CustomObject } from './kind-refs.ts';
import { createLiveWorld } from './world.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const silent = {
  isKnown: () => true,
  isDenied: () => false,
  beyond: new Set<never>(),
  subscribe: () => ({ [Symbol.dispose]: () => {} }),
};

interface ConfigOptions {
  readonly version?: string;
  readonly generation?: number;
  readonly text?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
function configOf(name: string, { version = '1', generation = 1, text = '', annotations }: ConfigOptions = {}) {
  const metadata = { name, namespace: 'team-a', uid: name, resourceVersion: version, generation };
  return {
    apiVersion: 'gatehouse.dev/v1alpha1',
    kind: 'GatewayConfig',
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { config: { provider: '@openai', overrideParams: { text } } },
  } satisfies CustomObject;
}

/** A world of one Kind of which so much is kept in the namespace, and an API server that has it all. */
function setup(limit: number) {
  const server = new Map<string, CustomObject>();
  const contents = createContentCache({
    // The one call that is made.
    client: { get: (async (_kind, { name }) => server.get(name)) as KubeClient['get'] },
    contentLimitOf: () => limit,
    annotations: ['gatehouse.dev/rotate'],
    log,
  });
  const configs = createStore<CustomObject>({ transform: contents.transformOf('GatewayConfig') });
  contents.follow('GatewayConfig', configs);
  const workspaces = createStore<CustomObject>();
  const metadata = { name: 'team-a', uid: 'w', resourceVersion: '1', generation: 1 };
  const spec = { namespace: 'team-a', quota: { bytes: 4_096 } };
  workspaces.put({ apiVersion: 'gatehouse.dev/v1alpha1', kind: 'Workspace', metadata, spec }, { initial: true });
  let changes = 0;
  const world = createLiveWorld({
    stores: {
      kinds: new Map([
        ['Workspace', workspaces],
        ['GatewayConfig', configs],
      ]),
      secrets: { ...silent, store: createStore() },
      namespaces: createStore<KubeObject>(),
      grants: undefined,
    },
    settings: {
      organisationNamespace: 'gatehouse-system',
      consent: 'implied',
      mintsKeys: false,
      caps: { rootTargets: 100, conditionalRootTargets: 1_000, nestedTargets: 50 },
    },
    namespaces: 'all',
    onChange: () => {
      changes += 1;
    },
    bytesOf: contents.bytesOf,
  });
  let last: Translation | undefined;
  const step = (): Translation => {
    last = translate(world.take(), last);
    contents.settle(last, world.touch);
    return last;
  };
  const put = (config: CustomObject): void => {
    server.set(config.metadata.name, config);
    configs.put(config, { initial: false });
  };
  return { configs, contents, put, step, world, changes: () => changes };
}

const specs = (configs: { readonly objects: ReadonlyMap<string, CustomObject> }) =>
  [...configs.objects].filter(([, { spec }]) => spec !== undefined).map(([key]) => key);
const servedIn = ({ snapshot }: Translation) =>
  snapshot.entries.filter(({ kind }) => kind === 'config').map(({ id }) => id);

describe('the content of a config', () => {
  test('is dropped once it has been read, and its entries stay', () => {
    const { configs, put, step, world } = setup(100_000);
    put(configOf('one'));
    expect(specs(configs)).toEqual(['team-a/one']);
    const made = step();
    expect(specs(configs)).toEqual([]);
    const again = step();
    expect(again.snapshot).toBe(made.snapshot);
    const objects: WorldObjects | undefined = world.take().resources.get('GatewayConfig');
    expect(objects?.get('team-a/one')).toMatchObject({ spec: undefined, weight: { units: expect.any(Number) } });
  });

  test('is not fetched for a change of its status', () => {
    const { configs, put, step } = setup(100_000);
    put(configOf('one'));
    const made = step();
    put(configOf('one', { version: '2' }));
    expect(specs(configs)).toEqual([]);
    expect(step().snapshot).toBe(made.snapshot);
  });

  test('is read again with every edit', () => {
    const { put, step } = setup(100_000);
    put(configOf('one', { text: 'before' }));
    step();
    put(configOf('one', { version: '2', generation: 2, text: 'after' }));
    expect(JSON.stringify(step().snapshot)).toContain('after');
  });

  test('is read as it is when its status changes before that', () => {
    const { put, step } = setup(100_000);
    put(configOf('one', { text: 'before' }));
    step();
    put(configOf('one', { version: '2', generation: 2, text: 'after' }));
    put(configOf('one', { version: '3', generation: 2, text: 'after' }));
    const { snapshot } = step();
    expect(JSON.stringify(snapshot)).toContain('after');
  });

  test('is not kept beyond the limit, and fetched where the quota admits it', async () => {
    const { configs, contents, put, step, changes } = setup(1_000);
    put(configOf('one', { text: 'x'.repeat(300) }));
    put(configOf('two', { text: 'x'.repeat(300) }));
    expect(specs(configs)).toEqual(['team-a/one']);
    expect(servedIn(step())).toEqual(['config/team-a/one']);
    const stop = new AbortController();
    const before = changes();
    const run = contents.run(stop.signal);
    await waitFor(() => changes() > before);
    expect(servedIn(step())).toEqual(['config/team-a/one', 'config/team-a/two']);
    stop.abort();
    await run;
  });

  test('is dropped when it is beyond the quota, and counts all the same', () => {
    const { configs, put, step } = setup(100_000);
    put(configOf('one', { text: 'x'.repeat(3_000) }));
    put(configOf('two', { text: 'x'.repeat(3_000) }));
    const made = step();
    expect(specs(configs)).toEqual([]);
    expect(made.verdicts.find(({ name }) => name === 'two')?.conditions.Accepted.reason).toBe('QuotaExceeded');
    expect(step().verdicts).toEqual(made.verdicts);
  });

  test('is not kept a second time in the annotations of others', () => {
    const { configs, put } = setup(100_000);
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'gatehouse.dev/rotate': '1' };
    put(configOf('one', { annotations }));
    expect(configs.get('team-a/one')?.metadata.annotations).toEqual({ 'gatehouse.dev/rotate': '1' });
  });

  test('is kept from the spec alone: neither metadata nor conditions of others are kept', () => {
    const { configs, put } = setup(100_000);
    const many = Array.from({ length: 15_000 }, (_, i) => `x-${i}`);
    const { metadata, ...config } = configOf('one', { annotations: { 'gatehouse.dev/rotate': 'x'.repeat(200_000) } });
    const owners = many.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name }));
    const conditions = [{ type: 'Ready', status: 'True' }, ...many.map((type) => ({ type, status: 'True' }))];
    put({
      ...config,
      metadata: {
        ...metadata,
        labels: Object.fromEntries(many.map((name) => [name, 'x'.repeat(63)])),
        finalizers: many,
        ownerReferences: owners,
      },
      status: { conditions },
    });
    const kept = configs.get('team-a/one');
    expect(JSON.stringify(kept).length).toBeLessThan(2_000);
    expect(kept?.status).toEqual({ conditions: [{ type: 'Ready', status: 'True' }] });
  });
});

test('many changes in one namespace are read by several translations', () => {
  const { put, step, changes } = setup(100_000_000);
  step();
  const names = ['one', 'two', 'three'];
  for (const name of names) put(configOf(name, { text: 'x'.repeat(1_500_000) }));
  const seen = (made: Translation): number => made.verdicts.filter(({ kind }) => kind === 'GatewayConfig').length;
  const before = changes();
  expect(seen(step())).toBe(2);
  expect(changes()).toBeGreaterThan(before);
  expect(seen(step())).toBe(3);
});

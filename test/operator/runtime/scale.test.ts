import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONDITION_TYPES, toCondition } from '@gatehouse/crds/conditions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Change,
  conditionOf,
  createCache,
  createStatusWriter,
  type KubeClient,
} from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import {
  CONFIG_MAPS,
  type ConfigMap,
  configMap,
  connectClient,
  installWidgets,
  QUICK,
  recordLog,
  running,
  widget,
} from './support.ts';

const OBJECTS = 10_000;
let cluster: ControlPlaneAccess;
let admin: KubeClient;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  admin = await connectClient(cluster);
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** Runs work for each number below `count`, 16 at a time. */
async function times(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

const heapMiB = (): number => process.memoryUsage().heapUsed / 2 ** 20;

test('ten thousand objects sync fast, fit in memory, and one edit is one change', async () => {
  const namespace = await cluster.createNamespace();
  const createdMs = performance.now();
  await times(OBJECTS, (i) =>
    admin.create(CONFIG_MAPS, configMap(namespace, `o${i}`, { value: `value ${i}` }), { signal }),
  );
  const createMs = performance.now() - createdMs;
  const cache = createCache({ client: admin, namespaces: [namespace], log: recordLog(), timing: QUICK });
  const store = cache.watch(CONFIG_MAPS, { fieldSelector: 'metadata.name!=kube-root-ca.crt' });
  let longestStallMs = 0;
  const watchdog = running(async (stop) => {
    for (let last = performance.now(); !stop.aborted; last = performance.now()) {
      await nextTurn();
      longestStallMs = Math.max(longestStallMs, performance.now() - last);
    }
  });
  const heapBefore = heapMiB();
  const startedMs = performance.now();
  await using _run = running((stop) => cache.run(stop));
  expect(await cache.synced({ signal, timeoutMs: 300_000 })).toMatchObject({ ok: true });
  const syncMs = performance.now() - startedMs;
  await watchdog[Symbol.asyncDispose]();
  expect(store.size).toBe(OBJECTS);
  const changes: Change<ConfigMap>[] = [];
  store.subscribe((change) => changes.push(change));
  const editedMs = performance.now();
  await admin.mergePatch(CONFIG_MAPS, { namespace, name: 'o42' }, { data: { value: 'new' } }, { signal });
  await waitFor(() => changes.length > 0);
  const seenMs = performance.now() - editedMs;
  expect(changes).toMatchObject([{ key: `${namespace}/o42`, initial: false, object: { data: { value: 'new' } } }]);
  console.log({ createMs, syncMs, heapMiB: heapMiB() - heapBefore, longestStallMs, seenMs });
  expect(syncMs, 'twenty pages on the same machine').toBeLessThan(createMs);
});

test('first statuses of many objects are written a few at a time', async () => {
  const kind = await installWidgets(cluster);
  const namespace = await cluster.createNamespace();
  await times(300, (i) => admin.create(kind, widget(kind, namespace, `w${i}`), { signal }));
  const outcomes: string[] = [];
  let [underWay, most] = [0, 0];
  const apply: typeof admin.apply = async (...call) => {
    underWay += 1;
    most = Math.max(most, underWay);
    return await admin.apply(...call).finally(() => {
      underWay -= 1;
    });
  };
  const writer = createStatusWriter({
    ...{ client: { apply }, fieldManager: 'status', kinds: [kind], conditionTypes: CONDITION_TYPES, log: recordLog() },
    requestedAtAnnotation: 'example.com/requestedAt',
    maxAtOnce: 4,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  await using _run = running((stop) => writer.run(stop));
  const draft = { conditions: [toCondition('Ready', 'True', { reason: 'Succeeded', message: 'Good' })] };
  const { items } = await admin.list(kind, { namespace, signal });
  for (const object of items) await writer.applyIfChanged(object, draft, { signal });
  await waitFor(() => outcomes.length === 300);
  expect(most).toBeLessThanOrEqual(4);
  expect(new Set(outcomes)).toEqual(new Set(['written']));
  const written = await admin.list(kind, { namespace, signal });
  expect(written.items.every((object) => conditionOf(object, 'Ready')?.status === 'True')).toBe(true);
});

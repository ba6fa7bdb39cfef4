import { CONDITION_TYPES } from '@gatehouse/crds/conditions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  conditionOf,
  createStatusWriter,
  done,
  EVENTS,
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeEvent,
  type StatusOutcome,
  stall,
  wait,
} from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CONFIG_MAPS, connectClient, installWidgets, recordLog, running, type Widget, widget } from './support.ts';
import { DIGEST_ANNOTATION, startWidgetController } from './widget-controller.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
let kind: KindRef<Widget>;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
  kind = await installWidgets(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const read = (namespace: string, name = 'w') => client.get(kind, { namespace, name }, { signal });
const readChild = (namespace: string) => client.get(CONFIG_MAPS, { namespace, name: 'w-child' }, { signal });
const readyOf = async (namespace: string) => conditionOf(await read(namespace), 'Ready');
const create = (namespace: string, spec: Widget['spec'] = {}) =>
  client.create(kind, widget(kind, namespace, 'w', spec), { signal });
const edit = (namespace: string, patch: object) => client.mergePatch(kind, { namespace, name: 'w' }, patch, { signal });
const isGone = async (namespace: string): Promise<boolean> =>
  read(namespace).then(
    () => false,
    (error: unknown) => hasReason(error, 'NotFound'),
  );
const eventsIn = async (namespace: string): Promise<readonly KubeEvent[]> =>
  (await client.list(EVENTS, { namespace, signal })).items;

describe('a controller', () => {
  test('brings the world in line, says so in the status, and follows edits', async () => {
    const namespace = await cluster.createNamespace();
    await using world = await startWidgetController({ client, kind, namespace });
    await create(namespace, { size: 1 });
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    expect((await readChild(namespace)).data).toEqual({ size: '1' });
    await edit(namespace, { spec: { size: 2 } });
    await waitFor(async () => (await readChild(namespace)).data?.['size'] === '2');
    await waitFor(async () => (await read(namespace)).status?.['observedGeneration'] === 2);
    expect(world.log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  test('comes to rest: no run, no apply and no status write without a cause', async () => {
    const namespace = await cluster.createNamespace();
    await using world = await startWidgetController({ client, kind, namespace });
    await create(namespace, { size: 1 });
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    const { resourceVersion } = (await read(namespace)).metadata;
    // The echo of another object shows that everything before it has been seen.
    await client.create(kind, widget(kind, namespace, 'other'), { signal });
    await waitFor(async () => conditionOf(await read(namespace, 'other'), 'Ready')?.status === 'True');
    expect((await read(namespace)).metadata.resourceVersion).toBe(resourceVersion);
    const ran = (): number => world.runs.filter((name) => name === 'w').length;
    await waitFor(() => ran() >= 2, { what: 'the run for the child' });
    const before = ran();
    await edit(namespace, { metadata: { annotations: { note: 'x' } } });
    await waitFor(() => ran() > before, { what: 'the run for the edit' });
    await waitFor(() => world.applied.at(-1) === 'unchanged' && world.statuses.at(-1) === 'unchanged');
    const { metadata, status } = await read(namespace);
    expect(metadata.generation).toBe(1);
    expect(status?.['conditions']).toHaveLength(1);
  });

  test('restores a child that was changed or deleted, and leaves other fields alone', async () => {
    const namespace = await cluster.createNamespace();
    await using _world = await startWidgetController({ client, kind, namespace });
    await create(namespace, { size: 1 });
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    const name = { namespace, name: 'w-child' };
    await client.mergePatch(CONFIG_MAPS, name, { data: { size: '9', theirs: 'kept' } }, { signal, fieldManager: 'x' });
    await waitFor(async () => (await readChild(namespace)).data?.['size'] === '1');
    expect((await readChild(namespace)).data).toEqual({ size: '1', theirs: 'kept' });
    expect((await readChild(namespace)).metadata.annotations).toHaveProperty([DIGEST_ANNOTATION]);
    await client.delete(CONFIG_MAPS, name, { signal });
    await waitFor(() => readChild(namespace).catch(() => undefined));
  });

  test('stalls until something changes, and makes an event on the way in and out', async () => {
    const namespace = await cluster.createNamespace();
    await using world = await startWidgetController({
      ...{ client, kind, namespace },
      step: async ({ object }) => (object.spec.size === 1 ? stall('Invalid', 'The size is wrong') : done('Good')),
    });
    await create(namespace, { size: 1 });
    await waitFor(async () => (await readyOf(namespace))?.status === 'False');
    await waitFor(async () => (await eventsIn(namespace)).some(({ reason }) => reason === 'Invalid'));
    const { lastTransitionTime } = (await readyOf(namespace)) ?? {};
    expect(lastTransitionTime).toMatch(/Z$/);
    await edit(namespace, { spec: { size: 2 } });
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    expect(conditionOf(await read(namespace), 'Stalled')).toBeUndefined();
    await waitFor(async () => (await eventsIn(namespace)).length === 2);
    const events = await eventsIn(namespace);
    expect(events.map(({ reason, type }) => `${type} ${reason}`).toSorted()).toEqual([
      'Normal Succeeded',
      'Warning Invalid',
    ]);
    expect(events[0]?.regarding).toMatchObject({ kind: 'Widget', namespace, name: 'w' });
    expect(world.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('comes back to what waits and to what has failed', async () => {
    const namespace = await cluster.createNamespace();
    const results = [
      () => Promise.reject(new Error('boom')),
      () => Promise.resolve(wait('Pending', 'Not yet', { afterMs: 10 })),
      () => Promise.reject(new TypeError('boom')),
      () => Promise.resolve(done('Good')),
    ];
    const seen: string[] = [];
    await using world = await startWidgetController({
      ...{ client, kind, namespace },
      step: async () => {
        seen.push((await readyOf(namespace))?.reason ?? '');
        return (results.shift() ?? (() => Promise.resolve(done('Good'))))();
      },
    });
    await create(namespace);
    await waitFor(() => results.length === 0);
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    const failures = world.log.lines.filter(({ level }) => level === 'error');
    expect(failures.map(({ fields }) => fields['outcome'])).toEqual(['retry', 'fault']);
  });

  test('ends a run that takes too long, and leaves the status as it was', async () => {
    const namespace = await cluster.createNamespace();
    let attempts = 0;
    await using world = await startWidgetController({
      ...{ client, kind, namespace, deadlineMs: 200 },
      step: async ({ signal: run }) => {
        attempts += 1;
        if (attempts === 1) await new Promise((_, reject) => run.addEventListener('abort', () => reject(run.reason)));
        return done('Good');
      },
    });
    await create(namespace);
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    // On a busy machine other runs take too long, too.
    const ended = world.log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['outcome']);
    expect(new Set(ended)).toEqual(new Set(['deadline']));
    expect(attempts).toBeGreaterThan(1);
  });

  test('leaves a suspended object alone, and runs at once when asked to', async () => {
    const namespace = await cluster.createNamespace();
    const suspended: string[] = [];
    await using world = await startWidgetController({
      ...{ client, kind, namespace },
      whileSuspended: async ({ object }) => {
        suspended.push(object.metadata.name);
        return undefined;
      },
    });
    await create(namespace, { suspend: true });
    await waitFor(() => suspended.length === 1);
    expect(world.runs).toEqual([]);
    await edit(namespace, { spec: { suspend: false } });
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    const before = world.runs.length;
    await edit(namespace, { metadata: { annotations: { 'example.com/requestedAt': 'now' } } });
    await waitFor(async () => (await read(namespace)).status?.['lastHandledReconcileAt'] === 'now');
    expect(world.runs.length).toBeGreaterThan(before);
  });

  test('holds an object with its finalizer until all is cleaned up', async () => {
    const namespace = await cluster.createNamespace();
    const held: (readonly string[] | undefined)[] = [];
    let stuck = true;
    await using world = await startWidgetController({
      ...{ client, kind, namespace },
      step: async ({ object }) => {
        held.push(object.metadata.finalizers);
        return done('Good');
      },
      finalizer: {
        name: 'example.com/cleanup',
        cleanUp: async () => (stuck ? wait('Pending', 'Something is left', { afterMs: 10 }) : undefined),
      },
    });
    await client.create(
      kind,
      { ...widget(kind, namespace, 'w'), metadata: { namespace, name: 'w', finalizers: ['example.com/other'] } },
      { signal },
    );
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    expect(held[0]).toEqual(['example.com/other', 'example.com/cleanup']);
    await client.delete(kind, { namespace, name: 'w' }, { signal });
    await waitFor(async () => (await eventsIn(namespace)).some(({ reason }) => reason === 'Pending'));
    stuck = false;
    await waitFor(async () => (await read(namespace)).metadata.finalizers?.length === 1);
    await edit(namespace, { metadata: { finalizers: [] } });
    await waitFor(() => isGone(namespace));
    await waitFor(() => world.widgets.size === 0);
  });

  test('writes a status under a field manager of its own, and leaves the conditions of others', async () => {
    const namespace = await cluster.createNamespace();
    await create(namespace);
    const theirs = {
      type: 'Theirs',
      status: 'True',
      reason: 'X',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const patch = { status: { conditions: [theirs] } };
    await client.mergePatch(kind, { namespace, name: 'w' }, patch, { subresource: 'status', signal });
    await using world = await startWidgetController({ client, kind, namespace });
    await waitFor(async () => (await readyOf(namespace))?.status === 'True');
    expect(conditionOf(await read(namespace), 'Theirs')?.status).toBe('True');
    await edit(namespace, { metadata: { annotations: { note: 'x' } } });
    await waitFor(() => world.statuses.at(-1) === 'unchanged');
    const { managedFields } = (await read(namespace)).metadata as { managedFields?: readonly { manager: string }[] }; // beyond our type
    expect(managedFields?.map(({ manager }) => manager)).toContain('widget-operator-status');
  });
});

test('a status of an object that is gone is not written, and the next one of its name gets its own', async () => {
  const namespace = await cluster.createNamespace();
  const outcomes: StatusOutcome[] = [];
  const writer = createStatusWriter({
    ...{ client, kinds: [kind], fieldManager: 'status', conditionTypes: CONDITION_TYPES, log: recordLog() },
    maxAtOnce: 8,
    requestedAtAnnotation: 'example.com/requestedAt',
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  await using _run = running((stop) => writer.run(stop));
  const former = await create(namespace);
  await client.delete(kind, former.metadata, { signal });
  await waitFor(() => isGone(namespace));
  await writer.applyIfChanged(former, { observedGeneration: 7 }, { signal });
  await waitFor(() => outcomes.length === 1);
  expect(outcomes).toEqual(['gone']);
  const next = await create(namespace);
  await writer.applyIfChanged(former, { observedGeneration: 7 }, { signal });
  await writer.applyIfChanged(next, { observedGeneration: 1 }, { signal });
  await waitFor(() => writer.backlog === 0 && outcomes.length > 1);
  await waitFor(async () => (await read(namespace)).status?.['observedGeneration'] === 1);
});

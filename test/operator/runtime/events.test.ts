import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEventRecorder, EVENTS, type KubeClient, type KubeEvent } from '../../../operator/src/runtime/index.ts';
import { createTestClock } from '../../../operator/src/runtime/time/testing.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, connectClient, recordLog, running } from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function start() {
  const namespace = await cluster.createNamespace();
  const regarding = await client.create(CONFIG_MAPS, configMap(namespace, 'a'), { signal });
  const clock = createTestClock();
  const outcomes: string[] = [];
  const recorder = createEventRecorder({
    ...{ client, log: recordLog(), clock, onOutcome: (outcome: string) => outcomes.push(outcome) },
    reportingController: 'example.com/test',
    reportingInstance: 'test-0',
  });
  const run = running((stop) => recorder.run(stop));
  const record = (note = 'It went wrong', object: ConfigMap = regarding): void =>
    recorder.record({ regarding: object, type: 'Warning', reason: 'Invalid', action: 'Reconcile', note });
  const list = async (): Promise<readonly KubeEvent[]> => (await client.list(EVENTS, { namespace, signal })).items;
  return {
    namespace,
    regarding,
    clock,
    outcomes,
    record,
    list,
    [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
  };
}

describe('events', () => {
  test('name the object, and repeats are one series', async () => {
    await using world = await start();
    const { clock, record, list, namespace, regarding } = world;
    record();
    await waitFor(async () => (await list()).length === 1);
    expect(await list()).toMatchObject([
      {
        type: 'Warning',
        reason: 'Invalid',
        action: 'Reconcile',
        note: 'It went wrong',
        reportingController: 'example.com/test',
        regarding: { kind: 'ConfigMap', namespace, name: 'a', uid: regarding.metadata.uid },
        eventTime: '2026-01-01T00:00:00.000000Z',
      },
    ]);
    clock.advance(60_000);
    for (let i = 0; i < 4; i += 1) record();
    clock.advance(20_000);
    await waitFor(async () => (await list())[0]?.series);
    expect(await list()).toMatchObject([{ series: { count: 5, lastObservedTime: '2026-01-01T00:01:00.000000Z' } }]);
  });

  test('of another text, or after a long silence, are new', async () => {
    await using world = await start();
    world.record('one');
    world.record('two');
    await waitFor(async () => (await world.list()).length === 2);
    world.clock.advance(7 * 60_000);
    world.record('one');
    await waitFor(async () => (await world.list()).length === 3);
  });

  test('that the server has forgotten are written again', async () => {
    await using world = await start();
    world.record();
    await waitFor(async () => (await world.list()).length === 1);
    const [{ metadata } = { metadata: { name: '' } }] = await world.list();
    await client.delete(EVENTS, metadata, { signal });
    world.record();
    world.clock.advance(20_000);
    await waitFor(async () => (await world.list()).length === 1);
    expect(await world.list()).toMatchObject([{ series: { count: 2 } }]);
  });

  test('that cannot be written are dropped, and hold up nothing', async () => {
    await using world = await start();
    const elsewhere = { ...world.regarding, metadata: { ...world.regarding.metadata, namespace: 'no-such-namespace' } };
    world.record('lost', elsewhere);
    world.record('ä'.repeat(5_000));
    await waitFor(() => world.outcomes.length === 2);
    expect(world.outcomes).toEqual(['dropped', 'written']);
    expect(await world.list()).toHaveLength(1);
  });
});

import { expect, test } from 'vitest';
import { createStore } from '../../runtime/index.ts';
import { createTestClock, flush } from '../../runtime/time/testing.ts';
import { createFleetAccess } from './fleet-access.ts';
import type { FleetObject } from './kube-kinds.ts';

const fleet = (namespace: string, name: string): FleetObject => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'GatewayFleet',
  metadata: { namespace, name, uid: `${namespace}-${name}`, resourceVersion: '1' },
});

test('a namespace without rights is checked ever less often, however many fleets it has', async () => {
  const clock = createTestClock();
  const store = createStore<FleetObject>({});
  const asked: number[] = [];
  let isGranted = false;
  const access = createFleetAccess({
    fleets: store,
    isAllowed: async () => {
      asked.push(clock.monotonicMs());
      return isGranted;
    },
    clock,
  });
  const notified: string[] = [];
  using _notified = access.subscribe((namespace) => notified.push(`${namespace} ${access.stateOf(namespace)}`));
  for (let i = 0; i < 100; i += 1) store.put(fleet('tenant', `f${i}`), { initial: false });
  const stop = new AbortController();
  const ended = access.run(stop.signal);
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(50);
      await flush();
    }
  };
  expect(access.stateOf('tenant')).toBe('unknown');
  await pass(60_000);
  expect(notified).toEqual(['tenant denied']);
  expect(asked.length).toBeLessThan(12);
  isGranted = true;
  await pass(11_000);
  expect(notified).toEqual(['tenant denied', 'tenant allowed']);
  isGranted = false;
  expect(await access.ask('tenant', stop.signal)).toBe('denied');
  stop.abort(new Error('over'));
  await ended;
});

import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import type { KubeClient, Lease, WatchEvent } from '../runtime/index.ts';
import { RETIRED_UNTIL } from './mark.ts';
import { createRetirement } from './retirement.ts';

const lease = (annotations: Record<string, string>, resourceVersion: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'operator', namespace: 'system', uid: 'u', resourceVersion, annotations },
  spec: {},
});
const retired = (ms: number): Record<string, string> => ({ [RETIRED_UNTIL]: new Date(Date.now() + ms).toISOString() });

/** A retirement whose lease is retired at first, and then changes as the events say. */
async function follow(...events: readonly WatchEvent<Lease>[]) {
  const stop = new AbortController();
  const states: boolean[] = [];
  const sent = Promise.withResolvers<void>();
  const client = {
    get: async () => lease(retired(60_000), '1'),
    watch: async () => ({
      async *[Symbol.asyncIterator]() {
        yield* events;
        sent.resolve();
        await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
      },
      [Symbol.dispose]: () => undefined,
    }),
  } as unknown as Pick<KubeClient, 'get' | 'watch'>; // what a named watch calls
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
  const retirement = createRetirement({ client, namespace: 'system', leaseName: 'operator', log });
  retirement.subscribe(() => states.push(retirement.isOn));
  const run = retirement.run(stop.signal);
  await waitFor(() => states.length > 0, { what: 'the first state' });
  await sent.promise;
  const end = async (): Promise<void> => {
    stop.abort();
    await run;
  };
  return { states, isOn: retirement.isOn, [Symbol.asyncDispose]: end };
}

test('a retirement stays when its lease goes, as in an uninstallation', async () => {
  await using seen = await follow({ type: 'DELETED', object: lease(retired(60_000), '2') });
  expect(seen).toMatchObject({ states: [true], isOn: true });
});

test('a retirement ends when the lease no longer says so', async () => {
  await using seen = await follow({ type: 'MODIFIED', object: lease({}, '2') });
  expect(seen).toMatchObject({ states: [true, false], isOn: false });
});

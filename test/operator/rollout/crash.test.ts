/** A leader that dies in the middle of a publish leaves a whole Snapshot behind, and the next one goes on. */

import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource, mockConfigResource, mockSecretResource } from '../../kit/resources.ts';
import { apply, endLease, type KubeThing, runPods, setStage, startOperator } from '../operator/support.ts';

const KEY = 'gwk_a_key_of_the_crash_test';
const OBJECTS = 60;
/** Of a description: large enough that a publish takes several shards. */
const PADDING = 'x'.repeat(20_000);

test('killed at any time, the operator leaves what gateways can start with', async () => {
  await using cluster = sharedControlPlane();
  const mock = await createMockProvider();
  await using _mock = { [Symbol.asyncDispose]: () => mock.close() };
  await using stage = await setStage(cluster, { replicas: 2 });
  const { tenant } = stage;
  const config = (name: string, model: string): KubeThing =>
    mockConfigResource(tenant, { upstream: mock.url, overrideParams: { model, user: PADDING }, name });
  await apply(cluster, mockSecretResource(tenant));
  await apply(cluster, config('main', 'model-0'));
  await apply(cluster, apiKeyResource(tenant, 'app', KEY));
  const first = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  await waitFor(async () => (await pod?.ask(KEY)) === 'model-0', { what: 'the first content' });

  const edits = Array.from({ length: OBJECTS }, (_, i) => config(`c${i}`, 'model-1'));
  const writing = Promise.all([
    ...edits.map((object) => apply(cluster, object)),
    apply(cluster, config('main', 'model-1')),
  ]);
  await waitFor(() => first.lines('Resources translated').length > 1, { what: 'a translation of the edits' });
  await first.kill();
  await endLease(stage);
  await writing;
  expect(String(await pod?.ask(KEY))).toMatch(/^model-[01]$/);
  const [late] = await runPods(stage);
  await using _late = late;
  expect(String(await late?.ask(KEY))).toMatch(/^model-[01]$/);

  await using _second = await startOperator(stage.setup);
  for (const each of [pod, late]) {
    await waitFor(async () => (await each?.ask(KEY)) === 'model-1', { what: 'the edits' });
  }
});

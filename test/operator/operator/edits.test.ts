/** Edits follow each other faster than the statuses of earlier ones are written: each of them must be served. */

import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource, mockConfigResource, mockSecretResource } from '../../kit/resources.ts';
import { apply, runPods, setStage, startOperator } from './support.ts';

const KEY = 'gwk_a_key_that_stays';
const EDITS = 100;

test('serves each of a hundred edits in a row', async () => {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(sharedControlPlane());
  const mock = await createMockProvider();
  parts.defer(() => mock.close());
  const stage = parts.use(await setStage(cluster));
  await apply(cluster, mockSecretResource(stage.tenant));
  await apply(cluster, apiKeyResource(stage.tenant, 'main', KEY));
  parts.use(await startOperator(stage.setup));
  const pods = await runPods(stage);
  for (const pod of pods) parts.use(pod);

  for (let edit = 1; edit <= EDITS; edit += 1) {
    const model = `model-${edit}`;
    await apply(cluster, mockConfigResource(stage.tenant, { upstream: mock.url, overrideParams: { model } }));
    for (const pod of pods) await waitFor(async () => (await pod.ask(KEY)) === model, { what: model });
  }
});

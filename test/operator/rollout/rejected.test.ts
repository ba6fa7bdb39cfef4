/** An entry that cannot be published is reported in the status of its object and of the fleet; all others are published. */

import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource, mockSecretResource } from '../../kit/resources.ts';
import { apply, becomes, fleetOf, ours, read, runPods, setStage, startOperator } from '../operator/support.ts';

const KEY = 'gwk_a_key_of_the_test_of_rejections';
const READY = { type: 'Ready', status: 'True' };
/** Too much for a shard of 256 KiB, little enough for the API server. */
const TARGETS = 80;
const PADDING = 'x'.repeat(4_000);

test('a config that no shard can hold says so until it has been made smaller', async () => {
  await using cluster = sharedControlPlane();
  const mock = await createMockProvider();
  await using _mock = { [Symbol.asyncDispose]: () => mock.close() };
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  const target = (params: object) => ({
    provider: 'openai',
    customHost: `${mock.url}/v1`,
    secretRef: { name: 'mock', key: 'key' },
    overrideParams: params,
  });
  const config = (name: string, targets: number) => {
    const all = Array.from({ length: targets }, () => target({ model: name, user: PADDING }));
    return ours(
      'GatewayConfig',
      { name, namespace: tenant },
      { config: { strategy: { mode: 'fallback' }, targets: all } },
    );
  };
  await apply(cluster, mockSecretResource(tenant));
  await apply(cluster, config('main', 1));
  await apply(cluster, config('large', TARGETS));
  const key = apiKeyResource(tenant, 'app', KEY);
  await apply(cluster, key);
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;

  for (const object of [key, config('main', 1)]) await becomes(cluster, object, READY);
  expect(await pod?.ask(KEY)).toBe('main');
  const tooLarge = await becomes(cluster, config('large', 0), {
    type: 'Programmed',
    status: 'False',
    reason: 'Rejected',
  });
  expect(tooLarge.message).toContain('256 KiB');
  await becomes(cluster, config('large', 0), { type: 'Ready', status: 'False', reason: 'Rejected' });
  const rejected = async () => (await read(cluster, fleetOf(stage.fleets, {})))?.status?.['rejected'];
  await waitFor(async () => (await rejected()) !== undefined, { what: 'the entry in the status of the fleet' });
  expect(await rejected()).toMatchObject([{ entry: `config/${tenant}/large`, reason: 'TooLarge' }]);

  await apply(cluster, config('large', 1));
  await becomes(cluster, config('large', 1), READY);
  await waitFor(async () => (await rejected()) === undefined, { what: 'a fleet without rejected entries' });
});

/** Fleets that serve no workspace delay no status, and a workspace that no fleet serves has a condition with the reason. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import {
  apply,
  becomes,
  fleetOf,
  type KubeThing,
  ours,
  runPods,
  setStage,
  startOperator,
} from '../operator/support.ts';

const READY = { type: 'Ready', status: 'True' };
/** Passes the API server and not the operator. */
const REFUSED = { replicas: 1, env: [{ name: 'PORT', value: '1' }] };

let cluster: ControlPlaneAccess;
beforeAll(() => {
  cluster = sharedControlPlane();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const fleet = (namespace: string, name: string, spec: object): KubeThing =>
  ours('GatewayFleet', { name, namespace }, spec);
const key = (namespace: string, host: string): KubeThing =>
  ours(
    'VirtualKey',
    { name: 'local', namespace },
    { provider: 'ollama', customHost: `https://${host}.example.com/v1` },
  );

test('what one fleet serves is ready, whatever other fleets lack', async () => {
  await using stage = await setStage(cluster);
  const { fleets, tenant } = stage;
  await apply(cluster, fleet(fleets, 'empty', { replicas: 0 }));
  await apply(cluster, fleet(fleets, 'refused', REFUSED));
  // No kubelet runs its pods: it is as ready as one whose image cannot be pulled.
  await apply(cluster, fleet(fleets, 'stuck', { replicas: 1 }));
  await apply(cluster, key(tenant, 'ollama'));
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  await becomes(cluster, key(tenant, 'ollama'), READY);
  await apply(cluster, key(tenant, 'another'));
  await becomes(cluster, key(tenant, 'another'), READY);
  await becomes(cluster, fleet(fleets, 'empty', {}), READY);

  await pod?.report(false);
  await becomes(cluster, fleetOf(fleets, {}), { type: 'Ready', status: 'Unknown' });
  await apply(cluster, key(tenant, 'ollama'));
  await becomes(cluster, key(tenant, 'ollama'), { type: 'Programmed', status: 'Unknown', reason: 'NoReadyPods' });
});

test('where every fleet is refused there is none, until one becomes valid', async () => {
  await using stage = await setStage(cluster);
  const { fleets, tenant } = stage;
  await apply(cluster, fleetOf(fleets, REFUSED));
  await apply(cluster, key(tenant, 'ollama'));
  await using _operator = await startOperator(stage.setup);
  const none = await becomes(cluster, key(tenant, 'ollama'), {
    type: 'Programmed',
    status: 'False',
    reason: 'NoFleet',
  });
  expect(none.message).toContain(`${fleets}/main`);
  await apply(cluster, fleetOf(fleets, { replicas: 1, env: [] }));
  const [pod] = await runPods(stage);
  await using _pod = pod;
  await becomes(cluster, key(tenant, 'ollama'), READY);
});

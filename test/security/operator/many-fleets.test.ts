/** A tenant that makes fleets without end, where the operator may not run gateways, must not slow other tenants. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { grantRights, installShells } from '../../operator/operator/rights.ts';
import {
  apply,
  becomes,
  createTenant,
  entriesIn,
  type KubeThing,
  ours,
  setStage,
  startOperator,
} from '../../operator/operator/support.ts';

const COUNT = 300;
const AT_ONCE = 8;

let cluster: ControlPlaneAccess;
beforeAll(() => {
  cluster = sharedControlPlane();
});
afterAll(() => cluster[Symbol.asyncDispose]());

test('300 fleets of one namespace are beyond its bound or without rights, and a neighbour is served', async () => {
  const neighbour = await createTenant(cluster);
  await using stage = await setStage(cluster, { namespaces: [neighbour] });
  const { tenant, organisation, fleets, setup } = stage;
  const kubeconfigPath = await grantRights(stage, { watched: [organisation, fleets, tenant, neighbour] });
  await installShells(stage);
  // Long, so that only the fleets could cost it, not a machine that does other work.
  const args = [...setup.args, '--lease-seconds', '60'];
  await using operator = await startOperator({ ...setup, args, kubeconfigPath });
  const fleetOf = (i: number): KubeThing =>
    ours('GatewayFleet', { namespace: tenant, name: `f${String(i).padStart(3, '0')}` }, {});
  await apply(cluster, fleetOf(0));
  await becomes(cluster, fleetOf(0), { type: 'Ready', status: 'False', reason: 'AccessDenied' });
  const others = Array.from({ length: COUNT - 1 }, (_, i) => fleetOf(i + 1))[Symbol.iterator]();
  const store = async (): Promise<void> => {
    for (const fleet of others) await apply(cluster, fleet);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, store));
  const beyond = { type: 'Accepted', status: 'False', reason: 'QuotaExceeded' } as const;
  await becomes(cluster, fleetOf(COUNT - 1), beyond);

  for (const model of ['one', 'two']) {
    const config = { provider: '@openai', overrideParams: { text: model } };
    await apply(cluster, ours('GatewayConfig', { namespace: neighbour, name: 'edited' }, { config }));
    const isPublished = async (): Promise<boolean> =>
      (await entriesIn(cluster, fleets)).some(
        ({ id, body }) => id === `config/${neighbour}/edited` && JSON.stringify(body).includes(`"${model}"`),
      );
    await waitFor(isPublished, { what: `the neighbour's edit ${model}` });
  }
  expect(operator.child.exitCode).toBeNull();
  expect(operator.lines('Lost the lease')).toEqual([]);
  const isOfTenant = ({ namespace }: Readonly<Record<string, unknown>>): boolean => namespace === tenant;
  expect(operator.lines('Could not read from the API server').filter(isOfTenant)).toEqual([]);
  expect(operator.lines('Could not publish to a fleet')).toEqual([]);
});

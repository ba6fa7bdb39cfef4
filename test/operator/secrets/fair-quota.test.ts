/** Secrets are followed one by one, as many as the operator can: a workspace that names more than that takes none from others. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { MAX_WATCHED_NAMES } from '../../../operator/src/runtime/index.ts';
import { sharedControlPlane } from '../../cluster/index.ts';
import {
  apply,
  becomes,
  condition,
  createTenant,
  fleetOf,
  ours,
  read,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';

const TARGETS = 990;

/** A config that names so many Secrets; none of them is there. */
const flood = (namespace: string, name: string) =>
  ours(
    'GatewayConfig',
    { name, namespace },
    {
      config: {
        strategy: { mode: 'fallback' },
        targets: Array.from({ length: TARGETS }, (_, i) => ({
          provider: 'openai',
          secretRef: { name: `${name}-${i}`, key: 'k' },
        })),
      },
    },
  );

const ACCOUNT = { provider: 'openai', secretRef: { name: 'account', key: 'key' } };
const KEY = { type: 'workspace-service', scopes: ['completions.write'] };

test('a workspace that names too many Secrets leaves others unaffected, over a restart of the operator too', async () => {
  await using cluster = sharedControlPlane();
  const other = await createTenant(cluster);
  const unserved = await cluster.createNamespace();
  await using stage = await setStage(cluster, { namespaces: [other, unserved] });
  const { tenant, fleets } = stage;
  const configs = Math.ceil(MAX_WATCHED_NAMES / TARGETS) + 1;
  const names = Array.from({ length: configs }, (_, i) => `flood-${i}`);
  for (const name of names) await apply(cluster, flood(tenant, name));
  for (const name of names) await apply(cluster, flood(unserved, name));
  await apply(cluster, secret(fleets, 'redis', { url: 'redis://localhost:1' }));
  const fleet = fleetOf(fleets, { replicas: 1, stores: { redis: { urlSecretRef: { name: 'redis', key: 'url' } } } });
  await apply(cluster, fleet);
  await apply(cluster, secret(other, 'account', { key: 'sk' }));

  const modest = async (name: string): Promise<void> => {
    const account = ours('VirtualKey', { name, namespace: other }, ACCOUNT);
    const key = ours('ApiKey', { name, namespace: other }, KEY);
    for (const object of [account, key]) await apply(cluster, object);
    for (const object of [account, key]) await becomes(cluster, object, { type: 'ResolvedRefs', status: 'True' });
  };
  const unread = async (healthUrl: string): Promise<number> => {
    const text = await (await fetch(`${healthUrl}/metrics`)).text();
    return Number(/^gatehouse_operator_unread_secrets (\d+)/m.exec(text)?.[1]);
  };
  for (const round of ['first', 'second']) {
    await using operator = await startOperator(stage.setup);
    await becomes(cluster, fleet, { type: 'ResolvedRefs', status: 'True' });
    await modest(round);
    // Of those who are served.
    await waitFor(async () => (await unread(operator.healthUrl)) > configs * TARGETS - MAX_WATCHED_NAMES, {
      what: 'a count of what is not read',
    });
    expect(await unread(operator.healthUrl)).toBeLessThan(configs * TARGETS);
    const last = flood(tenant, names.at(-1) ?? '');
    const resolved = await waitFor(() => condition(cluster, last, 'ResolvedRefs'), {
      what: 'a word to who names too many',
    });
    expect(resolved).toMatchObject({ status: 'Unknown', reason: 'Pending' });
    expect((await read(cluster, last))?.metadata.generation).toBe(1);
    await operator.stop();
  }
});

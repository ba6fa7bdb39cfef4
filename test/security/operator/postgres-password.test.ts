/** The PostgreSQL of the chart has one password for ever: its data folder was made with it. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apply, fleetOf, type KubeThing, read, setStage, startOperator } from '../../operator/operator/support.ts';

const NAME = 'gatehouse-postgres-password';

test('the embedded PostgreSQL gets one password, in no log, and it is never replaced', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const shell = (name: string): KubeThing => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: stage.organisation, name } },
  });
  const own = shell(NAME);
  const passwordIn = async (thing: KubeThing): Promise<string | undefined> => {
    const encoded = (await read(cluster, thing))?.data?.['password'];
    return encoded ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
  };
  // The chart may bring it after the operator has started.
  const operator = await startOperator(stage.setup);
  await apply(cluster, own);
  const first = await waitFor(() => passwordIn(own), { what: 'a password' });
  expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(operator.output()).not.toContain(first);
  await operator.stop();

  // The next leader has seen it once it has filled in another Secret.
  const other = shell('gatehouse-redis-password');
  for (const object of [own, other]) await apply(cluster, object);
  await using _next = await startOperator(stage.setup);
  await waitFor(() => passwordIn(other), { what: 'the password of Redis' });
  expect(await passwordIn(own)).toBe(first);

  // One that is taken away is made again: the Secret may be restored from nothing before the volume is.
  await apply(cluster, { ...own, data: { password: '' } });
  expect(await waitFor(() => passwordIn(own), { what: 'another password' })).not.toBe(first);
});

test('the fleets of the organisation get an account of their own, whose password is not that of people', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const { organisation, fleets, tenant } = stage;
  const ref = { records: { postgres: { urlSecretRef: { name: 'gatehouse-postgres', key: 'logsUrl' } } } };
  const labels = { 'gatehouse.dev/postgres': 'embedded' };
  const shell = (namespace: string, name: string): KubeThing => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, labels } },
  });
  const own = shell(organisation, NAME);
  const url = shell(fleets, 'gatehouse-postgres');
  const tenants = shell(tenant, 'gatehouse-postgres');
  for (const object of [own, url, tenants, fleetOf(fleets, ref), fleetOf(tenant, ref)]) await apply(cluster, object);
  await using operator = await startOperator(stage.setup);
  const entryOf = async (thing: KubeThing, key: string): Promise<string | undefined> => {
    const encoded = (await read(cluster, thing))?.data?.[key];
    return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
  };
  const filled = await waitFor(() => entryOf(url, 'logsUrl'), { what: 'the URL of the request log' });
  const password = await entryOf(own, 'logsPassword');
  expect(password).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(password).not.toBe(await entryOf(own, 'password'));
  expect(filled).toBe(`postgres://gateway_logs:${password}@gatehouse-postgres.${organisation}.svc:5432/gatehouse`);
  expect(await entryOf(tenants, 'logsUrl')).toBeUndefined();
  expect(operator.output()).not.toContain(password);
});

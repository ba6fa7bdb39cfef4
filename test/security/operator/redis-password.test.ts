/** Any pod that reached the Redis of the chart could read cached answers and write counters: it had no password. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import {
  apply,
  fleetOf,
  type KubeThing,
  read,
  secret,
  setStage,
  startOperator,
} from '../../operator/operator/support.ts';

const PASSWORD = 'gatehouse-redis-password';
const MARKED = { 'gatehouse.dev/redis': 'embedded' };
const REF = { stores: { redis: { urlSecretRef: { name: 'gatehouse-redis', key: 'url' } } } };

const empty = (namespace: string, name: string, labels = {}): KubeThing => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name, labels },
});

async function entryOf(cluster: ControlPlaneAccess, thing: KubeThing, key: string): Promise<string | undefined> {
  const encoded = (await read(cluster, thing))?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

test('the embedded Redis gets one password for ever, which the fleets of the organisation get with its URL', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const { organisation, fleets } = stage;
  const own = empty(organisation, PASSWORD);
  const url = empty(fleets, 'gatehouse-redis', MARKED);
  for (const object of [own, url, fleetOf(fleets, REF)]) await apply(cluster, object);
  const operator = await startOperator(stage.setup);
  const filled = await waitFor(() => entryOf(cluster, url, 'url'), { what: 'the URL of Redis' });
  const password = await entryOf(cluster, own, 'password');
  expect(password).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(filled).toBe(`redis://default:${password}@gatehouse-redis.${organisation}.svc:6379`);
  expect(operator.output()).not.toContain(password);
  await operator.stop();

  // Who takes the password away gets the same one back: Redis still runs with it.
  await apply(cluster, { ...own, data: { password: '' } });
  await using _next = await startOperator(stage.setup);
  await waitFor(async () => (await entryOf(cluster, own, 'password')) === password, { what: 'the same password' });
  expect(await entryOf(cluster, url, 'url')).toBe(filled);
});

test('a URL with another owner is never touched, nor one that a tenant has marked', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const { organisation, fleets, tenant } = stage;
  const theirs = secret(fleets, 'gatehouse-redis', { url: 'redis://elsewhere.example:6379' });
  const tenants = empty(tenant, 'gatehouse-redis', MARKED);
  const marked = empty(fleets, 'marked', MARKED);
  const other = { ...fleetOf(fleets, { stores: { redis: { urlSecretRef: { name: 'marked', key: 'u' } } } }) };
  const objects = [
    empty(organisation, PASSWORD),
    ...[theirs, tenants, marked],
    fleetOf(fleets, REF),
    fleetOf(tenant, REF),
    { ...other, metadata: { ...other.metadata, name: 'other' } },
  ];
  for (const object of objects) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  await waitFor(() => entryOf(cluster, marked, 'u'), { what: 'the URL of the fleet that is marked' });
  expect(await entryOf(cluster, theirs, 'url')).toBe('redis://elsewhere.example:6379');
  expect(await entryOf(cluster, tenants, 'url')).toBeUndefined();
});

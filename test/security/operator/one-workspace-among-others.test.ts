/** A tenant that stores as much as it can must not end the operator, nor hold up anybody else. */
import { readFile } from 'node:fs/promises';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { grantRights, installLease } from '../../operator/operator/rights.ts';
import {
  apply,
  becomes,
  createTenant,
  entriesIn,
  type KubeThing,
  label,
  ours,
  read,
  setStage,
  startOperator,
} from '../../operator/operator/support.ts';

/** The limit of the operator's container, and what Node may have of it. */
const LIMIT_BYTES = 1024 ** 3;
const HEAP_MIB = 768;
const COUNT = 1_300;
const BODY_BYTES = 248 * 1024;
const AT_ONCE = 8;
/** A machine that does much else needs longer for 360 MB of resources than the usual two minutes. */
const PATIENT = { deadlineMs: 1_200_000 };

let cluster: ControlPlaneAccess;
beforeAll(() => {
  cluster = sharedControlPlane();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const configOf = (namespace: string, name: string, text: string): KubeThing =>
  ours('GatewayConfig', { namespace, name }, { config: { provider: '@openai', overrideParams: { text } } });

const nameOf = (i: number): string => `large-${String(i).padStart(4, '0')}`;

async function residentBytes(pid: number | undefined): Promise<number> {
  const [, kib = '0'] = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

test('1,300 configs of 248 KiB are beyond the quota of their workspace, and others are served', async () => {
  const neighbour = await createTenant(cluster);
  const unowned = await cluster.createNamespace();
  await using stage = await setStage(cluster, { namespaces: [neighbour, unowned] });
  const { organisation, tenant, fleets } = stage;
  const kubeconfigPath = await grantRights(stage, { watched: [organisation, fleets, tenant, neighbour, unowned] });
  await installLease(stage);
  const setup = { ...stage.setup, kubeconfigPath };
  const text = 'x'.repeat(BODY_BYTES);
  const todo = Array.from({ length: COUNT }, (_, i) => configOf(tenant, nameOf(i), text));
  todo.push(...Array.from({ length: COUNT / 10 }, (_, i) => configOf(unowned, nameOf(i), text)));
  const next = todo[Symbol.iterator]();
  const store = async (): Promise<void> => {
    for (const config of next) await apply(cluster, config);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, store));

  await using operator = await startOperator({ ...setup, nodeArgs: [`--max-old-space-size=${HEAP_MIB}`] });
  const newest = configOf(tenant, nameOf(COUNT - 1), text);
  await becomes(cluster, newest, { type: 'Accepted', status: 'False', reason: 'QuotaExceeded' }, PATIENT);
  const oldest = configOf(tenant, nameOf(0), text);
  await becomes(cluster, oldest, { type: 'Accepted', status: 'True' }, PATIENT);

  const idOfEdited = `config/${neighbour}/edited`;
  for (const model of ['one', 'two']) {
    await apply(cluster, configOf(neighbour, 'edited', model));
    const isPublished = async (): Promise<boolean> =>
      (await entriesIn(cluster, fleets)).some(
        (entry) => entry.id === idOfEdited && JSON.stringify(entry.body).includes(model),
      );
    await waitFor(isPublished, { ...PATIENT, what: `the neighbour's edit ${model}` });
  }
  const manifest = await read(cluster, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: fleets, name: 'main-snapshot' },
  });
  expect(manifest).toBeDefined();
  expect(operator.child.exitCode).toBeNull();
  expect(await residentBytes(operator.child.pid)).toBeLessThan(LIMIT_BYTES);

  await apply(cluster, ours('Workspace', { name: unowned }, { namespace: unowned }));

  await label(cluster, unowned, unowned);
  await becomes(cluster, configOf(unowned, nameOf(0), text), { type: 'Accepted', status: 'True' }, PATIENT);
}, 3_600_000);

/** The PostgreSQL of the chart as a pod: restricted, with an image of Debian's package, and its tables after a crash. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '@gatehouse/crds/records';
import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { buildPostgresArchive, POSTGRES_IMAGE } from '../../../images/index.ts';
import { createDatabase, type Database, postgresDialect } from '../../../operator/src/management/index.ts';
import { at, find, NAMESPACE, render } from '../../chart/helm.ts';
import { runKubectl, sharedControlPlane, sharedNodes, withoutNodes } from '../../cluster/index.ts';
import { appliedIn, newUser } from '../../conformance/database/suite.ts';
import { waitFor } from '../../kit/wait-for.ts';

const [repository = '', tag = ''] = POSTGRES_IMAGE.split(':');
const VALUES = { postgres: { image: { repository, tag }, persistence: { enabled: false } } };
const PASSWORD = 'of-the-test';
const POD = 'gatehouse-postgres-0';

test.skipIf(withoutNodes() !== undefined)('the PostgreSQL of the chart keeps people over a crash', async () => {
  await using cluster = sharedControlPlane();
  const nodes = sharedNodes(cluster);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-archives-'));
  try {
    await nodes.importImage(await buildPostgresArchive(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
  const namespace = await cluster.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  const objects = await render(VALUES);
  const chosen = ['StatefulSet', 'Service'].map((kind) => find(objects, `${kind}/${NAMESPACE}/gatehouse-postgres`));
  const shell = find(objects, `Secret/${NAMESPACE}/gatehouse-postgres-password`);
  const items = [...chosen, { ...shell, stringData: { password: PASSWORD } }].map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  }));
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    runKubectl(cluster, ['--namespace', namespace, ...args], input === undefined ? {} : { input });
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await kubectl(['rollout', 'status', 'statefulset/gatehouse-postgres', '--timeout=300s']);
  const address = await kubectl(['get', 'service', 'gatehouse-postgres', '-o', 'jsonpath={.spec.clusterIP}']);

  await using database = opened(databaseUrl(objects).replace(`gatehouse-postgres.${NAMESPACE}.svc`, address));
  const tables = await waitFor(() => appliedIn(database).catch(() => undefined), { what: 'the tables' });
  expect(tables).toEqual(MIGRATIONS.map(({ name }) => name));
  const user = newUser();
  await database.use((queries) => queries.insertInto('users').values(user).execute());

  await nodes.exec(namespace, POD, ['kill', '-QUIT', '1']);
  const restarts = ['get', 'pod', POD, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}'];
  await waitFor(async () => (await kubectl(restarts)) === '1', { what: 'a restart' });
  const found = await waitFor(
    () => database.use((queries) => queries.selectFrom('users').select('email').execute()).catch(() => undefined),
    { what: 'the rows' },
  );
  expect(found).toEqual([{ email: user.email }]);
});

/** The URL that the management API of the chart has. */
function databaseUrl(objects: Awaited<ReturnType<typeof render>>): string {
  const pod = at(find(objects, `Deployment/${NAMESPACE}/gatehouse-management`), 'spec.template.spec');
  const env = z
    .array(z.looseObject({ name: z.string(), value: z.string().optional() }))
    .parse(at(pod, 'containers.0.env'));
  const url = env.find(({ name }) => name === 'DATABASE_URL')?.value ?? '';
  return url.replace('$(DATABASE_PASSWORD)', PASSWORD);
}

function opened(url: string): Database & AsyncDisposable {
  const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });
  return { ...database, [Symbol.asyncDispose]: () => database.close() };
}

/** What was published before this version knew of reaches, or by an operator that is gone, must lead no further than today. */
import { expect, test } from 'vitest';
import { indexPublished } from '../../incremental/index.ts';
import { type TestObject, worldOf } from '../../test-world.ts';
import { translate } from '../../translate.ts';

const WORKSPACE = { kind: 'Workspace', metadata: { name: 'team-a', generation: 1 }, spec: { namespace: 'a' } };
const account = (spec: object): TestObject => ({
  kind: 'VirtualKey',
  metadata: { name: 'x', namespace: 'a', generation: 1 },
  spec,
});

test('an entry without a reach gets one when its resource is broken by now', () => {
  const good = account({ provider: 'ollama', customHost: 'http://postgres.b.svc:8000' });
  const published = translate(worldOf([WORKSPACE, good]));
  const entries = published.snapshot.entries;
  expect(entries.find(({ kind }) => kind === 'provider')?.body).not.toHaveProperty('reach');
  const now = worldOf([WORKSPACE, account({ provider: 7 })], { settings: { clusterDomain: 'cluster.local' } });
  const later = translate({ ...now, services: new Map() }, undefined, indexPublished(entries));
  const kept = later.snapshot.entries.find(({ kind }) => kind === 'provider');
  expect(kept).toMatchObject({ stale: true, body: { reach: { allowed: [], services: [] } } });
});

/** Forged publications: an operator that starts ignores Secrets and ConfigMaps that a tenant made to look published. */
import {
  type AnyEntry,
  digestOf,
  entryId,
  manifestName,
  renderManifest,
  renderShard,
  SCHEMA_VERSION,
  shardDigest,
  shardName,
} from '@gatehouse/crds/snapshot';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import {
  apply,
  becomes,
  createTenant,
  entriesIn,
  fleetOf,
  type KubeThing,
  ours,
  publishedTo,
  remove,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';

const EVIL = 'http://evil.example:8000/v1';
const CREDENTIAL = 'credential-of-the-organisation';

let cluster: ControlPlaneAccess;
let stage: Stage;
let victim: string;
beforeAll(async () => {
  cluster = sharedControlPlane();
  victim = await createTenant(cluster);
  stage = await setStage(cluster, { namespaces: [victim] });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const integration = (): KubeThing =>
  ours(
    'Integration',
    { name: 'shared', namespace: stage.organisation },
    { provider: 'openai', secretRef: { name: 'shared', key: 'key' }, allowAllModels: true },
  );

const provider = (namespace: string): KubeThing =>
  ours('Provider', { name: 'shared', namespace }, { integrationRef: { name: 'shared' } });

const config = (namespace: string, name: string, spec: object = { config: { provider: '@shared' } }): KubeThing =>
  ours('GatewayConfig', { name, namespace }, spec);

async function furnish(): Promise<void> {
  const access = (workspace: string): KubeThing =>
    ours(
      'IntegrationAccess',
      { name: workspace, namespace: stage.organisation },
      { integrationRef: { name: 'shared' }, workspaceRef: { name: workspace }, enabled: true },
    );
  const objects = [
    secret(stage.organisation, 'shared', { key: CREDENTIAL }),
    integration(),
    provider(stage.organisation),
    access(victim),
    access(stage.tenant),
    provider(victim),
    config(victim, 'main'),
    fleetOf(stage.tenant, { replicas: 0 }),
  ];
  for (const object of objects) await apply(cluster, object);
}

/** What was published, changed so that it leads to the tenant: with its old digests, and with right ones of a later generation. */
function forge(entries: readonly AnyEntry[]): readonly AnyEntry[] {
  return entries.flatMap((entry) => {
    const body = bend(entry);
    if (body === undefined) return [];
    const lie = { ...entry, body } as AnyEntry; // the same kind
    return [lie, { ...lie, generation: 99, digest: digestOf(body) } as AnyEntry];
  });
}

function bend(entry: AnyEntry): object | undefined {
  if (entry.kind === 'provider') return { ...entry.body, customHost: EVIL };
  if (entry.kind === 'credential') return { fields: { api_key: EVIL } };
  if (entry.kind === 'config') return { ...entry.body, node: { provider: 'openai', customHost: EVIL } };
  return undefined;
}

/** In a tenant's namespace, where neither needs more than the right to write ConfigMaps. */
async function publish(namespace: string, fleet: string, entries: readonly AnyEntry[]): Promise<void> {
  const text = renderShard(entries);
  const digest = shardDigest(text);
  const name = shardName(fleet, digest);
  const manifest = renderManifest({
    version: 1_000,
    schemaVersion: { ...SCHEMA_VERSION },
    shards: [{ name, secret: false, digest }],
    publishedAt: 9_999_999_999_999,
  });
  const configMap = (of: string, data: Readonly<Record<string, string>>): KubeThing => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: of },
    data,
  });
  await apply(cluster, configMap(name, { 'shard.json': text }));
  await apply(cluster, configMap(manifestName(fleet), { 'manifest.json': manifest }));
}

async function withOperator(work: () => Promise<void>): Promise<void> {
  await using operator = await startOperator(stage.setup);
  await work();
  await operator.stop();
}

const published = (namespace: string, id: string) =>
  waitFor(async () => (await entriesIn(cluster, namespace)).find((entry) => entry.id === id), { what: id });

test('what a tenant forges in the name of fleets is published to no fleet, and its own content takes nothing from others', async () => {
  await furnish();
  const main = entryId('config', victim, 'main');
  const shared = entryId('provider', null, 'shared');
  await withOperator(async () => {
    await published(stage.fleets, main);
    await published(stage.fleets, shared);
    await published(stage.tenant, shared);
  });

  const lies = forge(await entriesIn(cluster, stage.fleets));
  const odd = lies.filter((_, i) => i % 2 === 1);
  const even = lies.filter((_, i) => i % 2 === 0);
  for (const [fleet, entries] of [
    ['trojan', odd],
    ['horse', even],
  ] as const) {
    await apply(cluster, {
      ...fleetOf(stage.tenant, { replicas: 0, suspend: true }),
      metadata: { namespace: stage.tenant, name: fleet },
    });
    await publish(stage.tenant, fleet, entries);
  }
  // Broken while no operator runs, so that the last good ones count; the API server lets both pass.
  await apply(cluster, config(victim, 'main', { config: { provider: 'no such' } }));
  await remove(cluster, secret(stage.organisation, 'shared', {}));

  await withOperator(async () => {
    await becomes(cluster, config(victim, 'main'), { type: 'Accepted', status: 'False' });
    await becomes(cluster, integration(), { type: 'ResolvedRefs', status: 'False' });
    await apply(cluster, config(victim, 'later'));
    await published(stage.fleets, entryId('config', victim, 'later'));
    expect(await publishedTo(cluster, stage.fleets)).not.toContain(EVIL);
    const entries = await entriesIn(cluster, stage.fleets);
    const lastGood = entries.filter(({ stale }) => stale === true);
    expect(lastGood.find(({ id }) => id === main)).toMatchObject({
      generation: 1,
      body: { node: { provider: '@shared' } },
    });
    const credential = entryId('credential', null, 'Integration:shared');
    expect(lastGood.find(({ id }) => id === credential)?.body).toEqual({ fields: { api_key: CREDENTIAL } });
    for (const { body } of entries) expect(body).not.toHaveProperty('needsFleet');
  });
});

/** Flux and clients of REST on the same objects: a refusal names Flux, and nothing goes back and forth. docs/behaviour/management.md */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../../conformance/management-api/client.ts';
import { FLUX_NAMESPACE, startArtifactServer, startKustomizeController } from '../../gitops/flux.ts';
import {
  applyAsTest,
  becomesOn,
  installFlux,
  KUSTOMIZATIONS,
  PLATFORM,
  pushFolder,
  runKustomization,
  SOURCES,
} from '../../gitops/flux-source.ts';
import { type KubeThing, ours, read } from '../operator/support.ts';
import { type ClusterWorld, openCluster } from './world.ts';

const GET = 'GET /policies/rate-limits/{rateLimitsPolicyId}';
const UPDATE = 'PUT /policies/rate-limits/{rateLimitsPolicyId}';
const DELETE = 'DELETE /policies/rate-limits/{rateLimitsPolicyId}';
const NAME = 'shared';
/** What the repository says. */
const SPEC = {
  ...{ displayName: 'Slow', target: 'llm', type: 'requests', unit: 'rpm', value: 10 },
  conditions: [{ key: 'model', values: ['*'] }],
  groupBy: [{ key: 'api_key' }],
};

let world: ClusterWorld;
let client: ApiClient;
/** The working copy of the repository. */
let repository: string;
const started = new AsyncDisposableStack();

beforeAll(async () => {
  world = started.use(await openCluster());
  const { cluster } = world.stage;
  client = await createApiClient(world);
  repository = await mkdtemp(join(tmpdir(), 'gatehouse-repository-'));
  started.defer(() => rm(repository, { recursive: true, force: true }));
  await mkdir(join(repository, 'team'));
  await writeFile(join(repository, 'team/policy.yaml'), JSON.stringify({ ...thing(), spec: SPEC }));
  await installFlux(cluster);
  const artifacts = started.use(await startArtifactServer());
  started.use(await startKustomizeController(cluster));
  await applyAsTest(cluster, `${SOURCES}/${PLATFORM}`, {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: { name: PLATFORM } },
    spec: { interval: '1m', url: 'https://git.example.com/platform.git' },
  });
  const artifact = await pushFolder(cluster, artifacts, repository);
  await applyAsTest(cluster, `${KUSTOMIZATIONS}/team`, {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { name: 'team', namespace: FLUX_NAMESPACE },
    // Runs are those that the test asks for.
    spec: { interval: '1h', path: './team', prune: true, sourceRef: { kind: 'GitRepository', name: PLATFORM } },
  });
  await becomesOn(cluster, 'team', { ready: 'True', artifact });
  await waitFor(async () => (await shown()).includes('"value":10'), { what: 'what the management API shows' });
});
afterAll(() => started.disposeAsync());

const thing = (): KubeThing => ours('RateLimitPolicy', { name: NAME, namespace: world.workspace }, {});

async function live(): Promise<KubeThing> {
  const found = await read(world.stage.cluster, thing());
  if (found === undefined) throw new Error('Flux has applied nothing');
  return found;
}

/** The UUID: the path of one of a workspace, for a key of the organisation. */
const path = async () => ({ rateLimitsPolicyId: String((await live()).metadata.uid) });
const shown = async (): Promise<string> => {
  const { status, text } = await client.attempt(GET, { path: await path() });
  return status === 200 ? text : '';
};
const flux = (): Promise<void> => runKustomization(world.stage.cluster, 'team');

interface OwnedFields {
  readonly subresource?: string;
}

/** Who has written what of the object, and how often that has changed; statuses are the operator's. */
async function written() {
  const { metadata, spec } = await live();
  const { generation, managedFields = [] } = metadata as {
    generation?: number;
    managedFields?: readonly OwnedFields[];
  };
  return { spec, generation, owners: managedFields.filter(({ subresource }) => subresource === undefined) };
}

/** A run of Flux that finds everything as it left it writes nothing, however often it comes. */
async function staysAsItIs(): Promise<void> {
  const before = await written();
  expect(before.owners.length).toBeGreaterThan(0);
  for (let i = 0; i < 3; i += 1) await flux();
  expect(await written()).toEqual(before);
}

test('a write of REST is refused with the name of the Kustomization, and so is a delete', async () => {
  for (const body of [{ value: 20 }, { description: 'of REST' }]) {
    const { text } = await client.call(UPDATE, { path: await path(), body, status: 409 });
    expect(text).toContain('Flux kustomization team');
    expect(text).toContain(Object.keys(body)[0]);
  }
  const refused = await client.call(DELETE, { path: await path(), status: 409 });
  expect(refused.text).toContain('Flux kustomization team');
  expect((await live()).spec).toEqual(SPEC);
  await staysAsItIs();
});

test('what REST is forced to write beside the repository stays, through every run of Flux', async () => {
  const body = { description: 'of REST' };
  await client.call(UPDATE, { path: await path(), query: { force: 'true' }, body });
  expect((await live()).spec).toEqual({ ...SPEC, ...body });
  await flux();
  expect((await live()).spec).toEqual({ ...SPEC, ...body });
  await staysAsItIs();
});

test('what REST is forced to write over the repository is put back by the next run, once', async () => {
  const description = 'of REST';
  await client.call(UPDATE, { path: await path(), query: { force: 'true' }, body: { value: 20, description } });
  expect((await live()).spec).toEqual({ ...SPEC, value: 20, description });
  await flux();
  expect((await live()).spec).toEqual({ ...SPEC, description });
  await waitFor(async () => (await shown()).includes('"value":10'), { what: 'the value of the repository' });
  await staysAsItIs();
  // The field is Flux's again: a later write of REST does not bring the other value back.
  await client.call(UPDATE, { path: await path(), query: { force: 'true' }, body: { description: 'again' } });
  expect((await live()).spec).toEqual({ ...SPEC, description: 'again' });
  await staysAsItIs();
});

/** Flux's own controller applies our examples and reads their health; the operator's part of it, statuses, is played here. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { API_VERSION } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { at, CRD_CHART, definitionsServed, type Manifest, manifest, renderText } from '../chart/helm.ts';
import { type ControlPlane, runKubectl, startControlPlane } from '../cluster/index.ts';
import { waitFor } from '../kit/wait-for.ts';
import { connectClient } from '../operator/runtime/support.ts';
import { certificatesIn, startAll, untilAsked, watchWorld } from '../operator/webhook/support.ts';
import {
  type Artifact,
  type ArtifactServer,
  type Controller,
  startArtifactServer,
  startKustomizeController,
} from './flux.ts';
import {
  applyAsTest,
  becomesOn,
  installFlux,
  KUSTOMIZATIONS,
  pushFolder,
  runKustomization,
  SOURCES,
  type Verdict,
  verdictOn,
} from './flux-source.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'charts/flux/gatehouse.yaml');

let controlPlane: ControlPlane;
let controller: Controller;
let artifacts: ArtifactServer;
/** The working copy of the platform's repository. */
let repository: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  await runKubectl(controlPlane, ['apply', '--server-side', '-f', '-'], { input: await renderText({}, CRD_CHART) });
  await definitionsServed(controlPlane);
  await installFlux(controlPlane);
  repository = await mkdtemp(join(tmpdir(), 'gatehouse-repository-'));
  await cp(join(ROOT, 'examples/team-a'), join(repository, 'team-a'), { recursive: true });
  for (const name of ['kustomize', 'gatehouse-crds']) {
    await cp(join(ROOT, 'charts', name), join(repository, 'charts', name), { recursive: true });
  }
  artifacts = await startArtifactServer();
  controller = await startKustomizeController(controlPlane);
});
afterAll(async () => {
  await controller[Symbol.asyncDispose]();
  await artifacts[Symbol.asyncDispose]();
  await rm(repository, { recursive: true, force: true });
  await controlPlane[Symbol.asyncDispose]();
});

const apply = (path: string, body: unknown): Promise<void> => applyAsTest(controlPlane, path, body);
const push = (): Promise<Artifact> => pushFolder(controlPlane, artifacts, repository);
const runAgain = (name: string): Promise<void> => runKustomization(controlPlane, name);

const list = z.looseObject({ items: z.array(manifest) });

/** Objects of the example with a status that the test sets. */
async function resources(): Promise<Manifest[]> {
  const plurals = ['apikeys', 'virtualkeys', 'gatewayconfigs', 'guardrails', 'workspaces'].map(
    (name) => `${name}.gatehouse.dev`,
  );
  const answer = await runKubectl(controlPlane, ['get', plurals.join(','), '--namespace=team-a', '--output=json']);
  return list.parse(JSON.parse(answer)).items;
}

/** How many of them the repository holds. */
async function documentedObjects(): Promise<number> {
  const files = await readdir(join(repository, 'team-a'), { recursive: true, withFileTypes: true });
  const texts = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).flatMap((text) => text.match(/^apiVersion: gatehouse\.dev\//gm) ?? []).length;
}

/** Plays the operator: every object gets a status of its generation, and one may be stalled. */
async function writeStatuses(stalled?: string): Promise<void> {
  for (const { kind, metadata } of await resources()) {
    const generation = metadata['generation'];
    const isStalled = metadata.name === stalled;
    const condition = (type: string, status: string) => ({
      ...{
        type,
        status,
        reason: isStalled ? 'RefNotFound' : 'Succeeded',
        message: 'As played',
        observedGeneration: generation,
      },
      lastTransitionTime: '2027-01-01T00:00:00Z',
    });
    const conditions = isStalled
      ? [condition('Ready', 'False'), condition('Stalled', 'True')]
      : [condition('Ready', 'True')];
    const where = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
    await apply(`/apis/${API_VERSION}/${where}${kind.toLowerCase()}s/${metadata.name}/status`, {
      ...{ apiVersion: API_VERSION, kind, metadata: { name: metadata.name } },
      status: { observedGeneration: generation, conditions },
    });
  }
}

const verdictOf = (name: string): Promise<Verdict> => verdictOn(controlPlane, name);
const becomes = (name: string, ready: 'True' | 'False', artifact: Artifact): Promise<Verdict> =>
  becomesOn(controlPlane, name, { ready, artifact });

/** The documented objects, with shorter waits. */
async function createDocumented(name: string): Promise<void> {
  const documents = parseAllDocuments(await readFile(EXAMPLE, 'utf8')).map((document): unknown => document.toJS());
  const found = documents.filter(isObject).find((object) => at(object, 'metadata.name') === name);
  const object = manifest.parse(found);
  const { spec } = object;
  const quick = object.kind === 'Kustomization' ? { timeout: '20s', retryInterval: '1s', dependsOn: [] } : {};
  // Pods do not run here.
  const whole = name === 'gatehouse' ? { wait: false } : {};
  const path = object.kind === 'Kustomization' ? KUSTOMIZATIONS : SOURCES;
  await apply(`${path}/${name}`, { ...object, spec: { ...Object(spec), ...quick, ...whole } });
}

test('what the repository holds is applied and found healthy', async () => {
  await createDocumented('platform');
  await createDocumented('team-a');
  const artifact = await push();
  const documented = await documentedObjects();
  await waitFor(async () => (await resources().catch(() => [])).length === documented);
  expect((await verdictOf('team-a')).ready).not.toBe('True');
  await writeStatuses();
  await becomes('team-a', 'True', artifact);
});

test('a run that finds nothing to do changes nothing', async () => {
  const before = await resources();
  await runAgain('team-a');
  expect(await resources()).toEqual(before);
});

test('an object that needs a person makes it unhealthy, by its name, and its mending healthy again', async () => {
  const path = join(repository, 'team-a/providers.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('name: openai\n    key: api-key', 'name: nowhere\n    key: api-key'));
  const broken = await push();
  await waitFor(async () => (await generationOf('openai')) === 2);
  await writeStatuses('openai');
  expect((await becomes('team-a', 'False', broken)).message).toContain('VirtualKey/team-a/openai');
  await writeFile(path, text);
  const mended = await push();
  await waitFor(async () => (await generationOf('openai')) === 3);
  await writeStatuses();
  await becomes('team-a', 'True', mended);
});

const generationOf = async (name: string): Promise<unknown> =>
  (await resources()).find(({ kind, metadata }) => kind === 'VirtualKey' && metadata.name === name)?.metadata[
    'generation'
  ];

test('what the operator fills later stays as it filled it', async () => {
  await createDocumented('gatehouse');
  const path = '/api/v1/namespaces/gatehouse-system/secrets/gatehouse-webhook-certificate';
  await waitFor(async () => (await controlPlane.request('GET', path)).status === 200);
  await waitFor(async () => (await verdictOf('gatehouse')).ready === 'True');
  const name = { name: 'gatehouse-webhook-certificate', namespace: 'gatehouse-system' };
  await apply(path, { apiVersion: 'v1', kind: 'Secret', metadata: name, data: { 'tls.crt': 'YQ==' } });
  const { body: before } = await controlPlane.request('GET', path);
  await runAgain('gatehouse');
  expect((await controlPlane.request('GET', path)).body).toEqual(before);
});

test('what the repository no longer holds goes, a step with each run while the webhook calls the rest in use', async () => {
  await using parts = new AsyncDisposableStack();
  const client = parts.use(await connectClient(controlPlane));
  const view = parts.use(await watchWorld(client));
  const certificates = parts.use(await certificatesIn(client, 'default'));
  parts.use(await startAll(client, { certificates, view }));
  await untilAsked(controlPlane, 'team-a');
  for (const path of ['keys.yaml', 'providers.yaml', 'guardrails.yaml', 'configs']) {
    await rm(join(repository, 'team-a', path), { recursive: true });
  }
  const path = join(repository, 'team-a/workspace.yaml');
  await writeFile(path, (await readFile(path, 'utf8')).replace('    configRef:\n      name: by-endpoint\n', ''));
  await push();
  await waitFor(async () => (await verdictOf('team-a')).reason === 'PruneFailed');
  await waitFor(async () => (await resources()).every(({ kind }) => kind === 'Workspace'));
});

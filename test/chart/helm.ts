/** Helm as a program of its own, with nothing of the user's in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '@gatehouse/crds';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { type CommandResult, capture } from '../../scripts/machine/index.ts';
import { type ControlPlane, ensurePrograms, pathOf } from '../cluster/index.ts';
import { waitFor } from '../kit/wait-for.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const CHART = join(root, 'charts/gatehouse');
export const CRD_CHART = join(root, 'charts/gatehouse-crds');
export const RELEASE = 'gatehouse';
export const NAMESPACE = 'gatehouse-system';
export const FLEET_NAMESPACE = 'gatehouse-gateways';
/** Of the API server that tests run; what a template is rendered for without one. */
const KUBE_VERSION = '1.36.3';

export type Values = Readonly<Record<string, unknown>>;

/** An object as a chart renders it. */
export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
export type Manifest = z.infer<typeof manifest>;

export interface HelmOptions {
  readonly kubeconfig?: string;
  readonly values?: Values;
}

/** Runs Helm; a refusal is an outcome. */
export async function helm(
  args: readonly string[],
  { kubeconfig, values = {} }: HelmOptions = {},
): Promise<CommandResult> {
  const programs = await ensurePrograms(['helm']);
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-helm-'));
  try {
    const file = join(home, 'values.yaml');
    await writeFile(file, stringify(values));
    const env = {
      HOME: home,
      PATH: process.env['PATH'],
      KUBECONFIG: kubeconfig ?? join(home, 'none'),
      HELM_CACHE_HOME: home,
      HELM_CONFIG_HOME: home,
      HELM_DATA_HOME: home,
    };
    const withValues = Object.keys(values).length === 0 ? [] : ['--values', file];
    return await capture([pathOf(programs, 'helm'), ...args, ...withValues], { env });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** What Helm printed, where a refusal is a failure of the test. */
export async function runHelm(args: readonly string[], options: HelmOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await helm(args, options);
  if (code === 0) return stdout;
  throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
}

interface RenderOptions {
  /** Of kinds that the cluster serves besides those of Kubernetes. */
  readonly apiVersions?: readonly string[];
}

/** The rendered text of a chart. */
export function renderText(
  values: Values = {},
  chart: string = CHART,
  { apiVersions = [] }: RenderOptions = {},
): Promise<string> {
  const cluster = ['--kube-version', KUBE_VERSION, ...apiVersions.flatMap((version) => ['--api-versions', version])];
  return runHelm(['template', RELEASE, chart, '--namespace', NAMESPACE, ...cluster], { values });
}

/** The rendered objects of a chart. */
export const render = async (values: Values = {}, chart: string = CHART): Promise<Manifest[]> =>
  parseManifests(await renderText(values, chart));

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true })
    .map((document): unknown => document.toJS())
    .filter(isObject)
    .map((object) => manifest.parse(object));
}

/** Waits until every definition is served; right after its creation one has no conditions, which `kubectl wait` refuses. */
export async function definitionsServed(controlPlane: Pick<ControlPlane, 'kubectl'>): Promise<void> {
  const wait = ['wait', '--for=condition=Established', '--timeout=300s', 'crd', '--all'];
  await waitFor(async () => (await controlPlane.kubectl(wait)).code === 0, { what: 'definitions' });
}

/** `Kind/namespace/name`. */
export const idOf = ({ kind, metadata }: Manifest): string => [kind, metadata.namespace ?? '', metadata.name].join('/');

/** A member deep inside an object. */
export function at(object: unknown, path: string): unknown {
  return path.split('.').reduce((node: unknown, key) => {
    if (Array.isArray(node)) return node[Number(key)];
    return isObject(node) ? node[key] : undefined;
  }, object);
}

/** The object with that id; an error that names all others where it is not rendered. */
export const find = (objects: readonly Manifest[], id: string): Manifest => {
  const found = objects.find((object) => idOf(object) === id);
  if (found === undefined) throw new Error(`${id} is not rendered: ${objects.map(idOf).join(', ')}`);
  return found;
};

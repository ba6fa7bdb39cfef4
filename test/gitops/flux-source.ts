/** The part of Flux that tests play: its source-controller, with a folder as the repository. */
import { isObject } from '@gatehouse/crds';
import { FLUX_MODULES, foreignDefinitions } from '../chart/foreign-definitions.ts';
import { at, definitionsServed } from '../chart/helm.ts';
import { APPLY_PATCH, type ControlPlaneAccess, runKubectl } from '../cluster/index.ts';
import { waitFor } from '../kit/wait-for.ts';
import { type Artifact, type ArtifactServer, FLUX_NAMESPACE } from './flux.ts';

export const SOURCES = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${FLUX_NAMESPACE}/gitrepositories`;
export const KUSTOMIZATIONS = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${FLUX_NAMESPACE}/kustomizations`;

/** The name of the GitRepository. */
export const PLATFORM = 'platform';

type Cluster = Pick<ControlPlaneAccess, 'kubectl' | 'request'>;

/** What the kustomize-controller watches, and its namespace. */
export async function installFlux(cluster: Cluster): Promise<void> {
  const definitions = (await foreignDefinitions(FLUX_MODULES)).flatMap((file) => ['-f', file]);
  await runKubectl(cluster, ['apply', '--server-side', ...definitions]);
  await definitionsServed(cluster);
  await runKubectl(cluster, ['create', 'namespace', FLUX_NAMESPACE]);
}

/** A server-side apply by the test. Throws for an answer that is no success. */
export async function applyAsTest({ request }: Cluster, path: string, body: unknown): Promise<void> {
  const options = { contentType: APPLY_PATCH, body };
  const { status, body: answer } = await request('PATCH', `${path}?fieldManager=test&force=true`, options);
  if (status >= 300) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(answer)}`);
}

/** The folder as it is becomes the artifact of the GitRepository, which exists. */
export async function pushFolder(cluster: Cluster, artifacts: ArtifactServer, folder: string): Promise<Artifact> {
  const artifact = await artifacts.publish(folder);
  const identity = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: { name: PLATFORM } };
  const condition = {
    ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message: artifact.revision, observedGeneration: 1 },
    lastTransitionTime: artifact.lastUpdateTime,
  };
  const status = { observedGeneration: 1, artifact, conditions: [condition] };
  await applyAsTest(cluster, `${SOURCES}/${PLATFORM}/status`, { ...identity, status });
  return artifact;
}

/** Lets the controller run once more, and waits for the end of that run. */
export async function runKustomization(cluster: Cluster, name: string): Promise<void> {
  const requestedAt = new Date().toISOString();
  await runKubectl(cluster, [
    ...['annotate', 'kustomization', name, `--namespace=${FLUX_NAMESPACE}`, '--overwrite'],
    `reconcile.fluxcd.io/requestedAt=${requestedAt}`,
  ]);
  await waitFor(
    async () => {
      const { body } = await cluster.request('GET', `${KUSTOMIZATIONS}/${name}`);
      return at(body, 'status.lastHandledReconcileAt') === requestedAt;
    },
    { what: `a run of ${name}` },
  );
}

/** What a Kustomization says of itself. */
export interface Verdict {
  readonly ready: string | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly attempted: unknown;
}

export async function verdictOn(cluster: Cluster, name: string): Promise<Verdict> {
  const { body } = await cluster.request('GET', `${KUSTOMIZATIONS}/${name}`);
  const conditions = at(body, 'status.conditions');
  const ready = (Array.isArray(conditions) ? conditions : []).filter(isObject).find(({ type }) => type === 'Ready');
  const text = (key: string): string | undefined => (ready?.[key] === undefined ? undefined : String(ready[key]));
  return {
    ready: text('status'),
    reason: text('reason'),
    message: text('message'),
    attempted: at(body, 'status.lastAttemptedRevision'),
  };
}

/** Waits for that condition of the Kustomization for the artifact. */
export async function becomesOn(
  cluster: Cluster,
  name: string,
  { ready, artifact }: { readonly ready: 'True' | 'False'; readonly artifact: Artifact },
): Promise<Verdict> {
  let last: Verdict | undefined;
  try {
    return await waitFor(async () => {
      last = await verdictOn(cluster, name);
      return last.attempted === artifact.revision && last.ready === ready ? last : undefined;
    });
  } catch {
    throw new Error(`${name} did not become ${ready}: ${JSON.stringify(last)}`);
  }
}

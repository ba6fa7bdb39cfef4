/** A fleet with a history, and a backup of what was published to it at an earlier time. */

import { isObject } from '@gatehouse/crds';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { type ControlPlaneAccess, sharedControlPlane } from '../../../cluster/index.ts';
import { apiKeyResource, mockConfigResource, mockSecretResource } from '../../../kit/resources.ts';
import {
  apply,
  becomes,
  type ConditionView,
  condition,
  type KubeThing,
  type PodProcess,
  pathOf,
  remove,
  runPods,
  type Stage,
  setStage,
} from '../../../operator/operator/support.ts';

/** Of an ApiKey that is deleted after the backup. */
export const GONE = 'gwk_a_key_that_was_deleted';
export const KEPT = 'gwk_a_key_that_was_not';

export interface History extends AsyncDisposable {
  readonly stage: Stage;
  /** A pod that has served all of it; its config says `model-2` by now. */
  readonly pod: PodProcess;
  /** What was published while the config said `model-1` and the deleted key was there. */
  readonly backup: Backup;
  /** Has the config say another model. */
  edit(model: string): Promise<void>;
  /** Waits until the config, as it is, is said to be programmed. */
  programmed(): Promise<ConditionView>;
  /** What is said of the config now. */
  said(): Promise<ConditionView | undefined>;
}

/** Published objects by their path, as they were. */
export type Backup = ReadonlyMap<string, KubeThing>;

/** Makes the history; `begin` starts an operator on the stage. */
export async function makeHistory(begin: (stage: Stage) => Promise<unknown>, replicas = 2): Promise<History> {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(sharedControlPlane());
  const mock = await createMockProvider();
  parts.defer(() => mock.close());
  const stage = parts.use(await setStage(cluster, { replicas }));
  const { tenant } = stage;
  const config = (model: string): KubeThing =>
    mockConfigResource(tenant, { upstream: mock.url, overrideParams: { model } });
  await apply(cluster, mockSecretResource(tenant));
  await apply(cluster, config('model-1'));
  for (const [name, key] of [
    ['gone', GONE],
    ['kept', KEPT],
  ] as const)
    await apply(cluster, apiKeyResource(tenant, name, key));
  await begin(stage);
  const [pod] = await runPods(stage);
  if (pod === undefined) throw new Error('there is no pod');
  parts.use(pod);
  const answers = async (key: string, want: string | number): Promise<void> => {
    await waitFor(async () => (await pod.ask(key)) === want, { what: `${want} for ${key}` });
  };
  await answers(GONE, 'model-1');
  await answers(KEPT, 'model-1');
  const backup = await takeBackup(stage);
  await remove(cluster, apiKeyResource(tenant, 'gone', GONE));
  await answers(GONE, 401);
  for (const model of ['model-x', 'model-y', 'model-2']) {
    await apply(cluster, config(model));
    await answers(KEPT, model);
  }
  await becomes(cluster, config('model-2'), { type: 'Programmed', status: 'True' });
  const owned = parts.move();
  return {
    stage,
    pod,
    backup,
    edit: async (model) => {
      await apply(cluster, config(model));
    },
    programmed: () => becomes(cluster, config(''), { type: 'Programmed', status: 'True' }),
    said: () => condition(cluster, config(''), 'Programmed'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const FLEET_LABEL = 'gatehouse.dev/fleet';
const fleetPath = ({ fleets }: Stage): string => `/apis/gatehouse.dev/v1alpha1/namespaces/${fleets}/gatewayfleets/main`;

/** Everything that is published: the manifest, the journal and the shards. */
export async function publishedThings({ cluster, fleets }: Stage): Promise<KubeThing[]> {
  const things: KubeThing[] = [];
  for (const [plural, kind] of [
    ['configmaps', 'ConfigMap'],
    ['secrets', 'Secret'],
  ] as const) {
    const path = `/api/v1/namespaces/${fleets}/${plural}?labelSelector=${encodeURIComponent(FLEET_LABEL)}`;
    const { body } = await cluster.request('GET', path);
    const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
    for (const item of items)
      if (!item.metadata.name.endsWith('-admin')) things.push({ ...item, apiVersion: 'v1', kind });
  }
  return things;
}

async function takeBackup(stage: Stage): Promise<Backup> {
  const things = await publishedThings(stage);
  const fleet = (await stage.cluster.request('GET', fleetPath(stage))).body as KubeThing;
  return new Map([...things.map((thing) => [pathOf(thing), thing] as const), [fleetPath(stage), fleet]]);
}

export type Part = 'manifest' | 'journal' | 'shards' | 'status';

export const partOf = (name: string): Part =>
  name === 'main-snapshot' ? 'manifest' : name === 'main-shards' ? 'journal' : 'shards';

/** Puts parts of a backup back: as they were in place, or as other objects of the same name. */
export async function restore(
  stage: Stage,
  backup: Backup,
  { parts, anew = false }: { readonly parts: ReadonlySet<Part>; readonly anew?: boolean },
): Promise<void> {
  const { cluster } = stage;
  for (const [path, thing] of backup) {
    if (thing.kind === 'GatewayFleet') {
      if (parts.has('status')) await restoreStatus(cluster, path, thing);
    } else if (parts.has(partOf(thing.metadata.name))) await putBack(cluster, path, thing, anew);
  }
}

async function putBack(cluster: ControlPlaneAccess, path: string, thing: KubeThing, anew: boolean): Promise<void> {
  const { name, namespace, labels, annotations, ownerReferences } = thing.metadata;
  const body = { ...thing, metadata: { name, namespace, labels, annotations, ownerReferences } };
  if (anew) await cluster.request('DELETE', path);
  const put = await cluster.request('PUT', path, { body });
  if (put.status < 300) return;
  const created = await cluster.request('POST', path.slice(0, path.lastIndexOf('/')), { body });
  if (created.status >= 300 && created.status !== 409) throw new Error(`${path}: ${JSON.stringify(created.body)}`);
}

async function restoreStatus(cluster: ControlPlaneAccess, path: string, { status }: KubeThing): Promise<void> {
  const body = { status };
  const contentType = 'application/merge-patch+json';
  const answer = await cluster.request('PATCH', `${path}/status`, { body, contentType });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
}

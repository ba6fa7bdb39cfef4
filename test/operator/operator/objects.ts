import { isObject } from '@gatehouse/crds';
import { isKindName, KINDS } from '@gatehouse/crds/kinds';
import { waitFor } from '@gatehouse/test/kit';
import { parseAllDocuments } from 'yaml';
import { APPLY_PATCH, type ControlPlaneAccess } from '../../cluster/index.ts';

const GROUP = 'gatehouse.dev';

export interface KubeThing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly kind: string }[];
  };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export const fleetOf = (namespace: string, spec: object): KubeThing => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'GatewayFleet',
  metadata: { name: 'main', namespace },
  spec,
});

/** Sets the consent label of a namespace; null takes it away. */
export async function label(cluster: ControlPlaneAccess, namespace: string, workspace: string | null): Promise<void> {
  const labels = { 'gatehouse.dev/workspace': workspace, 'gatehouse.dev/injection': 'enabled' };
  const body = { metadata: { labels } };
  await patch(cluster, `/api/v1/namespaces/${namespace}`, body, 'application/merge-patch+json');
}

export const ours = (kind: string, metadata: KubeThing['metadata'], spec: object): KubeThing => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind,
  metadata,
  spec,
});

export const secret = (namespace: string, name: string, texts: Readonly<Record<string, string>>): KubeThing => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data: Object.fromEntries(Object.entries(texts).map(([entry, text]) => [entry, Buffer.from(text).toString('base64')])),
});

const FOREIGN_CLUSTER_KINDS = new Set(['Namespace', 'ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition']);

export function pathOf({ apiVersion, kind, metadata }: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const own = isKindName(kind) ? KINDS[kind] : undefined;
  const isCluster = own === undefined ? FOREIGN_CLUSTER_KINDS.has(kind) : own.scope === 'Cluster';
  const place = isCluster ? '' : `/namespaces/${metadata.namespace}`;
  return `${base}${place}/${own?.plural ?? `${kind.toLowerCase()}s`}/${metadata.name}`;
}

/** Server-side apply with a field manager that is neither the operator nor GitOps. */
export async function apply(cluster: ControlPlaneAccess, object: KubeThing): Promise<KubeThing> {
  return patch(cluster, `${pathOf(object)}?fieldManager=test&force=true`, object, APPLY_PATCH);
}

export async function remove(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
): Promise<void> {
  await cluster.request('DELETE', pathOf(object));
}

export async function read(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
): Promise<KubeThing | undefined> {
  const { status, body } = await cluster.request('GET', pathOf(object));
  return status === 200 ? (body as KubeThing) : undefined;
}

export async function patch(
  cluster: ControlPlaneAccess,
  path: string,
  body: unknown,
  contentType: string,
): Promise<KubeThing> {
  const answer = await cluster.request('PATCH', path, { body, contentType });
  if (answer.status < 200 || answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body as KubeThing;
}

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

/** A condition that speaks of the object as it is now; undefined when there is none yet. */
export async function condition(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
  type: string,
): Promise<ConditionView | undefined> {
  const live = await read(cluster, object);
  const conditions = (live?.status?.['conditions'] ?? []) as readonly ConditionView[];
  const found = conditions.find((candidate) => candidate.type === type);
  return found?.observedGeneration === live?.metadata.generation ? found : undefined;
}

/** Waits for a condition of the object as it is now. */
export async function becomes(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
  want: Partial<ConditionView> & { readonly type: string },
  { deadlineMs }: { readonly deadlineMs?: number } = {},
): Promise<ConditionView> {
  let last: ConditionView | undefined;
  const holds = async (): Promise<ConditionView | undefined> => {
    last = await condition(cluster, object, want.type);
    if (last === undefined) return undefined;
    const isSame = Object.entries(want).every(([name, value]) => last?.[name as keyof ConditionView] === value);
    return isSame ? last : undefined;
  };
  return waitFor(holds, {
    ...(deadlineMs !== undefined && { deadlineMs }),
    what: `${object.kind} ${object.metadata.name} with ${JSON.stringify(want)}`,
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it has ${JSON.stringify(last)}`);
  });
}

/** The resources of a file as they stand, in other namespaces and with other names. */
export function documents(text: string, rename: (text: string) => string): KubeThing[] {
  return parseAllDocuments(rename(text)).flatMap((document) => {
    const value: unknown = document.toJS();
    return isObject(value) ? [value as unknown as KubeThing] : [];
  });
}

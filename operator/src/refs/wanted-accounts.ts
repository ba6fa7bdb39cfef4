import { isObject } from '@gatehouse/crds';
import { type KubeObject, keyOf, type NamedWatches, type ObjectKey, type Store } from '../runtime/index.ts';

interface Naming extends KubeObject {
  readonly spec?: unknown;
}

export interface WantedAccountsOptions {
  readonly workspaces: Pick<Store<Naming>, 'subscribe' | 'objects' | 'get'>;
  readonly watches: Pick<NamedWatches<never>, 'want'>;
  /** The namespaces whose Workspaces this operator serves. */
  readonly namespaces: 'all' | ReadonlySet<string>;
}

/**
 * Watches the ServiceAccounts that Workspaces name, from now on, in any namespace: a ServiceAccount holds no secret. Each counts
 * for its Workspace.
 */
export function wantServiceAccounts({ workspaces, watches, namespaces }: WantedAccountsOptions): void {
  const update = (key: ObjectKey): void => {
    const spec = specOf(workspaces.get(key));
    const { namespace } = spec;
    const isOurs = namespaces === 'all' || (typeof namespace === 'string' && namespaces.has(namespace));
    watches.want({ id: `Workspace/${key}`, share: key }, new Set(isOurs ? accountsIn(spec) : []));
  };
  for (const key of workspaces.objects.keys()) update(key);
  workspaces.subscribe(({ key, object, previous }) => {
    if (object === undefined || object.metadata.generation !== previous?.metadata.generation) update(key);
  });
}

const specOf = (object: Naming | undefined): Readonly<Record<string, unknown>> =>
  isObject(object?.spec) ? object.spec : {};

/** Read without validation: a broken Workspace keeps what is served for it. */
function accountsIn({ workloadIdentities }: Readonly<Record<string, unknown>>): readonly ObjectKey[] {
  const named: readonly unknown[] = Array.isArray(workloadIdentities) ? workloadIdentities : [];
  return named.flatMap((identity) => {
    const { namespace, serviceAccount } = isObject(identity) ? identity : {};
    const isNamed = typeof namespace === 'string' && typeof serviceAccount === 'string';
    return isNamed && namespace !== '' && serviceAccount !== '' ? [keyOf({ namespace, name: serviceAccount })] : [];
  });
}

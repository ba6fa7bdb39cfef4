import { GROUP, type KindName } from '@gatehouse/crds/kinds';
import type { KubeObject, NamedWatches, ObjectKey, Store } from '../runtime/index.ts';
import { conditionOf, keyOf, namespaceOf } from '../runtime/index.ts';
import { permitsSecret, type ReferenceGrant } from '../translate/index.ts';
import { abandonedSecret, REFERRING_KINDS, type SecretName, secretRefsOf } from './secret-refs.ts';
import type { ServedNamespaces } from './served-namespaces.ts';

interface Referring extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
  /** Of a resource whose spec is not kept. */
  readonly weight?: unknown;
}

interface Granting extends KubeObject {
  readonly spec?: Partial<ReferenceGrant> | undefined;
}

export interface WantedSecretsOptions {
  readonly kinds: ReadonlyMap<KindName, Pick<Store<Referring>, 'subscribe' | 'objects' | 'get'>>;
  /** Absent: references to other namespaces are not allowed. */
  readonly grants: Pick<Store<Granting>, 'subscribe' | 'objects'> | undefined;
  readonly watches: Pick<NamedWatches<never>, 'want' | 'recheck'>;
  /** The namespaces whose Secrets may be read. */
  readonly namespaces: 'all' | ReadonlySet<string>;
  /** The namespaces whose resources may be served. */
  readonly served: ServedNamespaces;
}

/**
 * Status changes matter only where a status names a Secret: a hundred thousand of them are written for other reasons.
 */
const namesOthers = (object: Referring, previous: Referring): boolean =>
  (object.weight === undefined && previous.weight !== undefined) ||
  object.metadata.generation !== previous.metadata.generation ||
  (abandonedSecret(object) === undefined) !== (abandonedSecret(previous) === undefined);

/** Whether the status, which the leader writes, says that all references are resolved: then Secrets may be read by now. */
function isResolved(object: Referring): boolean {
  const known = conditionOf(object, 'ResolvedRefs');
  if (known?.status !== 'True') return false;
  return 'observedGeneration' in known && known.observedGeneration === object.metadata.generation;
}

interface Referrer {
  readonly kind: KindName;
  readonly key: ObjectKey;
  readonly refs: readonly SecretName[];
}

/**
 * Watches the Secrets that objects name, from now on. Each counts for the namespace of the object; one in another namespace is
 * watched only while a ReferenceGrant there permits it, so that nothing is read without consent. Secrets that are denied here
 * and that the leader has read are checked at once.
 */
export function wantSecrets({ kinds, grants, watches, namespaces, served }: WantedSecretsOptions): void {
  const referrers = createReferrers();

  const isPermitted = (kind: KindName, own: string, { namespace, name }: SecretName): boolean => {
    if (!served.has(own) || (namespaces !== 'all' && !namespaces.has(namespace))) return false;
    if (namespace === own) return true;
    const there = [...(grants?.objects.values() ?? [])]
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ spec }) => ({ from: spec?.from ?? [], to: spec?.to ?? [] }));
    return permitsSecret(there, { group: GROUP, kind, namespace: own, secret: name });
  };
  const want = ({ kind, key, refs }: Referrer): void => {
    const own = namespaceOf(key);
    const permitted = refs.filter((ref) => isPermitted(kind, own, ref)).map(keyOf);
    watches.want({ id: `${kind}/${key}`, share: own }, new Set(permitted));
  };
  const update = (kind: KindName, key: ObjectKey): void => {
    const object = kinds.get(kind)?.get(key);
    const referrer = { kind, key, refs: object === undefined ? [] : secretRefsOf(kind, object) };
    referrers.put(referrer);
    want(referrer);
  };

  for (const kind of REFERRING_KINDS) {
    const store = kinds.get(kind);
    if (store === undefined) continue;
    for (const key of store.objects.keys()) update(kind, key);
    store.subscribe(({ key, object, previous }) => {
      if (object === undefined || previous === undefined || namesOthers(object, previous)) update(kind, key);
      else if (isResolved(object)) for (const ref of referrers.refsOf(kind, key)) watches.recheck(keyOf(ref));
    });
  }
  grants?.subscribe(() => {
    for (const referrer of referrers.abroad()) want(referrer);
  });
  served.subscribe((namespace) => {
    for (const referrer of referrers.in(namespace)) want(referrer);
  });
}

/** Objects that name Secrets, by their namespace: most of a hundred thousand name none. */
function createReferrers() {
  const byNamespace = new Map<string, Map<string, Referrer>>();
  const abroad = new Map<string, Referrer>();
  return {
    put: (referrer: Referrer): void => {
      const { kind, key, refs } = referrer;
      const id = `${kind}/${key}`;
      const own = namespaceOf(key);
      const beside = byNamespace.get(own) ?? new Map<string, Referrer>();
      if (refs.length === 0) beside.delete(id);
      else beside.set(id, referrer);
      if (beside.size === 0) byNamespace.delete(own);
      else byNamespace.set(own, beside);
      if (refs.some(({ namespace }) => namespace !== own)) abroad.set(id, referrer);
      else abroad.delete(id);
    },
    refsOf: (kind: KindName, key: ObjectKey): readonly SecretName[] =>
      byNamespace.get(namespaceOf(key))?.get(`${kind}/${key}`)?.refs ?? [],
    in: (namespace: string): Iterable<Referrer> => byNamespace.get(namespace)?.values() ?? [],
    abroad: (): Iterable<Referrer> => abroad.values(),
  };
}

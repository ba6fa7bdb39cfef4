import { GROUP, type KindName } from '@gatehouse/crds/kinds';
import type { KubeObject, NamedWatches, ObjectKey, Store } from '../runtime/index.ts';
import { keyOf, namespaceOf } from '../runtime/index.ts';
import { permitsSecret, type ReferenceGrant } from '../translate/index.ts';
import { abandonedSecret, REFERRING_KINDS, type SecretName, secretRefsOf } from './secret-refs.ts';

interface Referring extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

interface Granting extends KubeObject {
  readonly spec?: Partial<ReferenceGrant> | undefined;
}

export interface WantedSecretsOptions {
  readonly kinds: ReadonlyMap<KindName, Pick<Store<Referring>, 'subscribe' | 'objects' | 'get'>>;
  /** Absent: no reference may leave its namespace. */
  readonly grants: Pick<Store<Granting>, 'subscribe' | 'objects'> | undefined;
  readonly watches: Pick<NamedWatches<never>, 'want'>;
  /** Where Secrets may be read at all. */
  readonly namespaces: 'all' | ReadonlySet<string>;
  /** An object no longer wants a Secret; others may. */
  readonly onUnwanted: (key: ObjectKey) => void;
}

/** A status names a Secret, too, but a hundred thousand of them are written for other reasons. */
const namesOthers = (object: Referring, previous: Referring): boolean =>
  object.metadata.generation !== previous.metadata.generation ||
  (abandonedSecret(object) === undefined) !== (abandonedSecret(previous) === undefined);

const NONE: ReadonlySet<ObjectKey> = new Set();

interface Referrer {
  readonly kind: KindName;
  readonly key: ObjectKey;
}

/**
 * Has those Secrets watched that objects name, from now on: one in another namespace only while a ReferenceGrant there
 * permits it, so that nothing is read that nobody may have (DESIGN section 9).
 */
export function wantSecrets({ kinds, grants, watches, namespaces, onUnwanted }: WantedSecretsOptions): void {
  const abroad = new Map<string, Referrer>();
  const wantedBy = new Map<string, ReadonlySet<ObjectKey>>();

  const isPermitted = (kind: KindName, own: string, { namespace, name }: SecretName): boolean => {
    if (namespaces !== 'all' && !namespaces.has(namespace)) return false;
    if (namespace === own) return true;
    const there = [...(grants?.objects.values() ?? [])]
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ spec }) => ({ from: spec?.from ?? [], to: spec?.to ?? [] }));
    return permitsSecret(there, { group: GROUP, kind, namespace: own, secret: name });
  };
  const update = ({ kind, key }: Referrer): void => {
    const id = `${kind}/${key}`;
    const own = namespaceOf(key);
    const object = kinds.get(kind)?.get(key);
    const refs = object === undefined ? [] : secretRefsOf(kind, object);
    if (refs.some(({ namespace }) => namespace !== own)) abroad.set(id, { kind, key });
    else abroad.delete(id);
    const wanted = new Set(refs.filter((ref) => isPermitted(kind, own, ref)).map(keyOf));
    const before = wantedBy.get(id) ?? NONE;
    if (wanted.size === 0) wantedBy.delete(id);
    else wantedBy.set(id, wanted);
    watches.want(id, wanted);
    for (const secret of before.difference(wanted)) onUnwanted(secret);
  };

  for (const kind of REFERRING_KINDS) {
    const store = kinds.get(kind);
    if (store === undefined) continue;
    for (const key of store.objects.keys()) update({ kind, key });
    store.subscribe(({ key, object, previous }) => {
      if (object === undefined || previous === undefined || namesOthers(object, previous)) update({ kind, key });
    });
  }
  grants?.subscribe(() => {
    for (const referrer of abroad.values()) update(referrer);
  });
}

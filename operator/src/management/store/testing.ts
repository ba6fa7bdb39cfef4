/** A store in memory for tests: it parses resources as all stores do, and knows no owners and no references. */
import { err, ok } from '@gatehouse/crds';
import { API_VERSION, KINDS, type KindName, parseResource } from '@gatehouse/crds/kinds';
import type { Draft, Place, ResourceStore, StoredMeta, StoredObject, Written } from './port.ts';

const keyOf = ({ kind, namespace = '', name }: Place): string => `${kind}/${namespace}/${name}`;

/** Times and UUIDs follow the order of creation. */
export function createMemoryStore(): ResourceStore {
  const objects = new Map<string, StoredObject>();
  let changes = 0;

  const put = async <K extends KindName>(
    place: Place<K>,
    draft: Draft<K>,
    meta: StoredMeta,
  ): Written<StoredObject<K>> => {
    const { kind, name, namespace } = place;
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
    const spec: unknown = JSON.parse(JSON.stringify(draft.spec));
    const parsed = parseResource(kind, { apiVersion: API_VERSION, kind, metadata, spec });
    if (!parsed.ok) return err({ kind: 'invalid', issues: parsed.error });
    const object: StoredObject<K> = { kind, meta, spec: parsed.value.spec, status: {} };
    objects.set(keyOf(place), object as unknown as StoredObject); // the map holds objects of all Kinds
    return ok(object);
  };
  const held = <K extends KindName>(place: Place<K>): StoredObject<K> | undefined =>
    objects.get(keyOf(place)) as unknown as StoredObject<K> | undefined; // the key names the Kind
  const all = <K extends KindName>(kind: K): StoredObject<K>[] =>
    [...objects.values()].filter((object) => object.kind === kind) as unknown as StoredObject<K>[]; // filtered by Kind

  return {
    get: async (place) => held(place),
    list: async (kind, namespace) =>
      all(kind).filter(({ meta }) => namespace === undefined || meta.namespace === namespace),
    find: async (kind, uid) => all(kind).find(({ meta }) => meta.uid === uid),
    create: async (place, draft) => {
      if (held(place) !== undefined) return err({ kind: 'exists' });
      changes += 1;
      const uid = `00000000-0000-4000-8000-${String(changes).padStart(12, '0')}`;
      const createdAt = new Date(Date.UTC(2027, 0, 1) + changes * 1_000).toISOString();
      const namespace = KINDS[place.kind].scope === 'Cluster' ? undefined : place.namespace;
      const meta = {
        name: place.name,
        namespace,
        uid,
        resourceVersion: String(changes),
        createdAt,
        labels: {},
        annotations: {},
      };
      return put(place, draft, meta);
    },
    update: async (place, change) => {
      const current = held(place);
      if (current === undefined) return err({ kind: 'absent' });
      changes += 1;
      return put(place, change(current), { ...current.meta, resourceVersion: String(changes) });
    },
    delete: async (place) => (objects.delete(keyOf(place)) ? ok(undefined) : err({ kind: 'absent' })),
  };
}

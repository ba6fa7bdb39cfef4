/** A store in memory for tests: it parses resources and knows marks of owners as all stores do, and knows no references. */
import { err, ok } from '@gatehouse/crds';
import { API_VERSION, KINDS, type KindName, parseResource } from '@gatehouse/crds/kinds';
import { ownerOf } from './owner.ts';
import type {
  Draft,
  Place,
  ResourceStore,
  StoredMeta,
  StoredObject,
  WriteOptions,
  WriteProblem,
  Written,
} from './port.ts';

const keyOf = ({ kind, namespace = '', name }: Place): string => `${kind}/${namespace}/${name}`;

interface Put {
  readonly draft: Draft;
  readonly meta: StoredMeta;
  readonly dryRun: boolean | undefined;
}

type Marks = Readonly<Record<string, string | undefined>>;

function merged(before: Marks, given: Marks = {}): Readonly<Record<string, string>> {
  const all = Object.entries({ ...before, ...given });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const owned = ({ meta }: StoredObject, { force }: WriteOptions): WriteProblem | undefined => {
  const owner = force ? undefined : ownerOf(meta);
  return owner === undefined ? undefined : { kind: 'owned', owner, fields: [] };
};

const timeOf = (change: number): string => new Date(Date.UTC(2027, 0, 1) + change * 1_000).toISOString();

/** Times and UUIDs follow the order of creation. */
export function createMemoryStore(): ResourceStore {
  const objects = new Map<string, StoredObject>();
  let changes = 0;

  const put = async <K extends KindName>(
    place: Place<K>,
    { draft, meta: before, dryRun = false }: Put,
  ): Written<StoredObject<K>> => {
    const { kind, name, namespace } = place;
    const meta = {
      ...before,
      annotations: merged(before.annotations, draft.annotations),
      labels: merged(before.labels, draft.labels),
    };
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
    const spec: unknown = JSON.parse(JSON.stringify(draft.spec));
    const parsed = parseResource(kind, { apiVersion: API_VERSION, kind, metadata, spec });
    if (!parsed.ok) return err({ kind: 'invalid', issues: parsed.error });
    const object: StoredObject<K> = { kind, meta, spec: parsed.value.spec, status: {} };
    if (!dryRun) objects.set(keyOf(place), object as unknown as StoredObject); // the map holds objects of all Kinds
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
    create: async (place, draft, { dryRun }) => {
      if (held(place) !== undefined) return err({ kind: 'exists' });
      changes += 1;
      const uid = `00000000-0000-4000-8000-${String(changes).padStart(12, '0')}`;
      const createdAt = timeOf(changes);
      const namespace = KINDS[place.kind].scope === 'Cluster' ? undefined : place.namespace;
      const meta = {
        name: place.name,
        namespace,
        uid,
        resourceVersion: String(changes),
        createdAt,
        updatedAt: createdAt,
        labels: {},
        annotations: {},
      };
      return put(place, { draft, meta, dryRun });
    },
    update: async (place, change, how) => {
      const current = held(place);
      if (current === undefined) return err({ kind: 'absent' });
      const refused = owned(current as unknown as StoredObject, how); // of any Kind
      if (refused !== undefined) return err(refused);
      changes += 1;
      return put(place, {
        draft: change(current),
        meta: { ...current.meta, resourceVersion: String(changes), updatedAt: timeOf(changes) },
        dryRun: how.dryRun,
      });
    },
    delete: async (place, how) => {
      const current = held(place);
      if (current === undefined) return err({ kind: 'absent' });
      const refused = owned(current, how);
      if (refused !== undefined) return err(refused);
      if (how.dryRun !== true) objects.delete(keyOf(place));
      return ok(undefined);
    },
  };
}

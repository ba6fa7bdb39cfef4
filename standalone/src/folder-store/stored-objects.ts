/** The objects of a folder as the management API reads them. */
import { createHash } from 'node:crypto';
import { API_VERSION, KINDS, type KindName, parseResource } from '@gatehouse/crds/kinds';
import { canonicalJson } from '@gatehouse/crds/snapshot';
import type { Place, StoredMeta, StoredObject } from '@gatehouse/operator/management';
import { objectKey, type Verdict, type WorldObject } from '@gatehouse/operator/translate';
import { type FolderView, writtenAtMs } from '../resource-folder/index.ts';

export interface StoredObjects {
  /** Undefined also for an object that does not have the schema of its Kind. */
  get<K extends KindName>(place: Place<K>): StoredObject<K> | undefined;
  /** In the order of their creation. */
  list<K extends KindName>(kind: K, namespace?: string): readonly StoredObject<K>[];
  find<K extends KindName>(kind: K, uid: string): StoredObject<K> | undefined;
}

/** `Namespace/name`, or the name of a cluster-scoped object. */
export const keyOf = ({ kind, namespace, name }: Place): string =>
  objectKey(KINDS[kind].scope === 'Cluster' ? undefined : namespace, name);

export const idOf = (place: Place): string => `${place.kind}/${keyOf(place)}`;

interface Indexes {
  readonly byKey: ReadonlyMap<string, StoredObject>;
  readonly byUid: ReadonlyMap<string, StoredObject>;
  /** All of them under undefined; each list is in the order of creation, and not copied for who reads it. */
  readonly lists: ReadonlyMap<string | undefined, readonly StoredObject[]>;
}

/** Objects are read once, and again when their file has changed. */
export function createStoredObjects(view: () => FolderView): StoredObjects {
  const known = new WeakMap<WorldObject, StoredObject | 'invalid'>();
  let indexed: { readonly view: FolderView; readonly byKind: Map<KindName, Indexes>; verdicts?: Verdicts } | undefined;

  const indexesOf = (kind: KindName): Indexes => {
    const now = view();
    if (indexed?.view !== now) indexed = { view: now, byKind: new Map() };
    const had = indexed.byKind.get(kind);
    if (had !== undefined) return had;
    indexed.verdicts ??= new Map(now.translation.verdicts.map((verdict) => [verdict.key, verdict]));
    const made = readAll(kind, { view: now, verdicts: indexed.verdicts, known });
    indexed.byKind.set(kind, made);
    return made;
  };
  // An index holds objects of its Kind.
  return {
    get: <K extends KindName>(place: Place<K>) =>
      indexesOf(place.kind).byKey.get(keyOf(place)) as StoredObject<K> | undefined,
    list: <K extends KindName>(kind: K, namespace?: string) =>
      (indexesOf(kind).lists.get(namespace) ?? []) as unknown as readonly StoredObject<K>[],
    find: <K extends KindName>(kind: K, uid: string) => indexesOf(kind).byUid.get(uid) as StoredObject<K> | undefined,
  };
}

type Verdicts = ReadonlyMap<string, Verdict>;

interface Reading {
  readonly view: FolderView;
  readonly verdicts: Verdicts;
  readonly known: WeakMap<WorldObject, StoredObject | 'invalid'>;
}

function readAll(kind: KindName, { view, verdicts, known }: Reading): Indexes {
  const objects: { readonly key: string; readonly object: StoredObject }[] = [];
  view.world.resources.get(kind)?.forEach((resource, key) => {
    const read = known.get(resource) ?? readObject(kind, resource, { key, view });
    known.set(resource, read);
    if (read === 'invalid') return;
    objects.push({ key, object: { ...read, status: statusOf(verdicts.get(`${kind}/${key}`)) } });
  });
  const order = ({ object: { meta } }: (typeof objects)[number]): string => `${meta.createdAt} ${meta.name}`;
  objects.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const ordered = objects.map(({ object }) => object);
  const byNamespace = Map.groupBy(ordered, ({ meta }) => meta.namespace);
  byNamespace.delete(undefined);
  return {
    byKey: new Map(objects.map(({ key, object }) => [key, object])),
    byUid: new Map(ordered.map((object) => [object.meta.uid, object])),
    lists: new Map([[undefined, ordered], ...byNamespace]),
  };
}

function readObject(
  kind: KindName,
  resource: WorldObject,
  { key, view }: { readonly key: string; readonly view: FolderView },
): StoredObject | 'invalid' {
  const located = view.located.get(`${kind}/${key}`);
  const file = located === undefined ? undefined : view.files.get(located.file);
  const wanted = { ...(located?.object.value ?? resource), status: undefined };
  const parsed = parseResource(kind, JSON.parse(JSON.stringify(wanted)), { caps: view.world.settings.caps });
  if (!parsed.ok) return 'invalid';
  const writtenMs = file === undefined ? 0 : writtenAtMs(file.signature);
  return { kind, meta: metaOf(parsed.value, writtenMs, wanted), spec: parsed.value.spec, status: {} };
}

/** What a write would make of an object that has been reviewed. */
export function toStored<K extends KindName>(kind: K, value: object, view: FolderView): StoredObject<K> | undefined {
  const parsed = parseResource(kind, value, { caps: view.world.settings.caps });
  if (!parsed.ok) return undefined;
  return { kind, meta: metaOf(parsed.value, 0, value), spec: parsed.value.spec, status: {} };
}

interface Read {
  readonly kind: KindName;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly creationTimestamp?: string | null | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

function metaOf({ kind, metadata }: Read, writtenMs: number, value: object): StoredMeta {
  const { name, labels = {}, annotations = {}, creationTimestamp } = metadata;
  const namespace = KINDS[kind].scope === 'Cluster' ? undefined : metadata.namespace;
  const asWritten = Date.parse(creationTimestamp ?? '');
  const createdMs = Number.isNaN(asWritten) ? writtenMs : asWritten;
  return {
    name,
    namespace,
    uid: uuidOf(idOf({ kind, namespace, name })),
    resourceVersion: hashOf(canonicalJson(JSON.parse(JSON.stringify(value)))).slice(0, 16),
    createdAt: new Date(createdMs).toISOString(),
    updatedAt: new Date(Math.max(createdMs, writtenMs)).toISOString(),
    labels,
    annotations,
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Of an object by its id, `Kind/namespace/name`: a UUID of version 8 (RFC 9562) with 122 bits of a hash. */
export function uuidOf(place: string): string {
  const hex = hashOf(`${API_VERSION}/${place}`);
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** Nothing is served from a folder but what is translated: conditions of pods do not exist. */
function statusOf(verdict: Verdict | undefined): StoredObject['status'] {
  if (verdict === undefined) return {};
  const conditions = Object.entries(verdict.conditions).map(([type, { status, reason, message }]) => ({
    type,
    status,
    reason,
    message,
  }));
  return { conditions };
}

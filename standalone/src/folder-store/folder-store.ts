/** Keeps the resources of the management API in the files of a folder, one write after the other. */
import { err, ok } from '@gatehouse/crds';
import { API_VERSION, KINDS, type KindName } from '@gatehouse/crds/kinds';
import {
  type Draft,
  differences,
  ownerOf,
  type Place,
  permittedOnly,
  problemInReview,
  type ResourceStore,
  type StoredObject,
  toPlain,
  type WriteOptions,
  type WriteProblem,
  type Written,
} from '@gatehouse/operator/management';
import type { ReviewedWrite } from '@gatehouse/operator/review';
import type { FolderView, ResourceFolder } from '../resource-folder/index.ts';
import { createFiles, type Files } from './files.ts';
import { removeSecretsOf, writeSecret } from './secrets.ts';
import { createStoredObjects, idOf, type StoredObjects, toStored } from './stored-objects.ts';
import type { Edit } from './yaml-edit/index.ts';

export interface FolderStoreOptions {
  /** The folder that is served; new objects get files below it. */
  readonly root: string;
  readonly folder: ResourceFolder;
  /** Unix time in ms. */
  now(): number;
}

/** Reads see what is served; a write is served when it is answered. */
export function createFolderStore(options: FolderStoreOptions): ResourceStore {
  const view = (): FolderView => {
    const now = options.folder.view();
    if (now === undefined) throw new Error('the folder has not been read');
    return now;
  };
  const parts: Parts = { ...options, view, objects: createStoredObjects(view), files: createFiles(options, view) };
  const alone = createLock();
  return {
    get: async (place) => parts.objects.get(place),
    list: async (kind, namespace) => parts.objects.list(kind, namespace),
    find: async (kind, uid) => parts.objects.find(kind, uid),
    create: (place, draft, how) => alone(() => create(parts, place, { draft, how })),
    update: (place, change, how) => alone(() => update(parts, place, { change, how })),
    delete: (place, how) => alone(() => remove(parts, place, how)),
  };
}

interface Parts extends FolderStoreOptions {
  readonly view: () => FolderView;
  readonly objects: StoredObjects;
  readonly files: Files;
}

/** Runs one task after the other. */
function createLock(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined); // whoever asked gets the error
    return next;
  };
}

async function create<K extends KindName>(
  parts: Parts,
  place: Place<K>,
  { draft, how }: { readonly draft: Draft; readonly how: WriteOptions },
): Written<StoredObject<K>> {
  await parts.folder.refresh();
  const { located } = parts.view();
  if (located.has(idOf(place)) || parts.objects.get(place) !== undefined) return err({ kind: 'exists' });
  const object = newObject(place, draft, new Date(parts.now()));
  const tried = how.permittedOnly === true ? permittedOnly(object) : object;
  const refused = review(parts, place, { operation: 'CREATE', object: tried });
  if (refused !== undefined) return err(refused);
  if (how.dryRun === true) return stored(toStored(place.kind, object, parts.view()));
  const secret = await writeSecret(parts.files, { place, draft: draft.secret, force: how.force, isNew: true });
  if (secret !== undefined) return err(secret);
  const failed = await parts.files.create(place, object);
  return failed === undefined ? stored(parts.objects.get(place)) : err(failed);
}

function newObject<K extends KindName>(place: Place<K>, draft: Draft, now: Date): Readonly<Record<string, unknown>> {
  const { kind, name, namespace } = place;
  const metadata = {
    name,
    namespace: KINDS[kind].scope === 'Cluster' ? undefined : namespace,
    creationTimestamp: `${now.toISOString().slice(0, 19)}Z`,
    annotations: draft.annotations,
    labels: draft.labels,
  };
  return toPlain({ apiVersion: API_VERSION, kind, metadata, spec: draft.spec }) as Record<string, unknown>; // an object
}

/** After a write the object is there, unless somebody has removed it at once. */
const stored = <T>(object: T | undefined): Awaited<Written<T>> =>
  object === undefined ? err({ kind: 'contended' }) : ok(object);

/** How often a change is tried while others write the same file. */
const MAX_TRIES = 5;

async function update<K extends KindName>(
  parts: Parts,
  place: Place<K>,
  { change, how }: { readonly change: (current: StoredObject<K>) => Draft; readonly how: WriteOptions },
): Written<StoredObject<K>> {
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const outcome = await tryUpdate(parts, place, { change, how });
    if (outcome.ok || outcome.error.kind !== 'contended') return outcome;
  }
  return err({ kind: 'contended' });
}

async function tryUpdate<K extends KindName>(
  parts: Parts,
  place: Place<K>,
  { change, how }: { readonly change: (current: StoredObject<K>) => Draft; readonly how: WriteOptions },
): Written<StoredObject<K>> {
  await parts.folder.refresh();
  const current = parts.objects.get(place);
  if (current === undefined) return err({ kind: 'absent' });
  const draft = change(current);
  const edits = editsOf(current, draft);
  const refused = refusalOf(parts, place, { current, edits, how });
  if (refused !== undefined) return err(refused);
  if (how.dryRun === true) return stored(toStored(place.kind, edited(parts, place, edits), parts.view()));
  const secret = await writeSecret(parts.files, { place, draft: draft.secret, force: how.force, isNew: false });
  if (secret !== undefined) return err(secret);
  const failed = edits.length === 0 ? undefined : await parts.files.edit(place, edits);
  if (failed !== undefined) return err(failed);
  if (draft.retired !== undefined) await removeSecretsOf(parts.files, place, draft.retired);
  return stored(parts.objects.get(place));
}

function editsOf({ spec, meta }: StoredObject, draft: Draft): readonly Edit[] {
  const annotations = { ...meta.annotations, ...draft.annotations };
  return [
    ...differences(toPlain(spec), toPlain(draft.spec), ['spec']),
    ...differences(meta.annotations, toPlain(annotations), ['metadata', 'annotations']),
    ...differences(meta.labels, toPlain({ ...meta.labels, ...draft.labels }), ['metadata', 'labels']),
  ];
}

interface Change {
  readonly current: StoredObject;
  readonly edits: readonly Edit[];
  readonly how: WriteOptions;
}

function refusalOf(parts: Parts, place: Place, { current, edits, how }: Change): WriteProblem | undefined {
  const owner = how.force || edits.length === 0 ? undefined : ownerOf(current.meta);
  if (owner !== undefined) return { kind: 'owned', owner, fields: edits.map(({ path }) => path.join('.')) };
  const before = parts.view().located.get(idOf(place))?.object.value;
  if (before === undefined) return IMPLIED;
  return review(parts, place, { operation: 'UPDATE', object: edited(parts, place, edits), oldObject: before });
}

const IMPLIED: WriteProblem = {
  kind: 'forbidden',
  message: 'It is in no file: the folder implies it. Write a resource for it into a file',
};

/** The object with the edits, as data. */
function edited(parts: Parts, place: Place, edits: readonly Edit[]): Readonly<Record<string, unknown>> {
  const value = parts.view().located.get(idOf(place))?.object.value;
  const root = toPlain(value) as Record<string, unknown>; // an object
  for (const { path, value: to } of edits) {
    let node = root;
    for (const step of path.slice(0, -1)) {
      const next = (node[String(step)] ?? {}) as Record<string, unknown>; // edits go through maps
      node[String(step)] = next;
      node = next;
    }
    const last = String(path.at(-1));
    if (to === undefined) delete node[last];
    else node[last] = to;
  }
  return root;
}

async function remove(parts: Parts, place: Place, how: WriteOptions): Written<undefined> {
  for (let i = 0; i < MAX_TRIES; i += 1) {
    await parts.folder.refresh();
    const refused = deletionRefusal(parts, place, how);
    if (refused !== undefined) return err(refused);
    if (how.dryRun === true) return ok(undefined);
    const failed = await parts.files.remove(idOf(place));
    if (failed === undefined) {
      await removeSecretsOf(parts.files, place);
      return ok(undefined);
    }
    if (failed.kind !== 'contended') return err(failed);
  }
  return err({ kind: 'contended' });
}

function deletionRefusal(parts: Parts, place: Place, { force }: WriteOptions): WriteProblem | undefined {
  const current = parts.objects.get(place);
  if (current === undefined) return { kind: 'absent' };
  const owner = force ? undefined : ownerOf(current.meta);
  if (owner !== undefined) return { kind: 'owned', owner, fields: [] };
  const located = parts.view().located.get(idOf(place));
  if (located === undefined) return IMPLIED;
  return review(parts, place, { operation: 'DELETE', oldObject: located.object.value });
}

/** The verdict of the webhook, about the resources that are served. */
const review = (
  { view, now }: Parts,
  place: Place,
  write: Pick<ReviewedWrite, 'operation' | 'object' | 'oldObject'>,
): WriteProblem | undefined =>
  problemInReview(place, write, { translatedWorld: view, isTerminating: () => false, now });

/** A store that notes what it changes, for one call. */
import type { AuditChange } from '@gatehouse/crds/records';
import type { Draft, Place, ResourceStore, StoredObject } from '../store/index.ts';
import { withoutSecrets } from './masked-spec.ts';

type Note = (change: AuditChange) => void;

export function recordingStore(store: ResourceStore, note: Note): ResourceStore {
  return {
    get: store.get,
    list: store.list,
    find: store.find,
    create: async (place, draft, options) => {
      const made = await store.create(place, draft, options);
      if (made.ok && options.dryRun !== true) {
        note(changeOf(place, 'create', undefined, made.value));
        noteSecrets(place, draft, note);
      }
      return made;
    },
    update: async (place, change, options) => {
      const seen: { before?: StoredObject; draft?: Draft } = {};
      const keep: typeof change = (current) => {
        seen.before = current;
        seen.draft = change(current);
        return seen.draft;
      };
      const changed = await store.update(place, keep, options);
      if (changed.ok && options.dryRun !== true) {
        note(changeOf(place, 'update', seen.before, changed.value));
        noteSecrets(place, seen.draft, note);
      }
      return changed;
    },
    delete: async (place, options) => {
      const before = await store.get(place);
      const gone = await store.delete(place, options);
      if (gone.ok && options.dryRun !== true) note(changeOf(place, 'delete', before, undefined));
      return gone;
    },
  };
}

/** Which entries of Secrets were written, and which Secrets went: never what is in them. */
function noteSecrets({ namespace = '' }: Place, draft: Draft | undefined, note: Note): void {
  const { secret, retired = [] } = draft ?? {};
  if (secret !== undefined) {
    const entries = Object.keys(secret.entries).sort();
    const after = { entries };
    note({ kind: 'Secret', object: `${namespace}/${secret.name}`, action: 'rotate', before: null, after });
  }
  for (const name of retired) {
    note({ kind: 'Secret', object: `${namespace}/${name}`, action: 'delete', before: null, after: null });
  }
}

const contentOf = (object: StoredObject | undefined): AuditChange['before'] =>
  object === undefined ? null : (withoutSecrets(object.spec) as Record<string, unknown>); // a spec is an object

const changeOf = (
  { kind, namespace, name }: Place,
  action: AuditChange['action'],
  before: StoredObject | undefined,
  after: StoredObject | undefined,
): AuditChange => ({
  kind,
  object: namespace === undefined ? name : `${namespace}/${name}`,
  action,
  before: contentOf(before),
  after: contentOf(after),
});

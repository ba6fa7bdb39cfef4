/** A store that notes what it changes, for one call. */
import type { AuditChange } from '@gatehouse/crds/records';
import type { Place, ResourceStore, StoredObject } from '../store/index.ts';
import { withoutSecrets } from './masked-spec.ts';

type Note = (change: AuditChange) => void;

export function recordingStore(store: ResourceStore, note: Note): ResourceStore {
  return {
    get: store.get,
    list: store.list,
    find: store.find,
    create: async (place, draft, options) => {
      const made = await store.create(place, draft, options);
      if (made.ok && options.dryRun !== true) note(changeOf(place, 'create', undefined, made.value));
      return made;
    },
    update: async (place, change, options) => {
      const seen: { before?: StoredObject } = {};
      const keep: typeof change = (current) => {
        seen.before = current;
        return change(current);
      };
      const changed = await store.update(place, keep, options);
      if (changed.ok && options.dryRun !== true) note(changeOf(place, 'update', seen.before, changed.value));
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

/** What goes with an account that a directory suspends or deletes. */
import type { UserRow } from '@gatehouse/crds/records';
import { isScimMade, type ResourceStore, type StoredObject } from '../../store/index.ts';
import type { Services } from '../family.ts';
import { written } from '../write.ts';

const FORCED = { force: true };

/** Deletes keys of people, also those that another tool owns. */
export async function deleteKeys(
  store: ResourceStore,
  isMeant: (key: StoredObject<'ApiKey'>) => boolean,
): Promise<void> {
  for (const key of await store.list('ApiKey')) {
    if (key.spec.type !== 'workspace-user' || !isMeant(key)) continue;
    const { namespace, name } = key.meta;
    const ended = await store.delete({ kind: 'ApiKey', namespace, name }, FORCED);
    if (ended.ok || ended.error.kind !== 'absent') written(ended, `key ${name}`);
  }
}

/**
 * Deletes the keys of the person and ends the memberships that groups have made, but in workspaces where somebody has added the person.
 * Rejects when one is left, so that the directory tries again.
 */
export async function endAccess({ store }: Services, { id, email }: Pick<UserRow, 'id' | 'email'>): Promise<void> {
  const names: ReadonlySet<string> = new Set([id, email]);
  const members = (await store.list('WorkspaceMember')).filter(({ spec }) => names.has(spec.user));
  const byHand = new Set(members.filter(({ meta }) => !isScimMade(meta)).map(({ meta }) => meta.namespace));
  await deleteKeys(store, ({ meta, spec }) => names.has(spec.user ?? '') && !byHand.has(meta.namespace));
  for (const { meta } of members.filter((member) => isScimMade(member.meta))) {
    const place = { kind: 'WorkspaceMember', namespace: meta.namespace, name: meta.name } as const;
    const ended = await store.delete(place, FORCED);
    if (ended.ok || ended.error.kind !== 'absent') written(ended, 'member');
  }
}

import { namespaceOf } from './last-good.ts';
import type { Translation } from './translate.ts';

/** Workspaces by the namespace they have: only those that are served. */
export function ownersIn({ memo }: Pick<Translation, 'memo'>): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  memo.items.get('Workspace')?.forEach(({ source: { resource, object }, outcome }) => {
    const namespace = resource?.kind === 'Workspace' ? resource.spec.namespace : namespaceOf(object);
    if (namespace !== undefined && (outcome?.entries.length ?? 0) > 0) owners.set(namespace, object.metadata.name);
  });
  return owners;
}

import type { Pod } from './pod.ts';

export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** The fields an injector may change; RFC 6902 `add` replaces an existing member. */
const PLACES = [
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
  ['spec', 'initContainers'],
  ['spec', 'containers'],
  ['spec', 'volumes'],
] as const;

/** The JSON patch from one form of a pod to another; empty without differences. */
export function patchOf(before: Pod, after: Pod): readonly PatchOperation[] {
  const changes = PLACES.flatMap(([part, member]) => {
    const value = after[part]?.[member];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(before[part]?.[member])) return [];
    return [{ op: 'add' as const, path: `/${part}/${member}`, value }];
  });
  const needsMetadata = before.metadata === undefined && changes.some(({ path }) => path.startsWith('/metadata/'));
  return needsMetadata ? [{ op: 'add', path: '/metadata', value: {} }, ...changes] : changes;
}

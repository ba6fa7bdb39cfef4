import type { PolicyRule } from '../../rbac.ts';
import { SIDECAR_COPY } from './names.ts';

/**
 * The mounted copies by name, and the pods to count; rights on the Kind itself are common to all Kinds. The right to create can
 * be limited to a name here, since server-side apply sends the name before the object exists.
 */
export const rbac: readonly PolicyRule[] = [
  ...(['configmaps', 'secrets'] as const).map(
    (resource): PolicyRule => ({
      apiGroups: [''],
      resources: [resource],
      resourceNames: [SIDECAR_COPY],
      verbs: ['get', 'watch', 'create', 'patch', 'delete'],
      scope: resource === 'secrets' ? 'workspace' : 'watched',
    }),
  ),
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'], scope: 'watched' },
];

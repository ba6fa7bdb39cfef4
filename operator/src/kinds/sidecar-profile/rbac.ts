import type { PolicyRule } from '../../rbac.ts';
import { SIDECAR_COPY } from './names.ts';

/**
 * The mounted copies by name, and the pods that count; every controller may read its Kind and write its status. The right to
 * create can have a name here, since server-side apply says it before the object exists.
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

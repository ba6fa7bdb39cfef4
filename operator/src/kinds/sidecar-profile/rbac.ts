import type { PolicyRule } from '../../rbac.ts';
import { SIDECAR_COPY } from '../../webhook/index.ts';

/** The mounted copies by name, and the pods that count; every controller may read its Kind and write its status. */
export const rbac: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'secrets'],
    resourceNames: [SIDECAR_COPY],
    verbs: ['get', 'watch', 'patch', 'delete'],
    scope: 'watched',
  },
  // A name cannot be checked where the object does not exist yet.
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['create'], scope: 'watched' },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'], scope: 'watched' },
];

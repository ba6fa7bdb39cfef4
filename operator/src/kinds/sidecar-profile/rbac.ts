import { GROUP } from '@gatehouse/crds/kinds';
import type { PolicyRule } from '../../rbac.ts';
import { SIDECAR_COPY } from '../../webhook/index.ts';

/** The mounted copies by name, the pods that count, and the statuses of profiles. */
export const rbac: readonly PolicyRule[] = [
  { apiGroups: [GROUP], resources: ['sidecarprofiles'], verbs: ['get', 'list', 'watch'], scope: 'watched' },
  { apiGroups: [GROUP], resources: ['sidecarprofiles/status'], verbs: ['patch'], scope: 'watched' },
  {
    apiGroups: [''],
    resources: ['configmaps', 'secrets'],
    resourceNames: [SIDECAR_COPY],
    verbs: ['get', 'watch', 'patch'],
    scope: 'watched',
  },
  // A name cannot be checked where the object does not exist yet.
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['create'], scope: 'watched' },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'], scope: 'watched' },
];

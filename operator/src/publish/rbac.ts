import type { PolicyRule } from '../rbac.ts';

/**
 * Shards and manifests by name, in the namespaces of fleets, and watches of their metadata. Neither ConfigMaps nor Secrets are
 * listed.
 */
export const rbac: readonly PolicyRule[] = [
  {
    scope: 'fleet',
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  { scope: 'fleet', apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch', 'delete'] },
];

import type { PolicyRule } from '../rbac.ts';

/** Shards and manifests by name, in the namespaces of fleets. Neither ConfigMaps nor Secrets are listed. */
export const rbac: readonly PolicyRule[] = [
  {
    scope: 'fleet',
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  },
  { scope: 'fleet', apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch', 'delete'] },
];

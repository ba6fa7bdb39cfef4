import type { PolicyRule } from '../rbac.ts';

/** Shards and manifests by name, in the namespaces of fleets. Neither ConfigMaps nor Secrets are listed. */
export const rbac: readonly PolicyRule[] = [
  {
    scope: 'watched',
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  },
  { scope: 'watched', apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch', 'delete'] },
];

import type { PolicyRule } from '../rbac.ts';

/** Services that resources of workspaces name, in the namespaces where they name some. */
export const rbac: readonly PolicyRule[] = [
  { scope: 'watched', apiGroups: [''], resources: ['services', 'pods'], verbs: ['list', 'watch'] },
  { scope: 'watched', apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];

import type { PolicyRule } from '../rbac.ts';

/** Services and their endpoints, in namespaces where resources of workspaces name them. */
export const rbac: readonly PolicyRule[] = [
  { scope: 'watched', apiGroups: [''], resources: ['services', 'pods'], verbs: ['list', 'watch'] },
  { scope: 'watched', apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];

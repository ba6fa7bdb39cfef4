import type { PolicyRule } from '../rbac.ts';

/** Reviews of the tokens that sidecars send. */
export const rbac: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'], scope: 'cluster' },
];

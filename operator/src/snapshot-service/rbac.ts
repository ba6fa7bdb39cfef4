import type { PolicyRule } from '../rbac.ts';

/** Asking the API server who sends a token. */
export const rbac: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'], scope: 'cluster' },
];

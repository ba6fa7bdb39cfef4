import type { PolicyRule } from '../rbac.ts';

/** Every replica watches the lease for the annotation; writing it needs no more rights than the election. */
export const rbac: readonly PolicyRule[] = [
  {
    scope: 'own',
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['gatehouse-operator'],
    verbs: ['watch'],
  },
];

import type { PolicyRule } from '../rbac.ts';

/** Every replica watches the lease for the mark; writing it needs no more than the election does. */
export const rbac: readonly PolicyRule[] = [
  {
    scope: 'own',
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['gatehouse-operator'],
    verbs: ['watch'],
  },
];

import type { PolicyRule } from '../rbac.ts';
import { POSTGRES_PASSWORD_SECRET } from './secret.ts';

/** The chart installs the Secret empty: no right to create one is needed. */
export const rbac: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [POSTGRES_PASSWORD_SECRET],
    verbs: ['get', 'watch', 'patch'],
    scope: 'own',
  },
];

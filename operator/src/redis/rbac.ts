import type { PolicyRule } from '../rbac.ts';
import { REDIS_PASSWORD_SECRET } from './secrets.ts';

/**
 * The chart installs the Secret empty: no right to create one is needed, and an uninstallation removes the password. The
 * Secrets with the URL are in the namespaces of fleets, where the rules of GatewayFleet apply.
 */
export const rbac: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [REDIS_PASSWORD_SECRET],
    verbs: ['get', 'watch', 'patch'],
    scope: 'own',
  },
];

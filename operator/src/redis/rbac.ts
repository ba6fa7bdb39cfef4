import type { PolicyRule } from '../rbac.ts';
import { REDIS_PASSWORD_SECRET } from './secrets.ts';

/**
 * The chart installs the Secret empty: no right to create one is needed, and an uninstall takes the password along. The Secrets
 * with the URL stand beside their fleets, where the rules of GatewayFleet hold.
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

import type { PolicyRule } from '../rbac.ts';
import { EMBEDDED_SERVERS } from './servers.ts';

/**
 * The chart installs the Secrets empty: no right to create one is needed, and an uninstallation removes the passwords. The
 * Secrets with URLs are in the namespaces of fleets, where the rules of GatewayFleet apply.
 */
export const rbac: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: EMBEDDED_SERVERS.map(({ secret }) => secret),
    verbs: ['get', 'watch', 'patch'],
    scope: 'own',
  },
];

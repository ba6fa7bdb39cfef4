import { CERTIFICATE_SECRET, MANAGEMENT_CERTIFICATE_SECRET } from '../certificates/index.ts';
import type { PolicyRule } from '../rbac.ts';
import { INJECTION, VALIDATING } from './configurations.ts';

const GROUP = 'admissionregistration.k8s.io';

/**
 * Both configurations by name, and the Secrets with certificates. The chart installs the configurations empty: an operator
 * that could create them would restore what an uninstallation has just removed.
 */
export const rbac: readonly PolicyRule[] = [
  {
    apiGroups: [GROUP],
    resources: ['validatingwebhookconfigurations'],
    resourceNames: [VALIDATING],
    verbs: ['get', 'watch', 'patch'],
    scope: 'cluster',
  },
  {
    apiGroups: [GROUP],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: [INJECTION],
    verbs: ['get', 'watch', 'patch'],
    scope: 'cluster',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [CERTIFICATE_SECRET, MANAGEMENT_CERTIFICATE_SECRET],
    verbs: ['get', 'update'],
    scope: 'own',
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'], scope: 'own' },
];

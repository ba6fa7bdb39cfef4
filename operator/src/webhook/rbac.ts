import type { PolicyRule } from '../rbac.ts';
import { CERTIFICATE_SECRET } from './certificates/index.ts';
import { INJECTION, VALIDATING } from './configurations.ts';

const GROUP = 'admissionregistration.k8s.io';

/** Both configurations by name, which are made by server-side apply, and the Secret with the certificate. */
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
  // A name cannot be checked where the object does not exist yet.
  {
    apiGroups: [GROUP],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: ['create'],
    scope: 'cluster',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [CERTIFICATE_SECRET],
    verbs: ['get', 'update'],
    scope: 'own',
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'], scope: 'own' },
];

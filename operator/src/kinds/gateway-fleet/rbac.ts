import type { PolicyRule } from '../../rbac.ts';
import { GATEWAY_ROLE } from './names.ts';

const APPLY = ['get', 'list', 'watch', 'create', 'patch'];
/** Also those with fields that only a new object can change. */
const REPLACE = [...APPLY, 'delete'];

export const rbac: readonly PolicyRule[] = [
  { apiGroups: ['gatehouse.dev'], resources: ['gatewayfleets'], verbs: ['list', 'watch'], scope: 'watched' },
  { apiGroups: ['gatehouse.dev'], resources: ['gatewayfleets/status'], verbs: ['patch'], scope: 'watched' },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: APPLY, scope: 'watched' },
  { apiGroups: [''], resources: ['services'], verbs: REPLACE, scope: 'watched' },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: REPLACE, scope: 'watched' },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: REPLACE, scope: 'watched' },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: APPLY, scope: 'watched' },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: APPLY, scope: 'watched' },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: REPLACE, scope: 'watched' },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    verbs: ['bind'],
    resourceNames: [GATEWAY_ROLE],
    scope: 'watched', // the right is asked for where the RoleBinding is
  },
  // By name: the admin Secret, and those that a fleet refers to.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch'], scope: 'watched' },
];

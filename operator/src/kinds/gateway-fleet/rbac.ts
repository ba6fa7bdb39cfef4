import type { PolicyRule } from '../../rbac.ts';
import { GATEWAY_ROLE } from './names.ts';

const CHILDREN = [
  { apiGroups: [''], resources: ['serviceaccounts'], replaced: false },
  { apiGroups: [''], resources: ['services'], replaced: true },
  { apiGroups: ['apps'], resources: ['deployments'], replaced: true },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], replaced: true },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], replaced: false },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], replaced: false },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], replaced: true },
];

/** Children are seen wherever a fleet may come to stand, and made only where the platform lets fleets be. */
export const rbac: readonly PolicyRule[] = [
  { apiGroups: ['gatehouse.dev'], resources: ['gatewayfleets'], verbs: ['list', 'watch'], scope: 'watched' },
  { apiGroups: ['gatehouse.dev'], resources: ['gatewayfleets/status'], verbs: ['patch'], scope: 'watched' },
  ...CHILDREN.flatMap(({ apiGroups, resources, replaced }): PolicyRule[] => [
    { apiGroups, resources, verbs: ['list', 'watch'], scope: 'watched' },
    // Those with fields that only a new object can change are deleted, too.
    { apiGroups, resources, verbs: ['get', 'create', 'patch', ...(replaced ? ['delete'] : [])], scope: 'fleet' },
  ]),
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    verbs: ['bind'],
    resourceNames: [GATEWAY_ROLE],
    scope: 'fleet', // the right is asked for where the RoleBinding is
  },
  // By name: the admin Secret, and those that a fleet refers to.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch'], scope: 'fleet' },
];

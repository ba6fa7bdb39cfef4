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

/** Children are watched wherever a fleet may be, and created only where the platform team allows fleets. */
export const rbac: readonly PolicyRule[] = [
  { apiGroups: ['gatehouse.dev'], resources: ['gatewayfleets'], verbs: ['list', 'watch'], scope: 'watched' },
  { apiGroups: ['gatehouse.dev'], resources: ['gatewayfleets/status'], verbs: ['patch'], scope: 'watched' },
  ...CHILDREN.flatMap(({ apiGroups, resources, replaced }): PolicyRule[] => [
    { apiGroups, resources, verbs: ['list', 'watch'], scope: 'watched' },
    // Those with immutable fields are also deleted.
    { apiGroups, resources, verbs: ['get', 'create', 'patch', ...(replaced ? ['delete'] : [])], scope: 'fleet' },
  ]),
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    verbs: ['bind'],
    resourceNames: [GATEWAY_ROLE],
    scope: 'fleet', // the right is needed in the namespace of the RoleBinding
  },
  // By name: ConfigMaps that a fleet mounts.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get'], scope: 'fleet' },
  // By name: the admin Secret, and Secrets that a fleet refers to.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch'], scope: 'fleet' },
];

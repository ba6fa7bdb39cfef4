/** Every rule of the operator, by feature; the chart's roles are generated from it. A new `rbac.ts` is added here. */
import { type AnyKind, GROUP, KINDS } from '@gatehouse/crds/kinds';
import { rbac as embedded } from './embedded/rbac.ts';
import { rbac as apiKey } from './kinds/api-key/rbac.ts';
import { rbac as gatewayFleet } from './kinds/gateway-fleet/rbac.ts';
import { rbac as sidecarProfile } from './kinds/sidecar-profile/rbac.ts';
import { rbac as publish } from './publish/rbac.ts';
import type { PolicyRule } from './rbac.ts';
import { rbac as retirement } from './retirement/rbac.ts';
import { rbac as services } from './services/rbac.ts';
import { rbac as snapshotService } from './snapshot-service/rbac.ts';
import { rbac as webhook } from './webhook/rbac.ts';
import { rbac as world } from './world/rbac.ts';

const kinds: readonly AnyKind[] = Object.values(KINDS);
const pluralsOf = (scope: AnyKind['scope']): string[] =>
  kinds.filter((kind) => kind.scope === scope).map(({ plural }) => plural);

/** Kinds of our group are cached, and only their status is written. */
const KIND_RULES: readonly PolicyRule[] = (
  [
    ['cluster', pluralsOf('Cluster')],
    ['watched', pluralsOf('Namespaced')],
  ] as const
).flatMap(([scope, plurals]) => [
  { scope, apiGroups: [GROUP], resources: plurals, verbs: ['list', 'watch'] },
  { scope, apiGroups: [GROUP], resources: plurals.map((plural) => `${plural}/status`), verbs: ['patch'] },
]);

/** Rights of the runtime: the lease, events, and reviews of its own rights. */
const RUNTIME_RULES: readonly PolicyRule[] = [
  {
    scope: 'own',
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['gatehouse-operator'],
    verbs: ['get', 'update'],
  },
  // The chart installs the lease empty, but Argo CD leaves out leases unless it is told otherwise. A rule on creation has no names.
  { scope: 'own', apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  // Events of cluster-scoped objects are in the namespace `default`.
  { scope: 'cluster', apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  {
    scope: 'cluster',
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews'],
    verbs: ['create'],
  },
];

/** Pods run by a resource can be given any image and any account of their namespace: that is left to people. */
export const RUNS_PODS: ReadonlySet<string> = new Set(['GatewayFleet', 'SidecarProfile']);

const manageKinds = (scope: 'cluster' | 'watched', kindScope: AnyKind['scope']): readonly PolicyRule[] => {
  const chosen = kinds.filter((kind) => kind.scope === kindScope);
  const written = chosen.filter(({ kind }) => !RUNS_PODS.has(kind));
  const rule = (of: readonly AnyKind[], verbs: readonly string[]): PolicyRule => ({
    ...{ scope, apiGroups: [GROUP], verbs },
    resources: of.map(({ plural }) => plural),
  });
  return [rule(chosen, ['get', 'list', 'watch']), rule(written, ['create', 'patch', 'delete'])];
};

/** Rights of the management API: its Secrets are written and never read. */
export const MANAGEMENT_RULES: readonly PolicyRule[] = [
  ...manageKinds('cluster', 'Cluster'),
  ...manageKinds('watched', 'Namespaced'),
  { scope: 'workspace', apiGroups: [''], resources: ['secrets'], verbs: ['create', 'patch'] },
];

/** Each feature becomes a ClusterRole. */
export const OPERATOR_FEATURES: Readonly<Record<string, readonly PolicyRule[]>> = {
  resources: [...KIND_RULES, ...RUNTIME_RULES, ...world, ...services, ...apiKey],
  fleets: [...gatewayFleet, ...publish, ...embedded],
  sidecars: [...sidecarProfile, ...snapshotService, ...retirement],
  webhooks: webhook,
};

export const OPERATOR_RULES: readonly PolicyRule[] = Object.values(OPERATOR_FEATURES).flat();

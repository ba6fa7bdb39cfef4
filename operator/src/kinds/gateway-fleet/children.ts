/** The desired objects of a fleet, as one pure function. */
import { API_VERSION, GATEWAY_ADMIN_PORT, type GatewayFleet } from '@gatehouse/crds/kinds';
import { type ClusterFacts, deploymentSpec } from './deployment.ts';
import { egressPeers, isEgressOpen } from './egress.ts';
import type { Manifest } from './kube-kinds.ts';
import { listenersOf } from './listeners.ts';
import { childLabels, childName, GATEWAY_ROLE, podSelector } from './names.ts';
import type { FleetSettings } from './settings.ts';

/** Every object of a fleet in the order of application, except the admin Secret, whose content is random. */
export function childrenOf(fleet: GatewayFleet, settings: FleetSettings, facts: ClusterFacts): Manifest[] {
  return [
    serviceAccount(fleet),
    roleBinding(fleet),
    networkPolicy(fleet, settings, facts),
    disruptionBudget(fleet),
    service(fleet),
    { ...child(fleet, 'apps/v1', 'Deployment'), spec: deploymentSpec(fleet, settings, facts) },
    ...autoscaler(fleet),
  ];
}

type Texts = Readonly<Record<string, string>>;

/** Metadata of a child; its fleet owns it, so that Kubernetes deletes them together. */
function child(
  fleet: GatewayFleet,
  apiVersion: string,
  kind: string,
  { labels, annotations = {} }: { readonly labels?: Texts | undefined; readonly annotations?: Texts | undefined } = {},
): Manifest {
  const { name, namespace, uid = '' } = fleet.metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name: childName(name),
      namespace,
      labels: { ...labels, ...childLabels(fleet) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'GatewayFleet', name, uid, controller: true }],
    },
  };
}

function serviceAccount(fleet: GatewayFleet): Manifest {
  const annotations = fleet.spec.pod?.serviceAccountAnnotations;
  return { ...child(fleet, 'v1', 'ServiceAccount', { annotations }), automountServiceAccountToken: false };
}

function roleBinding(fleet: GatewayFleet): Manifest {
  const { name, namespace } = fleet.metadata;
  return {
    ...child(fleet, 'rbac.authorization.k8s.io/v1', 'RoleBinding'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: GATEWAY_ROLE },
    subjects: [{ kind: 'ServiceAccount', name: childName(name), namespace }],
  };
}

const inNamespace = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

/** Anyone may send requests; the admin port is open to the operator and to metrics scrapers. */
export function networkPolicy(
  fleet: GatewayFleet,
  {
    operatorNamespace,
    operatorCidrs = [],
    metricsNamespaces,
  }: Pick<FleetSettings, 'operatorNamespace' | 'operatorCidrs' | 'metricsNamespaces'>,
  { metadataUses }: Pick<ClusterFacts, 'metadataUses'>,
): Manifest {
  const operator = {
    namespaceSelector: inNamespace(operatorNamespace),
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gatehouse-operator' } },
  };
  const isOpen = isEgressOpen(fleet, metadataUses);
  // No pod selector matches pods on the network of their nodes.
  const nodes = operatorCidrs.map((cidr) => ({ ipBlock: { cidr } }));
  const scrapers = metricsNamespaces.map((name) => ({ namespaceSelector: inNamespace(name) }));
  return {
    ...child(fleet, 'networking.k8s.io/v1', 'NetworkPolicy'),
    spec: {
      podSelector: { matchLabels: podSelector(fleet) },
      policyTypes: isOpen ? ['Ingress'] : ['Ingress', 'Egress'],
      ingress: [
        { ports: listenersOf(fleet).map(({ port }) => ({ protocol: 'TCP', port })) },
        { from: [operator, ...nodes, ...scrapers], ports: [{ protocol: 'TCP', port: GATEWAY_ADMIN_PORT }] },
      ],
      ...(isOpen ? {} : { egress: [{ to: egressPeers(metadataUses) }] }),
    },
  };
}

function disruptionBudget(fleet: GatewayFleet): Manifest {
  return {
    ...child(fleet, 'policy/v1', 'PodDisruptionBudget'),
    spec: {
      maxUnavailable: fleet.spec.maxUnavailable,
      selector: { matchLabels: podSelector(fleet) },
      unhealthyPodEvictionPolicy: 'AlwaysAllow', // a pod that is not ready must not block the draining of a node
    },
  };
}

function service(fleet: GatewayFleet): Manifest {
  const {
    type = 'ClusterIP',
    labels,
    annotations,
    loadBalancerClass,
    loadBalancerSourceRanges,
  } = fleet.spec.service ?? {};
  return {
    ...child(fleet, 'v1', 'Service', { labels, annotations }),
    spec: {
      type,
      ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
      ...(loadBalancerSourceRanges === undefined ? {} : { loadBalancerSourceRanges }),
      selector: podSelector(fleet),
      ports: listenersOf(fleet).map(({ name, port, tlsSecretRef }) => ({
        name,
        port,
        targetPort: name,
        protocol: 'TCP',
        appProtocol: tlsSecretRef === undefined ? 'http' : 'https',
      })),
    },
  };
}

/** Streams outlast short dips in load: pods are removed slowly, after five minutes without need. */
const SCALE_DOWN = {
  stabilizationWindowSeconds: 300,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 1, periodSeconds: 60 },
    { type: 'Percent', value: 10, periodSeconds: 60 },
  ],
} as const;

function autoscaler(fleet: GatewayFleet): Manifest[] {
  const { autoscaling } = fleet.spec;
  if (autoscaling === undefined) return [];
  const { minReplicas, maxReplicas } = autoscaling;
  return [
    {
      ...child(fleet, 'autoscaling/v2', 'HorizontalPodAutoscaler'),
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: childName(fleet.metadata.name) },
        minReplicas,
        maxReplicas,
        metrics: metricsOf(autoscaling),
        behavior: { scaleDown: SCALE_DOWN },
      },
    },
  ];
}

/** Gauges of the gateway; an adapter for Prometheus serves them as metrics of the pods: docs/guide/autoscaling.md. */
export const SCALING_METRICS = {
  requestsInFlight: 'gatehouse_requests_in_flight',
  openStreams: 'gatehouse_open_streams',
} as const;

/** The autoscaler takes the largest number of pods that one of the metrics asks for. */
function metricsOf(targets: NonNullable<GatewayFleet['spec']['autoscaling']>): readonly object[] {
  const { targetCpuPercent, targetMemoryPercent, targetRequestsInFlight, targetOpenStreams } = targets;
  const resource = (name: string, averageUtilization: number | undefined): object[] =>
    averageUtilization === undefined
      ? []
      : [{ type: 'Resource', resource: { name, target: { type: 'Utilization', averageUtilization } } }];
  const perPod = (name: string, average: number | undefined): object[] =>
    average === undefined
      ? []
      : [{ type: 'Pods', pods: { metric: { name }, target: { type: 'AverageValue', averageValue: String(average) } } }];
  return [
    ...resource('cpu', targetCpuPercent),
    ...resource('memory', targetMemoryPercent),
    ...perPod(SCALING_METRICS.requestsInFlight, targetRequestsInFlight),
    ...perPod(SCALING_METRICS.openStreams, targetOpenStreams),
  ];
}

/** The values of the chart `gatehouse`: the one source of values.yaml, values.schema.json and their reference. */
import { KINDS } from '@gatehouse/crds/kinds';
import { z } from 'zod';
import {
  choice,
  flag,
  image,
  int,
  leaf,
  type Members,
  objectOf,
  objects,
  secretEntry,
  section,
  text,
  textMap,
  texts,
} from './parts.ts';

const resources = (requests: Readonly<Record<string, string>>, memoryLimit: string) =>
  objectOf(
    { requests, limits: { memory: memoryLimit } },
    { requests: { cpu: '2' } },
    'Compute resources of the container.',
  );

const namespace = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const namespaces = (example: readonly string[], description: string) =>
  leaf(z.array(namespace).max(200), [[], example], description);

const operator: Members = {
  replicas: int([1, 9], [2, 3], 'Pods; one leads, all answer webhooks and sidecars.'),
  image: image('gatehouse-operator'),
  resources: resources({ cpu: '100m', memory: '256Mi' }, '1Gi'),
  logLevel: choice(['debug', 'info', 'warn', 'error'], ['info', 'debug'], 'Least severe level that is logged.'),
  leaseSeconds: int(
    [3, 300],
    [5, 15],
    'Seconds the lease of a silent leader lasts; one that is killed is replaced within one and a half times that.',
  ),
  extraEnv: objects([{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }], 'Further environment variables.'),
  extraVolumes: objects([{ name: 'extra', emptyDir: {} }], 'Further volumes of the pods.'),
  extraVolumeMounts: objects([{ name: 'extra', mountPath: '/extra' }], 'Where they are mounted.'),
  serviceAccountAnnotations: textMap({ 'example.com/role': 'operator' }, 'Annotations of the ServiceAccount.'),
  podLabels: textMap({ team: 'platform' }, 'Further labels of the pods.'),
  podAnnotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations of the pods.'),
  nodeSelector: textMap({ 'kubernetes.io/arch': 'arm64' }, 'Labels that nodes must carry.'),
  tolerations: objects([{ key: 'control', operator: 'Exists' }], 'Taints that are borne.'),
  affinity: objectOf({}, { nodeAffinity: {} }, 'Affinity of the pods.'),
  topologySpreadConstraints: objects(
    [{ maxSkew: 1, topologyKey: 'example.com/rack', whenUnsatisfiable: 'DoNotSchedule' }],
    'Spread of the pods; empty: over nodes and zones as far as possible.',
  ),
  priorityClassName: text(['', 'system-cluster-critical'], 'Priority class of the pods.'),
  podDisruptionBudget: section('PodDisruptionBudget: one pod may go at a time.', {
    enabled: flag(true, 'Whether there is one.'),
  }),
};

const webhook: Members = {
  validationFailurePolicy: choice(
    ['Ignore', 'Fail'],
    ['Ignore', 'Fail'],
    'What becomes of writes of resources while no operator answers: Ignore lets them through, since the operator checks all of ' +
      'them again and an outage of it must not stop a rollout.',
  ),
  injectionFailurePolicy: choice(
    ['Fail', 'Ignore'],
    ['Fail', 'Ignore'],
    'What becomes of pods that name a SidecarProfile while no operator answers: Fail refuses them, Ignore starts them without ' +
      'a sidecar, and the profile counts them.',
  ),
  clientCA: text(
    ['', '-----BEGIN CERTIFICATE-----'],
    'PEM of the authorities whose certificates the API server shows to webhooks (its AdmissionConfiguration says which); empty: ' +
      'whoever reaches port 9443 may ask.',
  ),
  apiServerCIDRs: texts(
    ['10.0.0.10/32'],
    'Address ranges that the API server calls webhooks from; empty: any, since no selector tells where it is.',
  ),
  certManager: section('Certificate of the webhooks; the operator makes its own unless cert-manager does.', {
    enabled: flag(false, 'Whether cert-manager issues the certificate.'),
    issuerRef: objectOf(
      {},
      { kind: 'ClusterIssuer', name: 'internal' },
      'The issuer; empty: an issuer for the one certificate, signed by itself.',
    ),
  }),
};

const defaultFleet: Members = {
  enabled: flag(true, 'Whether the chart makes a GatewayFleet.'),
  name: text(['default', 'main'], 'Name of the fleet.'),
  namespace: leaf(
    namespace,
    ['gatehouse-gateways', 'edge'],
    'Namespace of the fleet; it holds credentials: keep it for fleets.',
  ),
  createNamespace: flag(
    true,
    'Whether the chart makes the namespace; it stays when the chart goes, without anything of ours in it.',
  ),
  spec: leaf(
    KINDS.GatewayFleet.spec,
    [{}, { replicas: 3 }],
    'The spec of the GatewayFleet (docs/reference/kinds/gateway-fleet.md): replicas, autoscaling, service, listeners …',
  ),
};

const redis: Members = {
  enabled: flag(true, 'Whether the chart runs a small Redis for the default fleet.'),
  image: image('redis', '8'),
  resources: resources({ cpu: '50m', memory: '128Mi' }, '512Mi'),
  maxMemory: text(
    ['256mb', '1gb'],
    'Memory for data; beyond it cached answers go first. Keep it well below the limit of the container.',
  ),
  persistence: section('Keeps the data over restarts of the pod.', {
    enabled: flag(false, 'Whether there is a volume; without one Redis starts empty with the pod.'),
    size: text(['1Gi', '8Gi'], 'Size of the volume.'),
    storageClassName: text(['', 'fast'], "Storage class; empty: the cluster's default."),
  }),
  passwordSecretRef: secretEntry(
    'Secret entry, in the namespace of the release, with a password of yours; then urlSecretRef is needed as well. Empty: the ' +
      'operator makes one and writes it, once, into the Secret gatehouse-redis-password.',
  ),
  urlSecretRef: secretEntry(
    "Secret entry, in the fleet's namespace, with the URL of a Redis: your own, or the chart's with a password of yours. " +
      'Empty: the operator writes the URL.',
  ),
};

const ingress: Members = {
  enabled: flag(false, 'Whether there is an Ingress.'),
  className: text(['', 'nginx'], "Ingress class; empty: the cluster's default."),
  annotations: textMap({ 'example.com/timeout': '600' }, 'Annotations.'),
  host: text(['gateway.example.com', 'ai.example.com'], 'Host name.'),
  tlsSecretName: text(['', 'gateway-tls'], "Secret with the certificate, in the fleet's namespace; empty: no TLS."),
};

const httpRoute: Members = {
  enabled: flag(false, 'Whether there is an HTTPRoute of the Gateway API.'),
  annotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations.'),
  parentRefs: objects([{ name: 'public', namespace: 'gateways' }], 'Gateways that the route belongs to.'),
  hostnames: texts(['ai.example.com'], 'Host names; empty: all of the Gateway.'),
};

const monitorLabels = (what: string) =>
  textMap({ release: 'prometheus' }, `Labels that your Prometheus selects ${what} by.`);

const monitoring: Members = {
  namespaces: namespaces(
    ['monitoring'],
    'Namespaces whose pods may scrape the metrics of gateways, where NetworkPolicies are enforced.',
  ),
  podMonitor: section('PodMonitor of the gateway pods of every fleet.', {
    enabled: flag(false, 'Whether there is one; needs the CRDs of the Prometheus operator.'),
    labels: monitorLabels('monitors'),
    interval: text(['30s', '15s'], 'Time between two readings.'),
  }),
  serviceMonitor: section('ServiceMonitor of the operator.', {
    enabled: flag(false, 'Whether there is one; needs the CRDs of the Prometheus operator.'),
    labels: monitorLabels('monitors'),
    interval: text(['30s', '15s'], 'Time between two readings.'),
  }),
  prometheusRule: section('Alert rules.', {
    enabled: flag(false, 'Whether there are any; needs the CRDs of the Prometheus operator.'),
    labels: monitorLabels('rules'),
  }),
  dashboard: section('Grafana dashboard in a ConfigMap.', {
    enabled: flag(false, 'Whether there is one.'),
    labels: leaf(
      z.record(z.string().min(1).max(316), z.string().max(63)),
      [{ grafana_dashboard: '1' }, { dashboards: 'all' }],
      "Labels that Grafana's sidecar looks for.",
    ),
  }),
};

export const VALUES: Members = {
  imageRegistry: text(['', 'registry.example.com/ai'], 'Put before every image repository.'),
  imagePullSecrets: objects(
    [{ name: 'registry' }],
    'Secrets for pulling images, in the namespace of the release and in that of the default fleet, whose spec may name others. ' +
      'For sidecars the pods they are added to must name theirs.',
  ),
  runAsUser: leaf(
    z.int().min(1).max(4_294_967_295).nullable(),
    [65_532, 1234],
    "User and group of the chart's own pods; null: what the platform gives (OpenShift). Pods of fleets have the user of their " +
      'image or what the platform gives.',
  ),
  watchNamespaces: namespaces(
    ['team-a'],
    "Namespaces the operator serves, besides its own and the fleets'; empty: all. With a list its rights hold in these " +
      'namespaces alone, those on Secrets and on running gateways included, but for kinds that belong to no namespace. They must ' +
      'exist.',
  ),
  fleetNamespaces: namespaces(
    ['edge'],
    "Namespaces, besides that of the default fleet, that are the organisation's too: fleets there may serve any workspace.",
  ),
  workspaceFleetNamespaces: namespaces(
    ['team-b'],
    'Namespaces of workspaces, which must exist, in which the operator may run gateways: for a GatewayFleet of the workspace itself.',
  ),
  secrets: section(
    "Where the operator may have Secrets besides its own namespace, the fleets' and watchNamespaces. Another namespace is granted " +
      'by: kubectl create rolebinding gatehouse-workspace-secrets --namespace NAMESPACE --clusterrole=gatehouse-workspace-secrets ' +
      '--serviceaccount=RELEASE-NAMESPACE:gatehouse-operator.',
    {
      namespaces: namespaces(['team-a'], 'Namespaces of workspaces, which must exist.'),
      clusterWide: flag(
        false,
        'DANGEROUS: who gets hold of the account of the operator then reads, changes and deletes every Secret of the cluster, and ' +
          'so becomes its administrator. For an upgrade from a version that had this right, until every namespace has its binding.',
      ),
    },
  ),
  crossNamespaceRefs: flag(true, 'Whether references may leave their namespace where a ReferenceGrant allows it.'),
  clusterDomain: text(['cluster.local', 'corp.example'], 'Domain behind the names of Services.'),
  allowedCustomHosts: texts(
    ['models.svc.cluster.local'],
    'Hosts, with everything below them, and IP addresses that customHost of resources may name; empty: all.',
  ),
  operator: section('The control plane.', operator),
  gateway: section('The data plane; fleets and sidecars take this image unless their spec names one.', {
    image: image('gatehouse-gateway'),
  }),
  webhook: section('Admission.', webhook),
  organisation: section('Defaults and enforcement for everybody.', {
    create: flag(false, 'Whether the chart makes the Organisation.'),
    spec: leaf(
      KINDS.Organisation.spec,
      [{}, { savedConfigsOnly: true }],
      'Its spec (docs/reference/kinds/organisation.md).',
    ),
  }),
  defaultFleet: section('A GatewayFleet to begin with.', defaultFleet),
  redis: section(
    'Cached answers, sticky sessions and circuit breakers that pods share. Request limits are counted by each pod.',
    redis,
  ),
  ingress: section('Ingress to the default fleet.', ingress),
  httpRoute: section('Route of the Gateway API to the default fleet.', httpRoute),
  monitoring: section('Prometheus and Grafana.', monitoring),
  networkPolicies: section('NetworkPolicies of the operator and of Redis; the operator makes those of fleets.', {
    enabled: flag(true, 'Whether there are any.'),
  }),
  aggregatedRoles: section("Rights on our kinds in the cluster's roles view, edit and admin.", {
    enabled: flag(true, 'Whether they are added.'),
  }),
  extraObjects: objects(
    [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' } }],
    'Further objects of the release.',
  ),
};

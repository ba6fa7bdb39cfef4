/** The values of the chart `gatehouse`: the one source of values.yaml, values.schema.json and their reference. */
import { KINDS } from '@gatehouse/crds/kinds';
import { z } from 'zod';
import { management } from './management.ts';
import {
  choice,
  containerSecurityContext,
  flag,
  image,
  int,
  leaf,
  type Members,
  objectOf,
  objects,
  podSecurityContext,
  resources,
  secretEntry,
  section,
  text,
  textMap,
  texts,
} from './parts.ts';
import { postgres } from './postgres.ts';
import { records } from './records.ts';

const namespace = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const cidrs = (example: readonly string[], description: string) =>
  leaf(z.array(z.string().regex(/^[0-9a-fA-F.:]{2,45}\/\d{1,3}$/)).max(100), [[], example], description);

const namespaces = (example: readonly string[], description: string) =>
  leaf(z.array(namespace).max(200), [[], example], description);

const operator: Members = {
  replicas: int([1, 9], [2, 3], 'Number of pods; one is the leader, all serve webhooks and sidecars.'),
  image: image('gatehouse-operator'),
  resources: resources({ cpu: '100m', memory: '256Mi' }, '1Gi'),
  logLevel: choice(['debug', 'info', 'warn', 'error'], ['info', 'debug'], 'Least severe level that is logged.'),
  leaseSeconds: int(
    [3, 300],
    [5, 15],
    'Duration of the leader lease in seconds; a leader that is killed is replaced within one and a half times that.',
  ),
  maxStatusWrites: int(
    [1, 16],
    [16, 4],
    'Most statuses that are written at once; fewer while the API server answers slowly.',
  ),
  configTargets: section('Most targets of a saved config; those of inline configs are variables of the fleet.', {
    root: int([1, 1000], [100, 200], 'At the root.'),
    conditionalRoot: int([1, 1000], [1000, 500], 'At the root of a config with conditions.'),
    nested: int([1, 1000], [50, 100], 'Below each target of the root.'),
  }),
  hostNetwork: flag(
    false,
    'Whether the pods use the network of their nodes, for clusters whose API server does not reach pods. The namespace must admit ' +
      'such pods, the ports must be free on the nodes, and where NetworkPolicies are enforced, networkPolicies.nodeCIDRs is needed, too.',
  ),
  ports: section('Ports of the container; those of the Service stay the same.', {
    webhook: int([1024, 65_535], [9443, 10_260], 'Admission webhooks.'),
    snapshot: int([1024, 65_535], [9090, 10_261], 'Snapshots for sidecars.'),
    metrics: int([1024, 65_535], [8081, 10_262], 'Health and metrics.'),
  }),
  extraArgs: texts(
    ['--log-level=debug'],
    'Further flags (docs/reference/operator.md); they take precedence over environment variables.',
  ),
  extraEnv: objects([{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }], 'Further environment variables.'),
  extraVolumes: objects([{ name: 'extra', emptyDir: {} }], 'Further volumes of the pods.'),
  extraVolumeMounts: objects([{ name: 'extra', mountPath: '/extra' }], 'Mounts of the further volumes.'),
  vaultTokenAudience: text(
    ['', 'vault'],
    'Audience of a token of the operator for Vault, for SecretReferences with the auth method Kubernetes; empty: none.',
  ),
  serviceAccount: section('The account whose rights the operator has.', {
    create: flag(
      true,
      'Whether the chart creates it; otherwise it must exist in the namespace of the release, and name is required.',
    ),
    name: text(['', 'gateway-operator'], 'Name; empty: gatehouse-operator.'),
    annotations: textMap({ 'example.com/role': 'operator' }, 'Annotations, where the chart creates it.'),
  }),
  deploymentAnnotations: textMap({ 'example.com/restart-on': 'secrets' }, 'Annotations of the Deployment.'),
  podSecurityContext,
  containerSecurityContext,
  podLabels: textMap({ team: 'platform' }, 'Further labels of the pods.'),
  podAnnotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations of the pods.'),
  nodeSelector: textMap({ 'kubernetes.io/arch': 'arm64' }, 'Labels that nodes must have.'),
  tolerations: objects([{ key: 'control', operator: 'Exists' }], 'Taints that are tolerated.'),
  affinity: objectOf({}, { nodeAffinity: {} }, 'Affinity of the pods.'),
  topologySpreadConstraints: objects(
    [{ maxSkew: 1, topologyKey: 'example.com/rack', whenUnsatisfiable: 'DoNotSchedule' }],
    'Spread of the pods; empty: over nodes and zones as far as possible.',
  ),
  priorityClassName: text(['', 'system-cluster-critical'], 'Priority class of the pods.'),
  podDisruptionBudget: section('PodDisruptionBudget: at most one pod may be disrupted at a time.', {
    enabled: flag(true, 'Whether to create it.'),
  }),
};

const webhook: Members = {
  validationFailurePolicy: choice(
    ['Ignore', 'Fail'],
    ['Ignore', 'Fail'],
    'Failure policy of resource validation while no operator is reachable: Ignore admits writes, since the operator validates all ' +
      'resources again and its outage must not stop a rollout.',
  ),
  injectionFailurePolicy: choice(
    ['Fail', 'Ignore'],
    ['Fail', 'Ignore'],
    'Failure policy for pods that name a SidecarProfile while no operator is reachable: Fail refuses them, Ignore starts them ' +
      'without a sidecar, and the status of the profile counts them.',
  ),
  timeoutSeconds: int(
    [1, 30],
    [5, 10],
    'How long the API server waits for an answer before the failure policy decides.',
  ),
  clientCA: text(
    ['', '-----BEGIN CERTIFICATE-----'],
    'PEM of the authorities for the client certificate that the API server presents to webhooks (set in its ' +
      'AdmissionConfiguration); empty: any client that reaches port 9443 is accepted.',
  ),
  apiServerCIDRs: texts(
    ['10.0.0.10/32'],
    'Address ranges from which the API server calls webhooks; empty: any, since no pod selector matches the API server.',
  ),
  certManager: section('Certificate of the webhooks; issued by the operator itself unless cert-manager is enabled.', {
    enabled: flag(false, 'Whether cert-manager issues the certificate.'),
    issuerRef: objectOf(
      {},
      { kind: 'ClusterIssuer', name: 'internal' },
      'The issuer; empty: a self-signed issuer for this certificate only.',
    ),
  }),
};

const defaultFleet: Members = {
  enabled: flag(true, 'Whether the chart creates a GatewayFleet.'),
  name: text(['default', 'main'], 'Name of the fleet.'),
  namespace: leaf(
    namespace,
    ['gatehouse-gateways', 'edge'],
    'Namespace of the fleet; it contains credentials: use it for fleets only.',
  ),
  createNamespace: flag(
    true,
    'Whether the chart creates the namespace; uninstalling keeps the namespace and removes everything of Gatehouse from it.',
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
    "Memory for counters, which are never evicted; beyond it the fleet's storeFailurePolicy decides. Keep it well below the limit of the container.",
  ),
  cache: section('A second server in the same pod, for cached answers.', {
    maxMemory: text(
      ['256mb', '1gb'],
      'Memory for answers; beyond it the least used ones are evicted. Keep it well below the limit of the container.',
    ),
    resources: resources({ cpu: '50m', memory: '128Mi' }, '512Mi'),
  }),
  podLabels: textMap({ team: 'platform' }, 'Further labels of the pod.'),
  podAnnotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations of the pod.'),
  podSecurityContext,
  containerSecurityContext,
  nodeSelector: textMap({ 'kubernetes.io/arch': 'arm64' }, 'Labels that the node must have.'),
  tolerations: objects([{ key: 'data', operator: 'Exists' }], 'Taints that are tolerated.'),
  affinity: objectOf({}, { nodeAffinity: {} }, 'Affinity of the pod.'),
  priorityClassName: text(['', 'high'], 'Priority class of the pod.'),
  persistence: section(
    'Counters are in a file that is synchronised every second: a crash loses up to a second of them.',
    {
      enabled: flag(
        false,
        'Whether to use a volume; without one the file survives restarts of the container, not of the pod.',
      ),
      size: text(['1Gi', '8Gi'], 'Size of the volume.'),
      storageClassName: text(['', 'fast'], "Storage class; empty: the cluster's default."),
    },
  ),
  passwordSecretRef: secretEntry(
    'Secret entry, in the namespace of the release, with the password; urlSecretRef is then required, too. Empty: the operator ' +
      'generates a password once and writes it into the Secret gatehouse-redis-password.',
  ),
  urlSecretRef: secretEntry(
    "Secret entry, in the fleet's namespace, with the URL of an external Redis, or of the chart's when passwordSecretRef is set. " +
      'Empty: the operator writes the URL.',
  ),
};

const ingress: Members = {
  enabled: flag(false, 'Whether to create an Ingress.'),
  className: text(['', 'nginx'], "Ingress class; empty: the cluster's default."),
  annotations: textMap({ 'example.com/timeout': '600' }, 'Annotations.'),
  host: text(['gateway.example.com', 'ai.example.com'], 'Host name.'),
  tlsSecretName: text(['', 'gateway-tls'], "Secret with the certificate, in the fleet's namespace; empty: no TLS."),
};

const httpRoute: Members = {
  enabled: flag(false, 'Whether to create an HTTPRoute of the Gateway API.'),
  annotations: textMap({ 'example.com/owner': 'platform' }, 'Annotations.'),
  parentRefs: objects(
    [{ name: 'public', namespace: 'gateways' }],
    'Gateways to which the route is attached; required.',
  ),
  hostnames: texts(['ai.example.com'], 'Host names; empty: all host names of the Gateway.'),
  requestTimeout: leaf(
    z.string().regex(/^(([0-9]{1,5}(h|m|s|ms)){1,4})?$/),
    ['', '0s'],
    'How long a request, its whole stream included, may take in the Gateway; 0s: as long as it needs. Empty: what the ' +
      'controller of the Gateway has as default, with Envoy 15 s. Needs Gateway API 1.2.',
  ),
  backendTLS: section('BackendTLSPolicy: the Gateway speaks TLS to the listener. Needs Gateway API 1.4.', {
    enabled: flag(false, 'Whether to create it; the listener of the default fleet must have a certificate.'),
    hostname: text(
      ['', 'gateway.example.com'],
      'Name in the certificate of the listener; empty: FLEET-gateway.NAMESPACE.svc.',
    ),
    caConfigMap: text(
      ['', 'gateway-ca'],
      "ConfigMap in the fleet's namespace with the authorities in ca.crt; empty: the authorities of the Gateway's system.",
    ),
  }),
};

const monitorLabels = (what: string) =>
  textMap({ release: 'prometheus' }, `Labels by which Prometheus selects ${what}.`);

const monitoring: Members = {
  namespaces: namespaces(
    ['monitoring'],
    'Namespaces whose pods may scrape the metrics of gateways, where NetworkPolicies are enforced.',
  ),
  podMonitor: section('PodMonitor of the gateway pods of every fleet.', {
    enabled: flag(false, 'Whether to create it; needs the CRDs of the Prometheus operator.'),
    labels: monitorLabels('monitors'),
    interval: text(['30s', '15s'], 'Scrape interval.'),
  }),
  serviceMonitor: section('ServiceMonitor of the operator.', {
    enabled: flag(false, 'Whether to create it; needs the CRDs of the Prometheus operator.'),
    labels: monitorLabels('monitors'),
    interval: text(['30s', '15s'], 'Scrape interval.'),
  }),
  prometheusRule: section('Alert rules.', {
    enabled: flag(false, 'Whether to create them; needs the CRDs of the Prometheus operator.'),
    labels: monitorLabels('rules'),
  }),
  dashboard: section('Grafana dashboard in a ConfigMap.', {
    enabled: flag(false, 'Whether to create it.'),
    labels: leaf(
      z.record(z.string().min(1).max(316), z.string().max(63)),
      [{ grafana_dashboard: '1' }, { dashboards: 'all' }],
      "Labels by which Grafana's sidecar selects dashboards.",
    ),
  }),
};

export const VALUES: Members = {
  imageRegistry: text(['', 'registry.example.com/ai'], 'Prefix of every image repository.'),
  commonLabels: textMap(
    { 'example.com/cost-center': 'ai' },
    "Further labels of all objects of the chart and of its pods; pods of fleets have those of their spec. The chart's own labels stay.",
  ),
  imagePullSecrets: objects(
    [{ name: 'registry' }],
    'Secrets for pulling images, in the namespace of the release and in that of the default fleet, whose spec may name others. ' +
      'For sidecars the application pods must name their own.',
  ),
  runAsUser: leaf(
    z.int().min(1).max(4_294_967_295).nullable(),
    [65_532, 1234],
    "User and group of the chart's own pods; null, and always on OpenShift: assigned by the platform. Pods of fleets have the user of their " +
      'image, or one assigned by the platform; sidecars have a user of their own, from the range of their namespace on OpenShift.',
  ),
  watchNamespaces: namespaces(
    ['team-a'],
    "Namespaces that the operator serves, besides its own and the fleets'; empty: all. With a list its rights, also those on " +
      'Secrets and for running gateways, are limited to these namespaces, except for cluster-scoped kinds. The namespaces must ' +
      'exist.',
  ),
  fleetNamespaces: namespaces(
    ['edge'],
    'Further namespaces of the organisation, besides that of the default fleet: fleets there may serve any workspace.',
  ),
  workspaceFleetNamespaces: namespaces(
    ['team-b'],
    'Namespaces of workspaces, which must exist, in which the operator may run gateways: for a GatewayFleet of the workspace itself.',
  ),
  secrets: section(
    "Namespaces in which the operator may access Secrets, besides its own, the fleets' and watchNamespaces. Another namespace is granted " +
      'by: kubectl create rolebinding gatehouse-workspace-secrets --namespace NAMESPACE --clusterrole=gatehouse-workspace-secrets ' +
      '--serviceaccount=RELEASE-NAMESPACE:gatehouse-operator (or operator.serviceAccount.name).',
    {
      namespaces: namespaces(['team-a'], 'Namespaces of workspaces, which must exist.'),
      clusterWide: flag(
        false,
        'DANGEROUS: anyone who obtains the account of the operator can then read, change and delete every Secret of the cluster, ' +
          'which makes them its administrator. For an upgrade from a version that had this right, until every namespace has its binding.',
      ),
    },
  ),
  crossNamespaceRefs: flag(
    true,
    'Whether references to other namespaces are allowed where a ReferenceGrant permits them.',
  ),
  clusterDomain: text(['cluster.local', 'corp.example'], 'DNS domain of the cluster.'),
  allowedCustomHosts: texts(
    ['models.svc.cluster.local'],
    'Hosts, including every name below them, and IP addresses that customHost of resources may name; empty: all.',
  ),
  operator: section('The control plane.', operator),
  management: section(
    'The management API: REST operations on the resources, with the image of the operator.',
    management,
  ),
  gateway: section('The data plane; fleets and sidecars use this image unless their spec names another.', {
    image: image('gatehouse-gateway'),
  }),
  webhook: section('Admission webhooks.', webhook),
  organisation: section('Defaults and enforcement for all workspaces.', {
    create: flag(false, 'Whether the chart creates the Organisation.'),
    spec: leaf(
      KINDS.Organisation.spec,
      [{}, { savedConfigsOnly: true }],
      'Its spec (docs/reference/kinds/organisation.md).',
    ),
  }),
  defaultFleet: section('The first GatewayFleet.', defaultFleet),
  redis: section(
    'Counters of limits and budgets, sticky sessions and circuit breakers that pods share, and cached answers.',
    redis,
  ),
  postgres: section('Users, invitations and audit records of the management API.', postgres),
  records: section('Log of requests, which the default fleet writes and the management API reads.', records),
  ingress: section('Ingress to the default fleet.', ingress),
  httpRoute: section('Route of the Gateway API to the default fleet.', httpRoute),
  monitoring: section('Prometheus and Grafana.', monitoring),
  networkPolicies: section(
    'NetworkPolicies of the operator, of the management API, of Redis and of PostgreSQL; the operator creates those of fleets.',
    {
      enabled: flag(true, 'Whether to create them.'),
      nodeCIDRs: cidrs(
        ['10.0.0.0/16'],
        'Address ranges of the nodes: with operator.hostNetwork the policies of fleets admit calls of the operator from there.',
      ),
      egress: section(
        'What the operator and the management API may connect to. Redis and PostgreSQL may not connect to anything.',
        {
          enabled: flag(
            false,
            'Whether it is limited: to DNS, the API server and the admin port of gateways; of the management API to DNS, the API server, ' +
              'the operator, the PostgreSQL of the chart and, for a bucket without key pair, the agent of EKS Pod Identity.',
          ),
          apiServerCIDRs: cidrs(
            ['10.0.0.10/32'],
            'Address ranges of the API server; empty: any address, at its ports.',
          ),
          apiServerPorts: leaf(
            z.array(z.int().min(1).max(65_535)).min(1).max(10),
            [[443, 6443], [16_443]],
            'Ports of the API server: of its Service and of its endpoints, since networks differ in which of the two they compare.',
          ),
          extra: objects(
            [{ to: [{ ipBlock: { cidr: '10.0.9.0/24' } }] }],
            'Further egress rules of the operator, e.g. to a proxy.',
          ),
          management: objects(
            [{ to: [{ ipBlock: { cidr: '10.0.8.0/24' } }] }],
            'Further egress rules of the management API, e.g. to another PostgreSQL.',
          ),
        },
      ),
    },
  ),
  aggregatedRoles: section("Rights on the kinds of Gatehouse in the cluster's roles view, edit and admin.", {
    enabled: flag(true, 'Whether to add them.'),
  }),
  extraObjects: objects(
    [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' } }],
    'Further objects of the release.',
  ),
};

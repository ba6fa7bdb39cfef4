import { GATEWAY_ADMIN_PORT, type GatewayFleet } from '@gatehouse/crds/kinds';
import type { MetadataUse } from './egress.ts';
import { type EnvironmentSettings, environmentOf, MOUNTS } from './environment.ts';
import { listenersOf } from './listeners.ts';
import { adminSecretName, childLabels, childName, podSelector } from './names.ts';
import type { FleetSettings } from './settings.ts';

/** Annotation of the pods that changes with the content of their Secrets. */
export const SECRETS_ANNOTATION = 'gatehouse.dev/secrets';

/** What the cluster contributes to the Deployment of a fleet. */
export interface ClusterFacts {
  /** Undefined: the autoscaler sets the number of pods. */
  readonly replicas: number | undefined;
  /** Changes when the content of a referenced Secret does, so that pods are replaced. */
  readonly secretsDigest: string;
  /** Identities that the fleet's accounts and buckets use, and that its spec may have. */
  readonly metadataUses: readonly MetadataUse[];
}

/** Mounted files are readable for any user that the platform runs the container as. */
const READABLE = 0o444;
/** Between the end of the drain and SIGKILL, in seconds: for the last events of cut streams, and the exit. */
const EXIT_MARGIN_SECONDS = 5;
/** For the last good Snapshot: 100,000 keys take about a tenth. Counts as memory of the container. */
const SNAPSHOT_BYTES = '256Mi';
/** Requests of a fleet that sets none. */
const REQUESTS = { cpu: '250m', memory: '256Mi' } as const;

type Template = Readonly<Record<string, unknown>>;
type Volume = NonNullable<NonNullable<GatewayFleet['spec']['pod']>['volumes']>[number];
type ImageSettings = Pick<FleetSettings, 'image' | 'imagePullPolicy'>;
type PodSettings = ImageSettings & EnvironmentSettings;

export function deploymentSpec(
  fleet: GatewayFleet,
  settings: PodSettings,
  { replicas, secretsDigest }: ClusterFacts,
): Template {
  const { pod = {} } = fleet.spec;
  return {
    ...(replicas === undefined ? {} : { replicas }),
    revisionHistoryLimit: 3,
    selector: { matchLabels: podSelector(fleet) },
    // A new pod starts first: it is ready only when it has loaded the Snapshot, and the old one drains after that.
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' } },
    template: {
      metadata: {
        labels: { ...pod.labels, ...childLabels(fleet) },
        annotations: { ...pod.annotations, [SECRETS_ANNOTATION]: secretsDigest },
      },
      spec: podSpec(fleet, settings),
    },
  };
}

function podSpec(fleet: GatewayFleet, settings: PodSettings): Template {
  const { drainDelaySeconds, drainTimeoutSeconds, pod = {} } = fleet.spec;
  const { nodeSelector, tolerations, priorityClassName, imagePullSecrets, affinity } = pod;
  return {
    serviceAccountName: childName(fleet.metadata.name),
    automountServiceAccountToken: true, // the pods watch their manifest
    // Variables that Kubernetes derives from other Services' names could be taken for settings, e.g. REDIS_PORT.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: drainDelaySeconds + drainTimeoutSeconds + EXIT_MARGIN_SECONDS,
    // No user and no group: the image names its user by number, and platforms with a user per namespace may override it.
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: spreadOf(fleet),
    ...defined({ nodeSelector, tolerations, priorityClassName, imagePullSecrets, affinity }),
    containers: [container(fleet, settings)],
    volumes: [
      { name: 'snapshot', emptyDir: { medium: 'Memory', sizeLimit: SNAPSHOT_BYTES } },
      { name: 'admin', secret: { secretName: adminSecretName(fleet.metadata.name), defaultMode: READABLE } },
      ...tlsSecrets(fleet).map((secretName) => ({ name: 'tls', secret: { secretName, defaultMode: READABLE } })),
      ...(pod.volumes ?? []).map(volumeOf),
    ],
  };
}

function container(fleet: GatewayFleet, settings: PodSettings): Template {
  const { resources, pod = {} } = fleet.spec;
  const probe = (path: string, more: object) => ({ httpGet: { path, port: 'admin' }, timeoutSeconds: 2, ...more });
  const readOnly = (name: 'admin' | 'tls') => ({ name, mountPath: MOUNTS[name], readOnly: true });
  return {
    name: 'gateway',
    ...imageOf(fleet, settings),
    env: environmentOf(fleet, settings),
    ports: [
      ...listenersOf(fleet).map(({ name, port }) => ({ name, containerPort: port, protocol: 'TCP' })),
      { name: 'admin', containerPort: GATEWAY_ADMIN_PORT, protocol: 'TCP' },
    ],
    resources: resourcesOf(resources),
    startupProbe: probe('/livez', { periodSeconds: 1, failureThreshold: 60 }),
    livenessProbe: probe('/livez', { periodSeconds: 10, failureThreshold: 3 }),
    // No preStop hook: the process itself keeps accepting after SIGTERM, and is not ready from the first moment.
    readinessProbe: probe('/readyz', { periodSeconds: 2, failureThreshold: 2 }),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'snapshot', mountPath: MOUNTS.snapshot },
      readOnly('admin'),
      ...tlsSecrets(fleet).map(() => readOnly('tls')),
      ...(pod.volumeMounts ?? []).map((mount) => defined(mount)),
    ],
  };
}

function volumeOf({ name, configMap, secret, emptyDir }: Volume): Template {
  if (configMap !== undefined) return { name, configMap: { ...defined(configMap), defaultMode: READABLE } };
  if (secret !== undefined) return { name, secret: { ...defined(secret), defaultMode: READABLE } };
  const { medium, sizeLimit } = emptyDir ?? {};
  return { name, emptyDir: defined({ medium, sizeLimit: String(sizeLimit) }) };
}

/** The pull policy of the installation is for its own image. */
function imageOf({ spec }: GatewayFleet, settings: ImageSettings): Template {
  const fallback = spec.image === undefined ? settings.imagePullPolicy : undefined;
  const { image = settings.image, imagePullPolicy = fallback } = spec;
  return { image, ...defined({ imagePullPolicy }) };
}

const tlsSecrets = (fleet: GatewayFleet): readonly string[] =>
  listenersOf(fleet).flatMap(({ tlsSecretRef }) => (tlsSecretRef === undefined ? [] : [tlsSecretRef.name]));

/**
 * Autoscaling needs requests; a default request must not exceed the limit of the fleet, which would then be the request.
 */
function resourcesOf({ requests, limits }: NonNullable<GatewayFleet['spec']['resources']> = {}): Template {
  const ours = Object.entries(REQUESTS).filter(([name]) => !Object.hasOwn(limits ?? {}, name));
  return {
    requests: asText({ ...Object.fromEntries(ours), ...requests }),
    ...(limits === undefined ? {} : { limits: asText(limits) }),
  };
}

const asText = (amounts: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(amounts).flatMap(([name, amount]) => (amount === undefined ? [] : [[name, String(amount)]])),
  );

const SPREAD = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
}));

/** Counted per template, so that a rolling update spreads its new pods independently of the old ones. */
const spreadOf = (fleet: GatewayFleet): readonly Template[] =>
  (fleet.spec.topologySpread ?? SPREAD).map((constraint) => ({
    ...constraint,
    labelSelector: { matchLabels: podSelector(fleet) },
    matchLabelKeys: ['pod-template-hash'],
  }));

const defined = (members: Template): Template =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

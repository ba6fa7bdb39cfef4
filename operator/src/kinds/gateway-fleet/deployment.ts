import { GATEWAY_ADMIN_PORT, type GatewayFleet } from '@gatehouse/crds/kinds';
import type { Cloud } from '@gatehouse/crds/providers';
import { type EnvironmentSettings, environmentOf, MOUNTS } from './environment.ts';
import { listenersOf } from './listeners.ts';
import { adminSecretName, childLabels, childName, podSelector } from './names.ts';
import type { FleetSettings } from './settings.ts';

/** Annotation of the pods that changes with the content of their Secrets. */
export const SECRETS_ANNOTATION = 'gatehouse.dev/secrets';

/** What the cluster adds to the spec of a fleet. */
export interface ClusterFacts {
  /** Undefined: the number of pods is the autoscaler's business. */
  readonly replicas: number | undefined;
  /** Changes when the content of a referenced Secret does, so that pods are replaced. */
  readonly secretsDigest: string;
  /** Clouds whose identity the fleet's accounts use. */
  readonly metadataClouds: readonly Cloud[];
}

/** Whoever the platform runs the one container as must be able to read what is mounted for it. */
const READABLE = 0o444;
/** Between the end of the drain and SIGKILL, in seconds: last words to cut streams, then the exit. */
const EXIT_MARGIN_SECONDS = 5;
/** Of the last good copy: 100,000 keys take about a tenth. Memory of the container, as long as it is used. */
const SNAPSHOT_BYTES = '256Mi';
/** Reserved unless the fleet says otherwise; DESIGN section 11 has the idle size. */
const REQUESTS = { cpu: '250m', memory: '256Mi' } as const;

type Template = Readonly<Record<string, unknown>>;
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
    // A new pod first: it is ready only when it has loaded the Snapshot, and the old one drains after that.
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
  const { nodeSelector, tolerations, priorityClassName, imagePullSecrets } = pod;
  return {
    serviceAccountName: childName(fleet.metadata.name),
    automountServiceAccountToken: true, // the pods watch their manifest
    // Variables that Kubernetes makes of other Services' names would read like settings, e.g. REDIS_PORT.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: drainDelaySeconds + drainTimeoutSeconds + EXIT_MARGIN_SECONDS,
    // No user and no group: the image names its user by number, and platforms that give each namespace its own may replace it.
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: spreadOf(fleet),
    ...defined({ nodeSelector, tolerations, priorityClassName, imagePullSecrets }),
    containers: [container(fleet, settings)],
    volumes: [
      { name: 'snapshot', emptyDir: { medium: 'Memory', sizeLimit: SNAPSHOT_BYTES } },
      { name: 'admin', secret: { secretName: adminSecretName(fleet.metadata.name), defaultMode: READABLE } },
      ...tlsSecrets(fleet).map((secretName) => ({ name: 'tls', secret: { secretName, defaultMode: READABLE } })),
    ],
  };
}

function container(fleet: GatewayFleet, settings: PodSettings): Template {
  const { resources } = fleet.spec;
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
    // No preStop hook: the process itself keeps accepting after SIGTERM, unready from the first moment (DESIGN section 6).
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
    ],
  };
}

/** The policy of the installation is for its own image. */
function imageOf({ spec }: GatewayFleet, settings: ImageSettings): Template {
  const fallback = spec.image === undefined ? settings.imagePullPolicy : undefined;
  const { image = settings.image, imagePullPolicy = fallback } = spec;
  return { image, ...defined({ imagePullPolicy }) };
}

const tlsSecrets = (fleet: GatewayFleet): readonly string[] =>
  listenersOf(fleet).flatMap(({ tlsSecretRef }) => (tlsSecretRef === undefined ? [] : [tlsSecretRef.name]));

/** Autoscaling needs requests; one of ours must not be above a limit of theirs, which would then be the request itself. */
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

/** Counted per template, so that a rolling update spreads its new pods whatever the old ones do. */
const spreadOf = (fleet: GatewayFleet): readonly Template[] =>
  (fleet.spec.topologySpread ?? SPREAD).map((constraint) => ({
    ...constraint,
    labelSelector: { matchLabels: podSelector(fleet) },
    matchLabelKeys: ['pod-template-hash'],
  }));

const defined = (members: Template): Template =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

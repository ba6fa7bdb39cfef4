/** The gateway as a native sidecar container, and its volumes. */
import { GATEWAY_ADMIN_PORT, SIDECAR_ALLOCATOR, type SidecarProfile } from '@gatehouse/crds/kinds';
import { GATEWAY_AUDIENCE, SNAPSHOT_AUDIENCE } from '@gatehouse/crds/snapshot';
import { CA_MEMBER, SIDECAR_CONTAINER, SIDECAR_COPY } from '../../kinds/sidecar-profile/index.ts';
import type { Container, EnvVar, Volume } from './pod.ts';

export interface SidecarOptions {
  /** The gateway image of this release; a profile may name another. */
  readonly image: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  /** `https://gatehouse-operator.<namespace>.svc:9090` */
  readonly snapshotServiceUrl: string;
  /** The annotation of the pod's namespace with the users that its pods may have. */
  readonly userRange?: string | undefined;
}

const IDENTITY_FOLDER = '/var/run/secrets/gatehouse';
const COPY_FOLDER = '/etc/gatehouse/snapshot';
/** The folder of the last good Snapshot. */
const STATE_FOLDER = '/var/lib/gatehouse';
/** The folder into which the API server mounts the application's token where nothing else is mounted. */
const API_TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const LOOPBACK = '127.0.0.1';
/** The kubelet renews it in time; the shortest duration in Kubernetes is ten minutes. */
const TOKEN_SECONDS = 3_600;
/** Two good copies and the file that is being written. */
const STATE_SIZE = '64Mi';

const IDENTITY = 'gatehouse-identity';
const CONFIG_COPY = 'gatehouse-config';
const SECRET_COPY = 'gatehouse-secret';
const STATE = 'gatehouse-state';
const NO_API_TOKEN = 'gatehouse-no-api-token';

/** What it uses at rest, and enough for a workspace of some hundred objects; a profile can set more. */
const RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } };

/** How long one probe waits, and how often it checks meanwhile. */
const PROBE = { patienceMs: 30_000, everyMs: 100 };
/** The start of the pod waits for the sidecar: two minutes are enough for a slow node and short for a broken set-up. */
const STARTUP = { periodSeconds: 1, timeoutSeconds: 45, failureThreshold: 4 };
/** Each check starts a process. A gateway that has not answered for a minute and a half does not come back by itself. */
const LIVENESS = { periodSeconds: 30, timeoutSeconds: 15, failureThreshold: 3 };

/**
 * The first init container; since it is restarted always, it runs before the app starts and until after it ends. Its user is
 * named: without one it would have that of the pod, which is the application's.
 */
export function sidecarContainer(
  { metadata, spec }: SidecarProfile,
  options: SidecarOptions,
  userId: number,
): Container {
  const pullPolicy = spec.imagePullPolicy ?? options.imagePullPolicy;
  return {
    name: SIDECAR_CONTAINER,
    image: spec.image ?? options.image,
    ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy }),
    restartPolicy: 'Always',
    env: sidecarEnv(metadata.name, spec, options),
    resources: spec.resources ?? RESOURCES,
    startupProbe: { exec: runScript(startupScript(spec.port)), ...STARTUP },
    livenessProbe: { exec: runScript(LIVENESS_SCRIPT), ...LIVENESS },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: userId,
      runAsGroup: userId,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [
      { name: IDENTITY, mountPath: IDENTITY_FOLDER, readOnly: true },
      { name: CONFIG_COPY, mountPath: `${COPY_FOLDER}/config`, readOnly: true },
      { name: SECRET_COPY, mountPath: `${COPY_FOLDER}/secret`, readOnly: true },
      { name: STATE, mountPath: STATE_FOLDER },
      { name: NO_API_TOKEN, mountPath: API_TOKEN_FOLDER, readOnly: true },
    ],
  };
}

/**
 * Waits for the gateway instead of starting a process for every check: many pods of a node start at once. The kubelet's HTTP
 * probes cannot do it: they come from outside the pod, where a loopback listener is not reachable, and where a service mesh may
 * intercept other listeners and refuse calls before its own sidecar has started, after this one.
 */
const startupScript = (port: number): string =>
  [
    `const again=()=>setTimeout(ask,${PROBE.everyMs})`,
    `const heard=(answer)=>answer.resume().statusCode===200?process.exit(0):again()`,
    `const ask=()=>require('node:http').get('http://${LOOPBACK}:${port}/v1/health',heard).on('error',again)`,
    `setTimeout(process.exit,${PROBE.patienceMs},1)`,
    'ask()',
  ].join(';');

/** Ends with 1 when the admin listener does not answer with 200; the kubelet ends it when nothing is answered. */
const LIVENESS_SCRIPT = [
  `require('node:http').get('http://${LOOPBACK}:${GATEWAY_ADMIN_PORT}/livez',`,
  `(answer)=>process.exit(answer.statusCode===200?0:1)).on('error',()=>process.exit(1))`,
].join('');

const runScript = (script: string) => ({ command: ['/usr/bin/node', '-e', script] });

function sidecarEnv(profile: string, spec: SidecarProfile['spec'], options: SidecarOptions): readonly EnvVar[] {
  const own: readonly EnvVar[] = [
    fromField('GATEHOUSE_NAMESPACE', 'metadata.namespace'),
    fromField('GATEHOUSE_POD_NAME', 'metadata.name'),
    ...Object.entries({
      HOST: LOOPBACK,
      PORT: String(spec.port),
      GATEHOUSE_ADMIN_PORT: String(GATEWAY_ADMIN_PORT),
      GATEHOUSE_LOG_LEVEL: spec.logLevel,
      GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar',
      GATEHOUSE_SIDECAR_PROFILE: profile,
      GATEHOUSE_SNAPSHOT_SERVICE_URL: options.snapshotServiceUrl,
      GATEHOUSE_SNAPSHOT_DIR: STATE_FOLDER,
      // No load balancer is in front of a sidecar, and it is stopped after the app.
      GATEHOUSE_DRAIN_ACCEPT_MS: '0',
      GATEHOUSE_DRAIN_DEADLINE_MS: String(spec.drainTimeoutSeconds * 1000),
      ...(spec.headerAliases === undefined ? {} : { GATEHOUSE_HEADER_ALIASES: spec.headerAliases.join(',') }),
    }).map(variable),
  ];
  const given = (spec.env ?? []).map(({ name, value, secretRef }) =>
    secretRef === undefined ? { name, value } : { name, valueFrom: { secretKeyRef: secretRef } },
  );
  const defaults = Object.entries(SIDECAR_ALLOCATOR).map(variable);
  return [given, defaults].reduce(addMissing, own);
}

function addMissing(variables: readonly EnvVar[], more: readonly EnvVar[]): readonly EnvVar[] {
  const taken = new Set(variables.map(({ name }) => name));
  return [...variables, ...more.filter(({ name }) => !taken.has(name))];
}

const variable = ([name, value]: readonly [string, string]): EnvVar => ({ name, value });

const fromField = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } });

/** The identity, the mounted copy, the last good Snapshot, and an empty volume in place of the API token. */
export const SIDECAR_VOLUMES: readonly Volume[] = [
  {
    name: IDENTITY,
    projected: {
      sources: [
        { serviceAccountToken: { audience: SNAPSHOT_AUDIENCE, expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        {
          serviceAccountToken: {
            audience: GATEWAY_AUDIENCE,
            expirationSeconds: TOKEN_SECONDS,
            path: 'fleet-token',
          },
        },
        // Not optional: a pod that starts just when its profile is created waits for the copy.
        { configMap: { name: SIDECAR_COPY, items: [{ key: CA_MEMBER, path: CA_MEMBER }] } },
      ],
    },
  },
  { name: CONFIG_COPY, configMap: { name: SIDECAR_COPY, optional: true } },
  { name: SECRET_COPY, secret: { secretName: SIDECAR_COPY, optional: true } },
  { name: STATE, emptyDir: { medium: 'Memory', sizeLimit: STATE_SIZE } },
  { name: NO_API_TOKEN, emptyDir: {} },
];

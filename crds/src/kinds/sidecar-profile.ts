import { z } from 'zod';
import { flag, int, mapList, namespaceName, objectName, type Rule, setList, withRules } from '../schema/index.ts';
import { GATEWAY_ADMIN_PORT, GATEWAY_PORT } from './gateway-fleet.ts';
import {
  defineKind,
  description,
  env,
  envName,
  headerAliases,
  image,
  imagePullPolicy,
  labelSelector,
  logLevel,
  podCount,
  requestDefaults,
  resources,
  shortNameRule,
  snapshotVersion,
  statusOf,
} from './parts/index.ts';

/** Variables from which SDKs read their base URL; the Anthropic SDK adds the version segment itself. */
const APP_ENV = [
  { name: 'OPENAI_BASE_URL', url: 'v1' },
  { name: 'ANTHROPIC_BASE_URL', url: 'root' },
] as const;

/**
 * Defaults of `env`: settings of glibc with which a sidecar returns free blocks from 32 KiB on, 9 MB less at rest than with those of
 * the image. They cost a request nothing but where its body is large: 15 % more CPU with 1 MiB. docs/behaviour/sidecars.md
 */
export const SIDECAR_ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '1048576' } as const;

const appEnv = mapList(
  z.strictObject({
    name: envName('name is the name of the variable.'),
    url: z
      .enum(['v1', 'root'])
      .default('v1')
      .meta({ description: 'url is v1 for an address that ends in /v1, root for the bare address.' }),
  }),
  ['name'],
  {
    description:
      'appEnv are variables set to the address of the sidecar in containers that do not set them themselves.',
    max: 32,
  },
);

const fleetRef = z
  .strictObject({
    name: objectName('name is the name of the GatewayFleet.'),
    namespace: namespaceName('namespace is the namespace of the GatewayFleet; absent: that of the profile.').optional(),
  })
  .meta({
    description:
      'fleetRef names the GatewayFleet of the organisation that gets requests whose targets need its credentials; absent: they are refused.',
  });

const fields = z
  .strictObject({
    description: description.optional(),
    suspend: flag('suspend true injects no sidecar and stops all writes of the operator except status.', false),
    selector: labelSelector(
      'selector selects pods that do not name a profile themselves; absent: only pods with the name of the profile in the label gatehouse.dev/sidecar.',
    ).optional(),
    containers: setList(
      objectName('A container.'),
      'containers are the app containers that get the variables; absent: all.',
      32,
    ).optional(),
    appEnv: appEnv.default([...APP_ENV]),
    defaults: requestDefaults.optional(),
    fleetRef: fleetRef.optional(),
    image: image.optional(),
    imagePullPolicy: imagePullPolicy.optional(),
    resources: resources.optional(),
    env: env.optional(),
    headerAliases: headerAliases.optional(),
    port: int('port is where the sidecar listens, on loopback only.', 1024, 65_535).default(GATEWAY_PORT),
    drainTimeoutSeconds: int(
      'drainTimeoutSeconds is how long requests in flight may take to finish, in seconds.',
      1,
      3600,
    ).default(30),
    logLevel,
  })
  .meta({ description: 'spec is the desired state of the profile.' });

const RULES: readonly Rule<{ port: number }>[] = [
  {
    cel: 'self.port != 8789',
    message: '8789 is the admin port',
    at: 'port',
    holds: ({ port }) => port !== GATEWAY_ADMIN_PORT,
    valid: [{}, { port: 9000 }],
    invalid: [{ port: GATEWAY_ADMIN_PORT }],
  },
];

export const sidecarProfile = defineKind({
  kind: 'SidecarProfile',
  plural: 'sidecarprofiles',
  shortNames: ['gwsc'],
  summary: 'The gateway sidecar that is injected into pods, and the identity of the applications in them.',
  spec: withRules(fields, RULES),
  status: statusOf({
    injectedPods: podCount('injectedPods is the number of running pods with the sidecar.').optional(),
    missedPods: podCount(
      'missedPods is the number of running pods that name the profile in their label and have no sidecar, without pods on the host network.',
    ).optional(),
    snapshotVersion: snapshotVersion('snapshotVersion is the version of the published Snapshot.').optional(),
  }),
  columns: [
    { name: 'Pods', type: 'integer', jsonPath: '.status.injectedPods' },
    { name: 'Config', type: 'string', jsonPath: '.spec.defaults.configRef.name' },
    { name: 'Suspended', type: 'boolean', jsonPath: '.spec.suspend' },
  ],
  rules: [shortNameRule('SidecarProfile', {})],
});

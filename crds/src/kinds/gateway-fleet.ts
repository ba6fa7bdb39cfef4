import { z } from 'zod';
import { CLOUDS } from '../providers/index.ts';
import {
  flag,
  httpUrl,
  int,
  mapList,
  objectName,
  pattern,
  type Rule,
  setList,
  text,
  withRules,
} from '../schema/index.ts';
import { autoscaling, MAX_REPLICAS } from './fleet-autoscaling.ts';
import { records } from './fleet-records.ts';
import { service } from './fleet-service.ts';
import { tracing } from './fleet-tracing.ts';
import {
  BUCKET_ROLE,
  BUCKET_ROLE_RULES,
  defineKind,
  description,
  env,
  headerAliases,
  image,
  imagePullPolicy,
  labelSelector,
  logLevel,
  nameRef,
  overloadSwitch,
  podCount,
  podTemplate,
  resources,
  secretKeyRef,
  shortNameRule,
  snapshotVersion,
  statusOf,
} from './parts/index.ts';

/** Replicas without `replicas` and `autoscaling`: one pod may be lost without an outage. */
const DEFAULT_REPLICAS = 2;
/** Port of health, metrics and Snapshot acknowledgements. */
export const GATEWAY_ADMIN_PORT = 8789;
/** Port of requests. */
export const GATEWAY_PORT = 8787;

const network = z
  .strictObject({
    egress: z.enum(['BlockMetadata', 'Open']).default('BlockMetadata').meta({
      description:
        'egress is where pods may connect to: BlockMetadata allows all but metadata addresses of clouds, Open allows all, and needs the grants of all clouds in a namespace of a workspace. It needs a network plugin that enforces policies.',
    }),
    metadataAccess: setList(
      z.enum(CLOUDS),
      'metadataAccess are clouds whose metadata addresses stay reachable; clouds whose identity is used by an account of a resource are included automatically, and, for buckets without secretRef in a fleet of the organisation, the agent of EKS Pod Identity, but not the role of a node. A fleet of a workspace needs a cloudIdentityGrant of the Organisation.',
      CLOUDS.length,
    ).optional(),
  })
  .meta({ description: 'network is the egress that the NetworkPolicy of the pods allows.' });

const s3 = withRules(
  z
    .strictObject({
      bucket: text('bucket is the name of the bucket.', 255),
      region: text('region is the region that requests are signed for.', 64),
      endpoint: httpUrl('endpoint is the address of a store other than AWS.').optional(),
      prefix: text('prefix is put before every object name.', 255).optional(),
      forcePathStyle: flag('forcePathStyle true puts the bucket into the path instead of the host name.', false),
      secretRef: nameRef(
        'secretRef names the Secret with accessKeyId and secretAccessKey; absent: the identity of the pod.',
      ).optional(),
      ...BUCKET_ROLE,
    })
    .meta({
      description: 's3 keeps the bytes of files that the gateway keeps itself; postgres is required beside it.',
    }),
  BUCKET_ROLE_RULES,
);

const redis = z
  .strictObject({
    urlSecretRef: secretKeyRef(
      'urlSecretRef is the Secret entry with the URL for counters of limits and budgets, sticky sessions and circuit breakers. It must not evict: an evicted counter begins anew.',
    ),
    cacheUrlSecretRef: secretKeyRef(
      'cacheUrlSecretRef is the Secret entry with the URL for cached answers, of a Redis that may evict them; absent: urlSecretRef.',
    ).optional(),
  })
  .meta({
    description:
      'redis shares limits, budgets, cached answers, sticky sessions and circuit breakers among the pods. Without it each pod counts by itself: N pods admit up to N times a limit.',
  });

const STORES_RULES: readonly Rule<{ postgres?: object | undefined; s3?: object | undefined }>[] = [
  {
    cel: 'has(self.postgres) == has(self.s3)',
    message: 'postgres and s3 go together: files and batches of the gateway need both',
    holds: ({ postgres, s3: bucket }) => (postgres === undefined) === (bucket === undefined),
    valid: [
      {},
      {
        postgres: { urlSecretRef: { name: 'postgres', key: 'url' } },
        s3: { bucket: 'batches', region: 'eu-central-1' },
      },
    ],
    invalid: [
      { postgres: { urlSecretRef: { name: 'postgres', key: 'url' } } },
      { s3: { bucket: 'batches', region: 'eu-central-1' } },
    ],
  },
];

const stores = withRules(
  z
    .strictObject({
      redis: redis.optional(),
      postgres: z
        .strictObject({ urlSecretRef: secretKeyRef('urlSecretRef is the Secret entry with the URL.') })
        .meta({
          description:
            'postgres keeps which files and batches of the gateway itself there are, and how far batches are, and with the extension vector also vectors of the semantic cache; s3 is required beside it.',
        })
        .optional(),
      s3: s3.optional(),
    })
    .meta({ description: 'stores are shared by the pods; without a store each pod uses its own memory.' }),
  STORES_RULES,
);

const LISTENER_RULES: readonly Rule<{ port: number }>[] = [
  {
    cel: 'self.port != 8789',
    message: '8789 is the admin port',
    at: 'port',
    holds: ({ port }) => port !== GATEWAY_ADMIN_PORT,
    valid: [{ name: 'main', port: GATEWAY_PORT }],
    invalid: [{ name: 'main', port: GATEWAY_ADMIN_PORT }],
  },
];

const LISTENERS_RULES: readonly Rule<readonly { port: number }[]>[] = [
  {
    cel: 'self.all(a, self.exists_one(b, b.port == a.port))',
    message: 'two listeners cannot share a port',
    reason: 'FieldValueDuplicate',
    holds: (listeners) => new Set(listeners.map(({ port }) => port)).size === listeners.length,
    valid: [
      [
        { name: 'main', port: 8787 },
        { name: 'tls', port: 8443, tlsSecretRef: { name: 'cert' } },
      ],
    ],
    invalid: [
      [
        { name: 'main', port: 8787 },
        { name: 'tls', port: 8787 },
      ],
    ],
  },
];

const listener = withRules(
  z.strictObject({
    name: pattern(/^[a-z]([-a-z0-9]{0,13}[a-z0-9])?$/, 'a port name of at most 15 letters, digits and dashes', 15).meta(
      {
        description: 'name is the name of the port.',
      },
    ),
    port: int('port is where the gateway listens.', 1024, 65_535),
    tlsSecretRef: nameRef(
      'tlsSecretRef names the Secret with tls.crt and tls.key, which pods read again when it changes; absent: plain HTTP.',
    ).optional(),
  }),
  LISTENER_RULES,
);

const limits = z
  .strictObject({
    bodyMebibytes: int('bodyMebibytes is the largest JSON body of a request, in MiB; absent: 32.', 1, 512).optional(),
    jsonDepth: int(
      'jsonDepth is how deep JSON may be nested, in requests and in answers that are parsed; absent: 256.',
      8,
      1000,
    ).optional(),
    jsonNodes: int(
      'jsonNodes is the most values and member names that a JSON text may have; absent: 500,000.',
      1000,
      10_000_000,
    ).optional(),
    jsonStringBytes: int(
      'jsonStringBytes is the longest string in a JSON text, in bytes; absent: 32 MiB.',
      1024,
      536_870_912,
    ).optional(),
    bufferedMebibytes: int(
      'bufferedMebibytes is the most memory of a pod that all requests and answers may use together, in MiB; further requests get 503; absent: a quarter of the memory limit, at most half of the heap.',
      1,
      1_048_576,
    ).optional(),
    responseMebibytes: int(
      'responseMebibytes is the largest answer that is read whole, after decompression, in MiB; absent: 64.',
      1,
      1024,
    ).optional(),
    attemptsPerRequest: int(
      'attemptsPerRequest is the most calls to providers that one request may cause, over all targets and retries; absent: 50.',
      1,
      10_000,
    ).optional(),
    concurrentRequestsPerKey: int(
      'concurrentRequestsPerKey is the most requests and streams of one key that a pod serves at the same time; 0: unlimited; absent: 2000.',
      0,
      1_000_000,
    ).optional(),
    bodyIdleSeconds: int(
      'bodyIdleSeconds is the longest wait for the next bytes of a request body, in seconds; absent: 30.',
      1,
      86_400,
    ).optional(),
    bodyBytesPerSecond: int(
      'bodyBytesPerSecond is the least average rate of a request body; 0: no minimum; absent: 500.',
      0,
      1_073_741_824,
    ).optional(),
  })
  .meta({
    description: 'limits bound the resources that requests may use in a pod; absent fields have their defaults.',
  });

const spreadConstraint = z.strictObject({
  topologyKey: text('topologyKey is the node label whose values the pods spread over.', 316),
  maxSkew: int('maxSkew is the largest difference in pods between two values.', 1, 100).default(1),
  whenUnsatisfiable: z
    .enum(['ScheduleAnyway', 'DoNotSchedule'])
    .default('ScheduleAnyway')
    .meta({ description: 'whenUnsatisfiable is what happens to a pod that would break the spread.' }),
});

const fields = z
  .strictObject({
    description: description.optional(),
    suspend: flag('suspend true stops all writes of the operator except status.', false),
    image: image.optional(),
    imagePullPolicy: imagePullPolicy.optional(),
    replicas: int(
      'replicas is the number of pods without autoscaling; kubectl scale, KEDA and HorizontalPodAutoscalers with the fleet as their target set it.',
      0,
      MAX_REPLICAS,
    ).default(DEFAULT_REPLICAS),
    autoscaling: autoscaling.optional(),
    resources: resources.optional(),
    workspaces: setList(
      objectName('A Workspace.'),
      'workspaces are the workspaces served; absent, without workspaceSelector: all that the fleet may serve.',
      500,
    ).optional(),
    workspaceSelector: labelSelector('workspaceSelector selects the workspaces served by their labels.').optional(),
    stores: stores.optional(),
    storeFailurePolicy: z.enum(['open', 'closed']).default('open').meta({
      description:
        'storeFailurePolicy is what happens to requests that have a limit while Redis is away: open lets each pod count by itself and adds these counts when Redis is back, closed answers 503.',
    }),
    trustedHosts: setList(
      pattern(/^(\*\.)?[a-z0-9.:-]+$/, 'a host name, *.name or an IP address, in lower case', 253),
      'trustedHosts are hosts, with their subdomains, that requests and configs may name although they are private.',
      256,
    ).optional(),
    headerAliases: headerAliases.optional(),
    network: network.optional(),
    listeners: withRules(
      mapList(listener, ['name'], {
        description: `listeners are where requests arrive; more than one is refused in this version; absent: plain HTTP on ${GATEWAY_PORT}.`,
        max: 4,
      }),
      LISTENERS_RULES,
    ).optional(),
    drainDelaySeconds: int(
      'drainDelaySeconds is how long a terminating pod keeps accepting requests, since load balancers lag, in seconds.',
      0,
      60,
    ).default(5),
    drainTimeoutSeconds: int(
      'drainTimeoutSeconds is how long requests in flight may take to finish, in seconds.',
      1,
      3600,
    ).default(300),
    maxSnapshotAgeHours: int(
      'maxSnapshotAgeHours is the largest age of a Snapshot on disk with which a container starts while the API server is unreachable, in hours.',
      1,
      720,
    ).default(24),
    logLevel,
    tracing: tracing.optional(),
    records: records.optional(),
    limits: limits.optional(),
    inspectStreamForOverload: overloadSwitch('fleet').optional(),
    env: env.optional(),
    pod: podTemplate.optional(),
    topologySpread: mapList(spreadConstraint, ['topologyKey'], {
      description: 'topologySpread spreads the pods; absent: over nodes and zones as far as possible.',
      max: 8,
    }).optional(),
    maxUnavailable: int(
      'maxUnavailable is the most pods that a voluntary disruption may remove at once.',
      1,
      MAX_REPLICAS,
    ).default(1),
    service: service.optional(),
  })
  .meta({ description: 'spec is the desired state of the fleet.' });

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    // The API server cannot tell a default from a value: a fleet that is scaled by others needs the field.
    cel: `!has(self.autoscaling) || self.replicas == ${DEFAULT_REPLICAS}`,
    message: `replicas and autoscaling exclude each other: leave replicas out, or at its default of ${DEFAULT_REPLICAS}`,
    at: 'replicas',
    reason: 'FieldValueForbidden',
    holds: (spec) => spec.autoscaling === undefined || spec.replicas === DEFAULT_REPLICAS,
    valid: [{}, { replicas: 3 }, { autoscaling: { maxReplicas: 5 } }, { replicas: 2, autoscaling: { maxReplicas: 5 } }],
    invalid: [{ replicas: 3, autoscaling: { maxReplicas: 5 } }],
  },
  {
    cel: '!has(self.workspaces) || !has(self.workspaceSelector)',
    message: 'workspaces and workspaceSelector exclude each other',
    at: 'workspaceSelector',
    reason: 'FieldValueForbidden',
    holds: (spec) => spec.workspaces === undefined || spec.workspaceSelector === undefined,
    valid: [{ workspaces: ['team-a'] }, { workspaceSelector: { matchLabels: { tier: 'gold' } } }],
    invalid: [{ workspaces: ['team-a'], workspaceSelector: {} }],
  },
];

const laggingPod = z.object({
  name: objectName('name is the name of the pod.'),
  version: snapshotVersion('version is the version of the Snapshot that the pod serves; absent: none yet.').optional(),
  reason: z
    .enum(['Pending', 'Rejected', 'Unreachable'])
    .meta({ description: 'reason is why the pod does not serve the published Snapshot.' }),
  message: z.string().max(1024).meta({ description: 'message explains the reason.' }).optional(),
});

const rejectedEntry = z.object({
  entry: text('entry is the id of the Snapshot entry: kind, workspace (empty: the organisation) and name.', 2048),
  reason: z.enum(['TooLarge', 'Unusable']).meta({ description: 'reason is why the pods do not serve the entry.' }),
  message: z.string().max(1024).meta({ description: 'message explains the reason.' }).optional(),
});

export const gatewayFleet = defineKind({
  kind: 'GatewayFleet',
  plural: 'gatewayfleets',
  shortNames: ['gwf'],
  summary: 'A horizontally scaled set of gateway pods and the workspaces it serves.',
  spec: withRules(fields, RULES),
  status: statusOf({
    replicas: podCount('replicas is the number of pods.').optional(),
    readyReplicas: podCount('readyReplicas is the number of ready pods.').optional(),
    programmedReplicas: podCount('programmedReplicas is the number of ready pods on snapshotVersion.').optional(),
    live: text('live is how many of the pods serve snapshotVersion, e.g. 3/3.', 32).optional(),
    snapshotEpoch: snapshotVersion(
      'snapshotEpoch is the epoch of snapshotVersion; a new epoch begins when the version would decrease, e.g. after a restore.',
    ).optional(),
    snapshotVersion: snapshotVersion('snapshotVersion is the version of the published Snapshot.').optional(),
    lagging: mapList(laggingPod, ['name'], {
      description: 'lagging are pods that do not serve the published Snapshot; at most 32 are listed.',
      max: 32,
    }).optional(),
    rejected: mapList(rejectedEntry, ['entry'], {
      description: 'rejected are entries that the pods do not serve; at most 32 are listed.',
      max: 32,
    }).optional(),
    selector: text('selector is the label selector of the pods.', 1024).optional(),
    address: text('address is the base URL of the fleet inside the cluster.', 512).optional(),
    certificateAuthority: text(
      'certificateAuthority is PEM with which sidecars check the certificate at address; absent: a public one.',
      65_536,
    ).optional(),
  }),
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    { name: 'Pods', type: 'string', jsonPath: '.status.live' },
    { name: 'Version', type: 'integer', jsonPath: '.status.snapshotVersion' },
    { name: 'Suspended', type: 'boolean', jsonPath: '.spec.suspend' },
  ],
  rules: [shortNameRule('GatewayFleet', {})],
});

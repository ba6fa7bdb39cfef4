/** The flags of the operator, and the environment variables that replace them. */
import { SESSION_BOUNDS } from './session-bounds.ts';

export interface Flag {
  /** Undefined: there is no variable. */
  readonly variable?: string;
  readonly type: 'text' | 'list' | 'port' | 'seconds' | 'count' | 'switch';
  /** The default as on the command line; that of a switch is off. */
  readonly fallback?: string;
  readonly help: string;
}

export const FLAGS = {
  'organisation-namespace': {
    variable: 'GATEHOUSE_NAMESPACE',
    type: 'text',
    fallback: 'gatehouse-system',
    help: "Namespace of the operator, which holds what is the organisation's",
  },
  'service-account': {
    variable: 'GATEHOUSE_SERVICE_ACCOUNT',
    type: 'text',
    fallback: 'gatehouse-operator',
    help: 'Name of its ServiceAccount, as statuses name it in commands that grant it rights',
  },
  'management-service-account': {
    variable: 'GATEHOUSE_MANAGEMENT_SERVICE_ACCOUNT',
    type: 'text',
    help: 'Name of the ServiceAccount of the management API in that namespace, which is told the keys; none: there is no management API',
  },
  'watch-namespaces': {
    variable: 'GATEHOUSE_WATCH_NAMESPACES',
    type: 'list',
    fallback: '',
    help: "Namespaces served besides the organisation's and those of its fleets; none: all",
  },
  'fleet-namespaces': {
    variable: 'GATEHOUSE_FLEET_NAMESPACES',
    type: 'list',
    fallback: 'gatehouse-gateways',
    help: "Namespaces in the organisation's hands whose fleets may serve any workspace",
  },
  'metrics-namespaces': {
    variable: 'GATEHOUSE_METRICS_NAMESPACES',
    type: 'list',
    fallback: '',
    help: 'Namespaces whose pods may scrape metrics of gateways',
  },
  'operator-cidrs': {
    variable: 'GATEHOUSE_OPERATOR_CIDRS',
    type: 'list',
    fallback: '',
    help: 'Address ranges from which operators on the network of their nodes call gateways, for the NetworkPolicies of fleets',
  },
  'no-cross-namespace-refs': {
    variable: 'GATEHOUSE_NO_CROSS_NAMESPACE_REFS',
    type: 'switch',
    help: 'References never leave their namespace, whatever a ReferenceGrant says',
  },
  'allowed-custom-hosts': {
    variable: 'GATEHOUSE_ALLOWED_CUSTOM_HOSTS',
    type: 'list',
    fallback: '',
    help: 'Hosts, with everything below them, and IP addresses that customHost of resources may name; none: all',
  },
  'max-root-config-targets': {
    variable: 'MAX_ROOT_CONFIG_TARGETS',
    type: 'count',
    fallback: '100',
    help: 'Most targets at the root of a saved config, 1 to 1000',
  },
  'max-conditional-root-config-targets': {
    variable: 'MAX_CONDITIONAL_ROOT_CONFIG_TARGETS',
    type: 'count',
    fallback: '1000',
    help: 'Most targets at the root of a saved config with conditions, 1 to 1000',
  },
  'max-nested-config-targets': {
    variable: 'MAX_NESTED_CONFIG_TARGETS',
    type: 'count',
    fallback: '50',
    help: 'Most targets below each root target of a saved config, 1 to 1000',
  },
  'cluster-domain': {
    variable: 'GATEHOUSE_CLUSTER_DOMAIN',
    type: 'text',
    fallback: 'cluster.local',
    help: 'Domain behind the names of Services',
  },
  'gateway-image': {
    variable: 'GATEHOUSE_GATEWAY_IMAGE',
    type: 'text',
    fallback: 'gatehouse-gateway',
    help: 'Image of fleets and sidecars that name none',
  },
  'gateway-image-pull-policy': {
    variable: 'GATEHOUSE_GATEWAY_IMAGE_PULL_POLICY',
    type: 'text',
    fallback: 'IfNotPresent',
    help: 'When nodes pull that image: Always, IfNotPresent or Never',
  },
  'pod-name': {
    variable: 'GATEHOUSE_POD_NAME',
    type: 'text',
    help: 'Name of the pod, by which replicas tell each other apart; none: the host name',
  },
  'pod-uid': {
    variable: 'GATEHOUSE_POD_UID',
    type: 'text',
    help: 'UID of the pod, since a name may come again; none: a random one, so that a restart waits for the lease',
  },
  'lease-name': { type: 'text', fallback: 'gatehouse-operator', help: 'Lease by which replicas elect a leader' },
  'lease-seconds': {
    variable: 'GATEHOUSE_LEASE_SECONDS',
    type: 'seconds',
    fallback: '5',
    help: 'How long the lease of a leader that is silent lasts, 3 to 300; one that is killed is replaced within one and a half times that',
  },
  'max-status-writes': {
    variable: 'GATEHOUSE_MAX_STATUS_WRITES',
    type: 'count',
    fallback: '16',
    help: 'Most statuses that are written at once, 1 to 16; fewer while the API server answers slowly',
  },
  host: { type: 'text', fallback: '::', help: 'Address to listen on' },
  'health-port': { type: 'port', fallback: '8081', help: 'Port of health and metrics; 0: any free one' },
  'webhook-port': { type: 'port', fallback: '9443', help: 'Port of the webhooks; 0: any free one' },
  'snapshot-port': { type: 'port', fallback: '9090', help: 'Port of the snapshot service; 0: any free one' },
  'management-port': { type: 'port', fallback: '9444', help: 'Port of the management API; 0: any free one' },
  'no-webhooks': { type: 'switch', help: 'Neither admission nor sidecars' },
  'webhook-url': {
    type: 'text',
    help: 'Where the API server reaches the webhooks; none: the Service of the operator',
  },
  'webhook-certificate': {
    variable: 'GATEHOUSE_WEBHOOK_CERTIFICATE',
    type: 'text',
    fallback: 'self',
    help: 'Who issues the certificate: self or cert-manager',
  },
  'webhook-client-ca': {
    variable: 'GATEHOUSE_WEBHOOK_CLIENT_CA',
    type: 'text',
    help: 'PEM of the authorities whose certificates the API server shows to webhooks; unset: client certificates are not required',
  },
  'webhook-timeout-seconds': {
    variable: 'GATEHOUSE_WEBHOOK_TIMEOUT_SECONDS',
    type: 'seconds',
    fallback: '5',
    help: 'How long the API server waits for an answer of a webhook before the failure policy decides, 1 to 30',
  },
  'validation-failure-policy': {
    variable: 'GATEHOUSE_VALIDATION_FAILURE_POLICY',
    type: 'text',
    fallback: 'Ignore',
    help: 'failurePolicy of the validating webhook: while it is unavailable, Ignore admits writes of resources, Fail refuses them',
  },
  'injection-failure-policy': {
    variable: 'GATEHOUSE_INJECTION_FAILURE_POLICY',
    type: 'text',
    fallback: 'Fail',
    help: 'failurePolicy of the injection webhook, for pods that name a SidecarProfile: Fail or Ignore',
  },
  'vault-token-file': {
    variable: 'GATEHOUSE_VAULT_TOKEN_FILE',
    type: 'text',
    help: 'File with a token of the ServiceAccount for Vault, for SecretReferences with the auth method Kubernetes; none: they are not fetched',
  },
  management: {
    type: 'switch',
    help: 'Run no operator: serve the management API',
  },
  'management-certificate-dir': {
    type: 'text',
    fallback: '/var/run/secrets/gatehouse/certificate',
    help: 'With --management: folder of its certificate, tls.crt and tls.key, which is read again when it changes',
  },
  'database-url': {
    variable: 'DATABASE_URL',
    type: 'text',
    help: 'With --management: PostgreSQL for people and audit, postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full, better as the variable; none: people are not served',
  },
  'database-ca-file': {
    type: 'text',
    help: 'With --management: file with the certificate authorities of PostgreSQL, as PEM; TLS is then the default',
  },
  'logs-clickhouse-url': {
    variable: 'GATEHOUSE_LOGS_CLICKHOUSE_URL',
    type: 'text',
    help: 'With --management: ClickHouse with the request log, https://USER:PASSWORD@HOST:8443, better as the variable; none: --logs-database-url says where it is',
  },
  'logs-database-url': {
    variable: 'GATEHOUSE_LOGS_DATABASE_URL',
    type: 'text',
    help: 'With --management: PostgreSQL with the request log, with the account of the gateways, better as the variable; none, and neither of the other two: logs, analytics, exports and feedback answer 501',
  },
  'logs-account-password': {
    variable: 'GATEHOUSE_LOGS_ACCOUNT_PASSWORD',
    type: 'text',
    help: 'With --management: password of the account gateway_logs, which is then made in the PostgreSQL of --database-url for gateways to keep the request log with; better as the variable',
  },
  'log-store': {
    variable: 'LOG_STORE',
    type: 'text',
    fallback: 'control_plane',
    help: 'With --management: where gateways keep documents of the request log, as for them: control_plane (its database), s3, s3_assume (needs LOG_STORE_AWS_ROLE_ARN), s3_custom, wasabi or netapp',
  },
  'log-store-bucket': {
    variable: 'LOG_STORE_GENERATIONS_BUCKET',
    type: 'text',
    help: 'With --management: bucket with documents of the request log',
  },
  'log-store-region': {
    variable: 'LOG_STORE_REGION',
    type: 'text',
    help: 'With --management: region of that bucket; none: us-east-1',
  },
  'log-store-basepath': {
    variable: 'LOG_STORE_BASEPATH',
    type: 'text',
    help: 'With --management: address of the store with the API of S3, http:// or https://',
  },
  'log-store-access-key': {
    variable: 'LOG_STORE_ACCESS_KEY',
    type: 'text',
    help: 'With --management: key id for the bucket, which may read objects; none: the identity of the pod',
  },
  'log-store-secret-key': {
    variable: 'LOG_STORE_SECRET_KEY',
    type: 'text',
    help: 'With --management: secret key for the bucket, better as the variable',
  },
  'log-store-aws-role-arn': {
    variable: 'LOG_STORE_AWS_ROLE_ARN',
    type: 'text',
    help: 'With --management: ARN of the role that is assumed for the bucket, with the key pair or the identity of the pod',
  },
  'log-store-aws-external-id': {
    variable: 'LOG_STORE_AWS_EXTERNAL_ID',
    type: 'text',
    help: 'With --management: external id that this role asks for',
  },
  'log-store-ca': {
    variable: 'LOG_STORE_CA',
    type: 'text',
    help: 'With --management: certificate authorities of that store as PEM, better as the variable; none: those of Node',
  },
  'audit-retention-days': {
    variable: 'GATEHOUSE_AUDIT_RETENTION_DAYS',
    type: 'count',
    fallback: '0',
    help: 'With --management: days after which audit records are deleted from the database; 0: never',
  },
  'public-url': {
    variable: 'GATEHOUSE_PUBLIC_URL',
    type: 'text',
    help: 'With --management: where browsers reach the gateway, https://HOST[:PORT]; needed to sign in',
  },
  'oidc-issuer': {
    variable: 'GATEHOUSE_OIDC_ISSUER',
    type: 'text',
    help: 'With --management: issuer of the identity provider that people sign in with; none: nobody signs in',
  },
  'oidc-client-id': {
    variable: 'GATEHOUSE_OIDC_CLIENT_ID',
    type: 'text',
    help: 'With --management: client that the identity provider knows the gateway by',
  },
  'oidc-client-secret': {
    variable: 'GATEHOUSE_OIDC_CLIENT_SECRET',
    type: 'text',
    help: 'With --management: secret of that client, better as the variable',
  },
  'oidc-trusts-emails': {
    variable: 'GATEHOUSE_OIDC_TRUSTS_EMAILS',
    type: 'switch',
    help: 'With --management: Accept addresses that the identity provider does not call verified, because it verifies all of them',
  },
  'session-hours': {
    variable: 'GATEHOUSE_SESSION_HOURS',
    type: 'count',
    fallback: String(SESSION_BOUNDS.sessionHours.usual),
    help: 'With --management: hours from a sign-in to the end of its session',
  },
  'session-idle-minutes': {
    variable: 'GATEHOUSE_SESSION_IDLE_MINUTES',
    type: 'count',
    fallback: String(SESSION_BOUNDS.idleMinutes.usual),
    help: 'With --management: minutes after which a session ends without a call',
  },
  'keys-url': {
    type: 'text',
    help: 'With --management: where it learns the keys; none: the snapshot service of the operator',
  },
  'keys-dir': {
    type: 'text',
    fallback: '/var/run/secrets/gatehouse/keys',
    help: 'With --management: folder of ca.crt, the authority of that service, and of token, which is sent to it',
  },
  retire: {
    type: 'switch',
    help: 'Run no operator: end all sidecars and remove what they start from, as an uninstallation does, and exit',
  },
  kubeconfig: { variable: 'KUBECONFIG', type: 'text', help: 'Kubeconfig file; none: the service account of the pod' },
  context: { type: 'text', help: 'Context of the kubeconfig; none: its current one' },
  'log-level': {
    variable: 'GATEHOUSE_LOG_LEVEL',
    type: 'text',
    fallback: 'info',
    help: 'Least severe level that is logged: debug, info, warn or error',
  },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof FLAGS;

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[]; // an object has its own keys

/** The text of `--help`. */
export function usage(): string {
  const rows = FLAG_NAMES.map((name) => {
    const flag: Flag = FLAGS[name];
    const value = flag.type === 'switch' ? '' : ` ${flag.type.toUpperCase()}`;
    const notes = [flag.variable, flag.fallback && `default ${flag.fallback}`].filter(Boolean).join(', ');
    return `  --${name}${value}\n      ${flag.help}${notes === '' ? '' : ` (${notes})`}`;
  });
  return `Usage: operator [flags]\n\n${rows.join('\n')}\n`;
}

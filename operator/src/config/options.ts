import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { err, HTTP_ADDRESS, isHttpAddress, ok, type Result } from '@gatehouse/crds';
import type { TargetCaps } from '@gatehouse/crds/config';
import type { OperatorAccount } from '../rbac.ts';
import type { ClusterSource } from '../runtime/index.ts';
import { type AllowedHosts, parseHostPattern } from '../translate/index.ts';
import { FLAG_NAMES, FLAGS, type Flag, type FlagName } from './flags.ts';
import { SESSION_BOUNDS } from './session-bounds.ts';

/** Where documents of the request log are, as variables name it. */
export interface LogStoreOptions {
  readonly kind: 'control_plane' | 's3' | 's3_assume' | 's3_custom' | 'wasabi' | 'netapp';
  readonly bucket: string | undefined;
  readonly region: string | undefined;
  readonly basePath: string | undefined;
  readonly accessKey: string | undefined;
  readonly secretKey: string | undefined;
  readonly roleArn: string | undefined;
  readonly externalId: string | undefined;
  /** PEM. */
  readonly ca: string | undefined;
}

export interface OperatorOptions {
  readonly organisationNamespace: string;
  /** The account that rights are granted to. */
  readonly account: OperatorAccount;
  /** Of the management API, in the organisation's namespace; undefined: there is none. */
  readonly managementAccount: string | undefined;
  /** All namespaces, or those that are watched. */
  readonly namespaces: 'all' | ReadonlySet<string>;
  readonly fleetNamespaces: ReadonlySet<string>;
  readonly metricsNamespaces: readonly string[];
  /** Where operators on the network of their nodes call from. */
  readonly operatorCidrs: readonly string[];
  readonly crossNamespaceRefs: boolean;
  /** Hosts that resources may name, subdomains included; empty: all. */
  readonly allowedHosts: AllowedHosts;
  /** Of saved configs. */
  readonly caps: TargetCaps;
  /** The suffix of the names of Services. */
  readonly clusterDomain: string;
  readonly gatewayImage: string;
  readonly gatewayImagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly podName: string | undefined;
  readonly podUid: string | undefined;
  readonly leaseName: string;
  readonly leaseSeconds: number;
  /** Statuses that are written at once. */
  readonly maxStatusWrites: number;
  readonly host: string;
  readonly healthPort: number;
  readonly webhookPort: number;
  readonly snapshotPort: number;
  readonly webhooks: boolean;
  /** Its port is the given one, or a free one. */
  readonly webhookUrl: URL | undefined;
  /** PEM */
  readonly webhookClientCa: string | undefined;
  readonly webhookCertificate: 'self' | 'cert-manager';
  /** How long the API server waits for an answer. */
  readonly webhookTimeoutSeconds: number;
  readonly validationFailurePolicy: 'Ignore' | 'Fail';
  readonly injectionFailurePolicy: 'Ignore' | 'Fail';
  /** File with a token of the ServiceAccount for Vault. */
  readonly vaultTokenFile: string | undefined;
  readonly managementPort: number;
  /** Serves the management API instead of running an operator. */
  readonly management: boolean;
  /** Folder of the certificate of the management API. */
  readonly managementCertificateDir: string;
  /** PostgreSQL of the management API, with its password; undefined: people are not served. */
  readonly databaseUrl: string | undefined;
  /** File with its certificate authorities as PEM. */
  readonly databaseCaFile: string | undefined;
  /** ClickHouse with the request log, with its password; undefined: PostgreSQL may have it. */
  readonly logsClickHouseUrl: string | undefined;
  /** PostgreSQL with the request log, with the account of the gateways; undefined: with logsAccountPassword it is in that of people, else there is none. */
  readonly logsDatabaseUrl: string | undefined;
  /** Of the account of gateways, which the management API makes in PostgreSQL. */
  readonly logsAccountPassword: string | undefined;
  readonly logStore: LogStoreOptions;
  /** Days after which audit records are deleted; 0: never. */
  readonly auditRetentionDays: number;
  /** How people sign in, as it was given. */
  readonly signIn: GivenSignIn;
  /** Where the management API learns the keys; undefined: from the operator of its namespace. */
  readonly keysUrl: URL | undefined;
  /** Folder of what that needs. */
  readonly keysDir: string;
  /** Ends all sidecars instead of running an operator. */
  readonly retire: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly logLevel: string;
}

/** Of the management API: operator/src/management/sessions checks it. */
export interface GivenSignIn {
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly publicUrl: string | undefined;
  readonly trustsEmails: boolean;
  readonly sessionHours: number;
  readonly idleMinutes: number;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly what: string;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Options of a run, or the request for help. */
export type ParsedOptions = OperatorOptions | 'help';

const LOG_LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_PORT = 65_535;
/** A shorter lease is lost to a slow API server, a longer one leaves edits unpublished for minutes. */
const LEASE_SECONDS: Bounds = { min: 3, max: 300, what: 'whole seconds' };
const SESSION_HOURS: Bounds = { ...SESSION_BOUNDS.sessionHours, what: 'whole hours' };
const IDLE_MINUTES: Bounds = { ...SESSION_BOUNDS.idleMinutes, what: 'whole minutes' };
/** The client has so many connections. */
const STATUS_WRITES: Bounds = { min: 1, max: 16, what: 'a number' };
/** What the API server takes. */
const RETENTION_DAYS: Bounds = { min: 0, max: 36_500, what: 'whole days' };
const WEBHOOK_SECONDS: Bounds = { min: 1, max: 30, what: 'whole seconds' };
/** The schema of the resources admits no more. */
const CONFIG_TARGETS: Bounds = { min: 1, max: 1000, what: 'a number' };
/** Far above any real deployment; each is compared with each host. */
const MAX_HOSTS = 1_000;

/** Reads flags and, where one is missing, its variable. The errors are all problems, as sentences for the user. */
export function parseOptions(args: readonly string[], variables: Variables): Result<ParsedOptions, readonly string[]> {
  const given = parseFlags(args);
  if (!given.ok) return given;
  if (given.value.has('help')) return ok('help');
  const values = new Values(given.value, variables);
  const options = toOptions(values);
  const { AWS_ENDPOINT_URL_STS: tokenService } = variables; // no flag: libraries of AWS read it, too
  if (tokenService && !isHttpAddress(tokenService)) {
    values.problems.push(`AWS_ENDPOINT_URL_STS: expected ${HTTP_ADDRESS}`);
  }
  return values.problems.length === 0 ? ok(options) : err(values.problems);
}

function parseFlags(args: readonly string[]): Result<ReadonlyMap<string, string>, readonly string[]> {
  const options = Object.fromEntries([
    ...FLAG_NAMES.map((name) => [name, { type: FLAGS[name].type === 'switch' ? 'boolean' : 'string' }] as const),
    ['help', { type: 'boolean' }] as const,
  ]);
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    return ok(new Map(Object.entries(values).map(([name, value]) => [name, String(value)])));
  } catch (error) {
    return err([error instanceof Error ? error.message : String(error)]);
  }
}

class Values {
  readonly problems: string[] = [];
  readonly #given: ReadonlyMap<string, string>;
  readonly #variables: Variables;

  constructor(given: ReadonlyMap<string, string>, variables: Variables) {
    this.#given = given;
    this.#variables = variables;
  }

  /** Undefined for an empty text. */
  text(name: FlagName): string | undefined {
    const flag: Flag = FLAGS[name];
    const variable = flag.variable === undefined ? undefined : this.#variables[flag.variable];
    return this.#given.get(name) || variable || flag.fallback || undefined;
  }

  isOn(name: FlagName): boolean {
    const value = this.text(name);
    if (value !== undefined && value !== 'true' && value !== 'false') this.refuse(name, 'expected true or false');
    return value === 'true';
  }

  oneOf<T extends string>(name: FlagName, choices: readonly [T, ...T[]]): T {
    const found = choices.find((choice) => choice === this.text(name));
    if (found === undefined) this.refuse(name, `expected one of ${choices.join(', ')}`);
    return found ?? choices[0];
  }

  port(name: FlagName): number {
    const text = this.text(name) ?? '';
    const port = Number(text);
    if (!/^\d{1,5}$/.test(text) || port > MAX_PORT) this.refuse(name, 'expected a port');
    return port;
  }

  number(name: FlagName, { min, max, what }: Bounds): number {
    const text = this.text(name) ?? '';
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < min || number > max)
      this.refuse(name, `expected ${what} from ${min} to ${max}`);
    return number;
  }

  url(name: FlagName): URL | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    if (url?.protocol !== 'https:') this.refuse(name, 'expected an https URL');
    return url ?? undefined;
  }

  pem(name: FlagName): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !text.includes('-----BEGIN CERTIFICATE-----'))
      this.refuse(name, 'expected PEM certificates');
    return text;
  }

  domain(name: FlagName): string {
    const text = this.text(name) ?? '';
    if (!DOMAIN.test(text)) this.refuse(name, 'expected a domain, e.g. cluster.local');
    return text;
  }

  namespaces(name: FlagName): readonly string[] {
    const names = (this.text(name) ?? '').split(',').map((part) => part.trim());
    const filled = names.filter((part) => part !== '');
    const wrong = filled.find((part) => !NAMESPACE.test(part));
    if (wrong !== undefined) this.refuse(name, `${wrong} is not the name of a namespace`);
    return filled;
  }

  cidrs(name: FlagName): readonly string[] {
    const ranges = (this.text(name) ?? '').split(',').map((part) => part.trim());
    const filled = ranges.filter((part) => part !== '');
    const wrong = filled.find((part) => !isCidr(part));
    if (wrong !== undefined) this.refuse(name, `${wrong} is not an address range, e.g. 10.0.0.0/16`);
    return filled;
  }

  hosts(name: FlagName): AllowedHosts {
    const patterns = (this.text(name) ?? '').split(',').filter((part) => part.trim() !== '');
    const hosts = patterns.map(parseHostPattern);
    const wrong = patterns.find((_, i) => hosts[i] === undefined);
    if (wrong !== undefined) this.refuse(name, `${wrong.trim()} is not a host`);
    if (hosts.length > MAX_HOSTS) this.refuse(name, `more than ${MAX_HOSTS} hosts`);
    return hosts.filter((host) => host !== undefined);
  }

  refuse(name: FlagName, message: string): void {
    const { variable }: Flag = FLAGS[name];
    const flag = this.#given.has(name) || variable === undefined ? `--${name}` : variable;
    this.problems.push(`${flag}: ${message}`);
  }
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const version = isIP(address);
  return version !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

function toOptions(values: Values): OperatorOptions {
  const [organisationNamespace = ''] = values.namespaces('organisation-namespace');
  const fleetNamespaces = new Set([organisationNamespace, ...values.namespaces('fleet-namespaces')]);
  const watched = values.namespaces('watch-namespaces');
  const logLevel = values.text('log-level') ?? '';
  if (!LOG_LEVELS.includes(logLevel)) values.refuse('log-level', `expected one of ${LOG_LEVELS.join(', ')}`);
  return {
    organisationNamespace,
    account: { namespace: organisationNamespace, name: values.text('service-account') ?? '' },
    managementAccount: values.text('management-service-account'),
    fleetNamespaces,
    namespaces: watched.length === 0 ? 'all' : new Set([...fleetNamespaces, ...watched]),
    metricsNamespaces: values.namespaces('metrics-namespaces'),
    operatorCidrs: values.cidrs('operator-cidrs'),
    crossNamespaceRefs: !values.isOn('no-cross-namespace-refs'),
    allowedHosts: values.hosts('allowed-custom-hosts'),
    caps: {
      rootTargets: values.number('max-root-config-targets', CONFIG_TARGETS),
      conditionalRootTargets: values.number('max-conditional-root-config-targets', CONFIG_TARGETS),
      nestedTargets: values.number('max-nested-config-targets', CONFIG_TARGETS),
    },
    clusterDomain: values.domain('cluster-domain'),
    gatewayImage: values.text('gateway-image') ?? '',
    gatewayImagePullPolicy: values.oneOf('gateway-image-pull-policy', ['IfNotPresent', 'Always', 'Never']),
    podName: values.text('pod-name'),
    podUid: values.text('pod-uid'),
    leaseName: values.text('lease-name') ?? '',
    leaseSeconds: values.number('lease-seconds', LEASE_SECONDS),
    maxStatusWrites: values.number('max-status-writes', STATUS_WRITES),
    host: values.text('host') ?? '',
    healthPort: values.port('health-port'),
    webhookPort: values.port('webhook-port'),
    snapshotPort: values.port('snapshot-port'),
    webhooks: !values.isOn('no-webhooks'),
    webhookUrl: values.url('webhook-url'),
    webhookClientCa: values.pem('webhook-client-ca'),
    webhookTimeoutSeconds: values.number('webhook-timeout-seconds', WEBHOOK_SECONDS),
    webhookCertificate: values.oneOf('webhook-certificate', ['self', 'cert-manager']),
    validationFailurePolicy: values.oneOf('validation-failure-policy', ['Ignore', 'Fail']),
    injectionFailurePolicy: values.oneOf('injection-failure-policy', ['Fail', 'Ignore']),
    vaultTokenFile: values.text('vault-token-file'),
    managementPort: values.port('management-port'),
    management: values.isOn('management'),
    managementCertificateDir: values.text('management-certificate-dir') ?? '',
    databaseUrl: values.text('database-url'),
    databaseCaFile: values.text('database-ca-file'),
    ...requestLogOf(values),
    auditRetentionDays: values.number('audit-retention-days', RETENTION_DAYS),
    signIn: {
      issuer: values.text('oidc-issuer'),
      clientId: values.text('oidc-client-id'),
      clientSecret: values.text('oidc-client-secret'),
      publicUrl: values.text('public-url'),
      trustsEmails: values.isOn('oidc-trusts-emails'),
      sessionHours: values.number('session-hours', SESSION_HOURS),
      idleMinutes: values.number('session-idle-minutes', IDLE_MINUTES),
    },
    keysUrl: values.url('keys-url'),
    keysDir: values.text('keys-dir') ?? '',
    retire: values.isOn('retire'),
    kubeconfig: values.text('kubeconfig'),
    context: values.text('context'),
    logLevel,
  };
}

type RequestLogOptions = Pick<
  OperatorOptions,
  'logsClickHouseUrl' | 'logsDatabaseUrl' | 'logsAccountPassword' | 'logStore'
>;

const requestLogOf = (values: Values): RequestLogOptions => ({
  logsClickHouseUrl: values.text('logs-clickhouse-url'),
  logsDatabaseUrl: values.text('logs-database-url'),
  logsAccountPassword: values.text('logs-account-password'),
  logStore: {
    kind: values.oneOf('log-store', ['control_plane', 's3', 's3_assume', 's3_custom', 'wasabi', 'netapp']),
    bucket: values.text('log-store-bucket'),
    region: values.text('log-store-region'),
    basePath: values.text('log-store-basepath'),
    accessKey: values.text('log-store-access-key'),
    secretKey: values.text('log-store-secret-key'),
    roleArn: values.text('log-store-aws-role-arn'),
    externalId: values.text('log-store-aws-external-id'),
    ca: values.text('log-store-ca'),
  },
});

/** The cluster that the options name. */
export function clusterSourceOf({ kubeconfig, context }: OperatorOptions): ClusterSource {
  return kubeconfig === undefined ? { inCluster: true } : { kubeConfig: kubeconfig, context };
}

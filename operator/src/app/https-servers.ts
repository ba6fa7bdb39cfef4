/** The HTTPS servers of every replica: webhooks for the API server, and the snapshot service for sidecars. */
import { hostname } from 'node:os';
import {
  CERTIFICATE_SECRET,
  type Certificates,
  MANAGEMENT_CERTIFICATE_SECRET,
  startCertificates,
} from '../certificates/index.ts';
import type { OperatorOptions } from '../config/index.ts';
import type { KubeClient, Log } from '../runtime/index.ts';
import { type KeyReader, startSnapshotService } from '../snapshot-service/index.ts';
import { keepRegistered, type ReviewReport, startWebhooks } from '../webhook/index.ts';
import type { Translations } from '../world/index.ts';
import { MANAGEMENT_SERVICE } from './management-service.ts';
import type { OperatorView } from './operator-view.ts';

const SERVICE = 'gatehouse-operator';

export interface HttpsServersOptions {
  readonly options: OperatorOptions;
  readonly client: KubeClient;
  /** For TokenReviews. */
  readonly reviewClient: KubeClient;
  readonly view: OperatorView;
  readonly translations: Pick<Translations, 'subscribe' | 'latest'>;
  /** See `KeyReader`. */
  readonly countersOf: KeyReader['countersOf'];
  readonly log: Log;
  readonly onReview: (report: ReviewReport) => void;
  /** Ends the wait for a certificate. */
  readonly signal: AbortSignal;
}

export interface HttpsServers extends AsyncDisposable {
  readonly certificates: Certificates;
  /** Of the management API; undefined: there is none. */
  readonly managementCertificates: Certificates | undefined;
  readonly streams: number;
  /** Keeps the webhook configurations at the API server up to date while leading. */
  keepRegistered(signal: AbortSignal): Promise<void>;
}

/** Starts both servers; call it after the first translation. */
export async function startHttpsServers(given: HttpsServersOptions): Promise<HttpsServers> {
  const { options, client, view, translations, log, signal } = given;
  const { organisationNamespace, host, webhookCertificate } = options;
  const service = `${SERVICE}.${organisationNamespace}.svc`;
  const names = namesOf(SERVICE, options);
  const managedBy = webhookCertificate === 'self' ? 'self' : 'external';
  await using parts = new AsyncDisposableStack();
  const certificates = parts.use(
    await startCertificates({ client, namespace: organisationNamespace, managedBy, names, log, signal }),
  );
  const managementCertificates =
    options.managementAccount === undefined ? undefined : parts.use(await startManagementCertificates(given));
  const webhooks = parts.use(
    await startWebhooks({
      certificates,
      host,
      port: options.webhookPort,
      clientCaPem: options.webhookClientCa,
      view,
      sidecar: {
        image: options.gatewayImage,
        imagePullPolicy: options.gatewayImagePullPolicy,
        snapshotServiceUrl: `https://${service}:9090`,
      },
      log,
      onReview: given.onReview,
    }),
  );
  const snapshots = parts.use(
    await startSnapshotService({
      certificates,
      host,
      port: options.snapshotPort,
      client: given.reviewClient,
      admits: view.admitsSidecars,
      snapshotFor: view.snapshotFor,
      startsWith: view.startsWith,
      keys: keysFor(given),
      subscribe: translations.subscribe,
      log,
    }),
  );
  log.info({ webhooks: webhooks.port, snapshots: snapshots.port }, 'Webhooks and snapshot service started');
  const owned = parts.move();
  return {
    certificates,
    managementCertificates,
    get streams() {
      return snapshots.streams;
    },
    keepRegistered: (life) => keepRegistered(registration(given, certificates, webhooks.port), life),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Names by which a Service of the operator's namespace is reached, in tests also this machine. */
function namesOf(name: string, { organisationNamespace, clusterDomain, webhookUrl }: OperatorOptions): string[] {
  const service = `${name}.${organisationNamespace}.svc`;
  const outside = webhookUrl === undefined ? [] : [webhookUrl.hostname, hostname()];
  return [service, `${service}.${clusterDomain}`, ...outside];
}

/** Always self-managed: only gateways connect, and the operator tells them the authority. */
const startManagementCertificates = ({ options, client, log, signal }: HttpsServersOptions): Promise<Certificates> =>
  startCertificates({
    ...{ client, log, signal },
    namespace: options.organisationNamespace,
    secretName: MANAGEMENT_CERTIFICATE_SECRET,
    names: namesOf(MANAGEMENT_SERVICE, options),
  });

function keysFor({ options, translations, countersOf }: HttpsServersOptions): KeyReader | undefined {
  const { managementAccount: account, organisationNamespace: namespace } = options;
  if (account === undefined) return undefined;
  const entries = () => translations.latest?.translation.memo.entries;
  return { reader: { namespace, account }, entries, countersOf };
}

function registration({ options, client, log }: HttpsServersOptions, certificates: Certificates, port: number) {
  const { organisationNamespace, webhookUrl, namespaces, validationFailurePolicy, injectionFailurePolicy } = options;
  const url = webhookUrl === undefined ? undefined : new URL(webhookUrl);
  if (url?.port === '' || url?.port === '0') url.port = String(port);
  return {
    client,
    certificates,
    log,
    reach:
      url === undefined
        ? { service: { namespace: organisationNamespace, name: SERVICE, port: 9443 } }
        : { url: url.origin },
    ownUser: `system:serviceaccount:${options.account.namespace}:${options.account.name}`,
    watchNamespaces: namespaces === 'all' ? ('all' as const) : [...namespaces],
    validationFailurePolicy,
    injectionFailurePolicy,
    timeoutSeconds: options.webhookTimeoutSeconds,
    ...(options.webhookCertificate === 'cert-manager'
      ? { certManagerCertificate: `${organisationNamespace}/${CERTIFICATE_SECRET}` }
      : {}),
  };
}

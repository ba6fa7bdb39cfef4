/** One operator process: stores, translation, servers, and the tasks of the leader. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { clusterSourceOf, type OperatorOptions, type Variables } from '../config/index.ts';
import type { FleetObject } from '../kinds/gateway-fleet/index.ts';
import { createRetirement, type Retirement } from '../retirement/index.ts';
import {
  cacheCheck,
  createHealth,
  createKubeClient,
  createLeader,
  createRuntimeMetrics,
  type KubeClient,
  type Leadership,
  type Log,
  leaseTiming,
} from '../runtime/index.ts';
import type { Translations } from '../world/index.ts';
import { startHealthServer } from './health-server.ts';
import { startHttpsServers } from './https-servers.ts';
import { createLeaderTasks } from './leader-tasks.ts';
import { createLeaderUsage } from './leader-usage.ts';
import { createOperatorMetrics } from './metrics.ts';
import { createOperatorView } from './operator-view.ts';
import { collectProcessMetrics } from './process-metrics.ts';
import { createStores, type Stores } from './stores.ts';
import { createTranslator, type Translator } from './translator.ts';

/** How long the start waits for Secrets and Services that cannot be read, in ms. */
const SECRETS_MS = 15_000;
/** How often a start without complete caches logs what is missing, in ms. */
const SYNC_REPORT_MS = 30_000;
const USER_AGENT = 'gatehouse-operator';

export interface RunOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The environment, where clouds say which identities the process has; absent: it has none. */
  readonly variables?: Variables;
  /** Called with the result before connections and servers are closed. */
  readonly onEnd?: (leadership: Leadership) => void;
}

/** Runs until the signal ends or the lease is lost; after `lost` another process may lead. Rejects when it cannot start. */
export async function runOperator(
  options: OperatorOptions,
  { log, signal, variables = {}, onEnd = () => {} }: RunOptions,
): Promise<Leadership> {
  await using parts = new AsyncDisposableStack();
  const registry = new Registry();
  collectProcessMetrics(registry);
  const runtime = createRuntimeMetrics(registry);
  let translations: Translations | undefined;
  const connect = async (userAgent: string): Promise<KubeClient & AsyncDisposable> =>
    parts.use(await createKubeClient({ source: clusterSourceOf(options), userAgent, onCall: runtime.onCall }));
  const client = await connect(USER_AGENT);
  // Token reviews have connections of their own: anyone may send tokens, and other calls must not wait for them.
  const reviewClient = await connect(`${USER_AGENT}-tokens`);
  // A lease renewal that waits for a connection behind other calls comes too late.
  const leaseClient = await connect(`${USER_AGENT}-lease`);
  // First statuses of many objects must not keep what is published waiting for a connection.
  const statusClient = await connect(`${USER_AGENT}-status`);
  const stores = createStores({ ...options, client, log });
  runtime.observeCache(stores.cache);
  const metrics = createOperatorMetrics(registry, {
    translation: () => translations?.latest?.translation,
    unreadSecrets: () => stores.secrets.beyond.size,
  });
  const translator = createTranslator({ options, client, stores, log, variables, ...metrics });
  ({ translations } = translator);
  const { organisationNamespace, leaseName } = options;
  const retirement = createRetirement({ client, namespace: organisationNamespace, leaseName, log });
  retirement.subscribe(translator.translations.trigger);
  stores.fleets.fleets.subscribe(({ object, previous }) => {
    if (hasMoved(object, previous)) translator.translations.trigger(); // sidecars are told the address
  });

  const health = createHealth();
  health.addReady('caches', cacheCheck(stores.cache));
  health.addReady('translation', () => (translations?.latest === undefined ? 'not made yet' : undefined));
  const server = { health, registry, host: options.host, port: options.healthPort };
  const { port } = parts.use(await startHealthServer(server));
  log.info({ health: port }, 'Health and metrics are served');

  parts.use(watching(stores, translator, retirement));
  parts.use(translations);
  if (!(await untilTranslated({ stores, translator, retirement, log, signal }))) return 'released';
  const identity = identityOf(options);
  const leader = createLeader({
    client: leaseClient,
    namespace: organisationNamespace,
    name: leaseName,
    timing: leaseTiming(options.leaseSeconds * 1_000),
    identity,
    log,
    onChange: runtime.onLease,
  });
  const view = createOperatorView({ ...stores, translations, retirement, leader, settings: options });
  const leaderUsage = createLeaderUsage();
  const { countersOf } = leaderUsage;
  const shared = { options, client, stores, translations, view, log, metrics };
  const httpsServers = options.webhooks
    ? parts.use(await startHttpsServers({ ...shared, reviewClient, countersOf, onReview: metrics.onReview, signal }))
    : undefined;
  metrics.observeStreams(() => httpsServers?.streams ?? 0);
  const work = createLeaderTasks({ ...shared, statusClient, runtime, httpsServers, leaderUsage, identity });
  log.info({ identity }, 'Operator started');
  const leadership = await leader.run(signal, work);
  onEnd(leadership);
  return leadership;
}

const hasMoved = (now: FleetObject | undefined, before: FleetObject | undefined): boolean =>
  now?.status?.['address'] !== before?.status?.['address'] ||
  now?.status?.['certificateAuthority'] !== before?.status?.['certificateAuthority'];

/** Unique among processes, and the same after a restart of the container. */
const identityOf = ({ podName = hostname(), podUid = randomUUID() }: OperatorOptions): string => `${podName}_${podUid}`;

/** Keeps the stores up to date until it is disposed, after everything that reads them. */
function watching(
  { cache, secrets, accounts, contentCache }: Stores,
  { services, managers, clusterIssuer }: Translator,
  retirement: Retirement,
): AsyncDisposable {
  const stop = new AbortController();
  const parts = [cache, secrets, accounts, contentCache, services, managers, clusterIssuer, retirement];
  const ended = Promise.all(parts.map((part) => part.run(stop.signal)));
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the operator has stopped'));
      await ended;
    },
  };
}

interface StartupOptions {
  readonly stores: Stores;
  readonly translator: Translator;
  readonly retirement: Retirement;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Waits until everything has been read and translated once; false when the signal ended before. */
async function untilTranslated({ stores, translator, retirement, log, signal }: StartupOptions): Promise<boolean> {
  try {
    for (;;) {
      const synced = await stores.cache.synced({ signal, timeoutMs: SYNC_REPORT_MS });
      if (synced.ok) break;
      const missing = synced.error.map(({ resource, namespace, failure }) => ({ resource, namespace, ...failure }));
      log.warn({ missing }, 'Still waiting for the API server');
    }
    const patience = AbortSignal.any([signal, AbortSignal.timeout(SECRETS_MS)]);
    const { secrets, accounts } = stores;
    const named = [secrets, accounts, translator.services, translator.clusterIssuer, retirement].map((part) =>
      part.settled(patience),
    );
    await Promise.all(named).catch(() => {
      signal.throwIfAborted();
      const failing = { secrets: secrets.failing().length, accounts: accounts.failing().length };
      log.warn(failing, 'Some Secrets, ServiceAccounts or Services could not be read');
    });
    await translator.start(signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** What only the leader does: children of fleets, publishing, minted keys, statuses and events. */
import { randomUUID } from 'node:crypto';
import { CONDITION_TYPES, REASONS } from '@gatehouse/crds/conditions';
import { KINDS } from '@gatehouse/crds/kinds';
import type { OperatorOptions } from '../config/index.ts';
import { EMBEDDED_SERVERS, keepPasswords } from '../embedded/index.ts';
import { apiKeyController, mintedStatus } from '../kinds/api-key/index.ts';
import {
  childName,
  cloudsInUse,
  createFleetAccess,
  type FleetAccess,
  type FleetSettings,
  gatewayFleetController,
  mayRunGateways,
} from '../kinds/gateway-fleet/index.ts';
import { sidecarProfileController } from '../kinds/sidecar-profile/index.ts';
import type { FleetIdentity } from '../publish/index.ts';
import { secretRefsOf } from '../refs/index.ts';
import {
  type Controller,
  createEventRecorder,
  createPatientRecorder,
  createStatusWriter,
  type EventRecorder,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Log,
  type RuntimeMetrics,
  type StatusWriter,
  systemClock,
} from '../runtime/index.ts';
import { policyIn, quotaStandingOf } from '../translate/index.ts';
import type { Translations } from '../world/index.ts';
import { kindRefOf, SECRETS } from '../world/index.ts';
import { createFleetPorts } from './fleet-ports.ts';
import type { HttpsServers } from './https-servers.ts';
import type { LeaderUsage } from './leader-usage.ts';
import { managementUrl } from './management-service.ts';
import type { OperatorMetrics } from './metrics.ts';
import type { OperatorView } from './operator-view.ts';
import { podProblems, podsOf } from './pods.ts';
import { createPublishAndReport, type PublishAndReport } from './publish-and-report.ts';
import { createPublishTargets } from './publish-targets.ts';
import { KIND_REFS, REQUESTED_AT, type Stores, storeOf } from './stores.ts';
import { createUsageTasks } from './usage-tasks.ts';

export interface LeaderTasksOptions {
  readonly options: OperatorOptions;
  readonly client: KubeClient;
  /** With connections of its own. */
  readonly statusClient: KubeClient;
  readonly stores: Stores;
  readonly translations: Translations;
  readonly view: OperatorView;
  readonly runtime: RuntimeMetrics;
  readonly metrics: OperatorMetrics;
  readonly httpsServers: HttpsServers | undefined;
  /** Is told what pods report. */
  readonly leaderUsage: LeaderUsage;
  /** Identifies this process among the replicas. */
  readonly identity: string;
  readonly log: Log;
}

/** Field managers and annotations never change: objects in clusters carry them. */
const STATUS_MANAGER = 'gatehouse-operator-status';
const REPORTER = 'gatehouse.dev/operator';
/** Pods answer one by one: how long answers are collected before a fleet is counted, in ms. */
const COUNT_MS = 250;

/**
 * Creates writers and controllers. They run while the signal of the returned function lasts, which must end with the lease.
 */
/** Reasons of references that do not resolve. */
const REFERENCE_REASONS: ReadonlySet<string> = new Set(
  Object.entries(REASONS).flatMap(([reason, { on }]) =>
    (on as readonly string[]).includes('ResolvedRefs') ? [reason] : [],
  ),
);
/** Files are applied one after the other, and Workspaces need not come first. */
const HOLD_WARNINGS_MS = 30_000;

export function createLeaderTasks(given: LeaderTasksOptions): (signal: AbortSignal) => Promise<void> {
  const { client, log, runtime, identity, httpsServers } = given;
  const writer = createStatusWriter({
    client: given.statusClient,
    maxAtOnce: given.options.maxStatusWrites,
    fieldManager: STATUS_MANAGER,
    kinds: KIND_REFS,
    conditionTypes: CONDITION_TYPES,
    requestedAtAnnotation: REQUESTED_AT,
    log,
    onOutcome: runtime.onStatus,
  });
  const recorder = createEventRecorder({
    client,
    reportingController: REPORTER,
    reportingInstance: identity,
    log,
    onOutcome: runtime.onEvent,
  });
  const events = createPatientRecorder({ recorder, reasons: REFERENCE_REASONS, holdMs: HOLD_WARNINGS_MS });
  const reporting: Reporting = { writer, events };
  const settings = fleetSettings(given);
  const fleets: { enqueue: Controller['enqueue'] | undefined } = { enqueue: undefined };
  const access = createFleetAccess({
    fleets: given.stores.fleets.fleets,
    isAllowed: (namespace, signal) => mayRunGateways(client, namespace, signal),
    clock: systemClock,
  });
  access.subscribe(given.translations.trigger); // the fleets that are published to depend on it
  const publishing = publishAndReportOf(given, reporting, {
    settings,
    access,
    onFleetChange: (key) => fleets.enqueue?.(key, { afterMs: COUNT_MS }),
  });
  const fleetController = fleetControllerOf(given, reporting, { settings, access, publishing });
  fleets.enqueue = fleetController.enqueue;
  followClouds(given, fleetController);
  followManagement(given, fleetController);
  followStandings(given, fleetController);
  const controllers: Pick<Controller, 'run'>[] = [fleetController, apiKeyControllerOf(given, reporting)];
  if (httpsServers !== undefined) controllers.push(sidecarControllerOf(given, reporting, httpsServers));
  return async (signal) => {
    const work = [...controllers, access, publishing, writer, events].map((part) => part.run(signal));
    work.push(...EMBEDDED_SERVERS.map((server) => keepPasswords(server, embedded(given), signal)));
    if (httpsServers !== undefined) work.push(httpsServers.keepRegistered(signal));
    await Promise.all(work);
  };
}

interface Reporting {
  readonly writer: StatusWriter;
  readonly events: EventRecorder;
}

const fleetSettings = ({ options, httpsServers }: LeaderTasksOptions): FleetSettings => ({
  image: options.gatewayImage,
  imagePullPolicy: options.gatewayImagePullPolicy,
  operatorNamespace: options.organisationNamespace,
  operatorAccount: options.account,
  metricsNamespaces: options.metricsNamespaces,
  operatorCidrs: options.operatorCidrs,
  fleetNamespaces: options.fleetNamespaces,
  get management() {
    const caPem = httpsServers?.managementCertificates?.current.caPem;
    return caPem === undefined ? undefined : { url: managementUrl(options), caPem };
  },
});

const embedded = ({ options, client, stores, log }: LeaderTasksOptions) => ({
  client,
  namespace: options.organisationNamespace,
  fleetNamespaces: options.fleetNamespaces,
  fleets: stores.fleets.fleets,
  secrets: stores.secrets,
  log,
});

function publishAndReportOf(
  { options, client, stores, translations, metrics, leaderUsage, identity, log }: LeaderTasksOptions,
  { writer, events }: Reporting,
  {
    settings,
    access,
    onFleetChange,
  }: {
    readonly settings: FleetSettings;
    readonly access: FleetAccess;
    readonly onFleetChange: (key: string) => void;
  },
): PublishAndReport {
  const usage = createUsageTasks({ options, stores, events, metrics, mark: (key) => publishing.mark(key), log });
  const targetsIn = createPublishTargets({ settings, access, isDeployed: (fleet) => isDeployed(fleet, stores) });
  const publishing: PublishAndReport = createPublishAndReport({
    translations,
    fleets: createFleetPorts({
      ...{ client, stores, settings, identity: `${identity}_${randomUUID()}`, log },
      usage: usage.tracker,
    }),
    statuses: {
      writer,
      events,
      live: (kind, key) => stores.kinds.get(kind)?.get(key),
      extras: (object) => ({ ...extrasOf(object, stores), ...usage.tracker.membersOf(object) }),
      exhaustion: usage.tracker.exhaustionOf,
    },
    targetsIn: ({ world, translation }) =>
      targetsIn({ world, brokenBy: (fleet) => quotaStandingOf(translation, 'GatewayFleet', fleet)?.broken ?? [] }),
    onFleetChange,
    onPropagated: metrics.onPropagated,
    log,
  });
  for (const [kind, store] of stores.kinds) store.subscribe(({ key }) => publishing.mark(`${kind}/${key}`));
  // The status of an ApiKey shows both ends of its minted key.
  stores.secrets.store.subscribe(({ object, previous }) => {
    const { namespace, ownerReferences = [] } = (object ?? previous)?.metadata ?? {};
    for (const { kind, name } of ownerReferences) publishing.mark(`${kind}/${keyOf({ namespace, name })}`);
  });
  stores.pods.subscribe(publishing.updatePods);
  return {
    ...publishing,
    run: async (signal) => {
      using _leading = leaderUsage.lead(usage.tracker);
      await Promise.all([publishing.run(signal), usage.run(signal)]);
    },
  };
}

/** The network policy of fleets depends on the cloud identities in use. */
function followClouds({ translations, stores }: LeaderTasksOptions, { enqueue }: Pick<Controller, 'enqueue'>): void {
  let before: string | undefined;
  translations.subscribe(({ translation }) => {
    const clouds = cloudsInUse(translation.snapshot.entries).join();
    if (before !== undefined && before !== clouds) for (const key of stores.fleets.fleets.objects.keys()) enqueue(key);
    before = clouds;
  });
}

/** Gateways are told the authorities of the management API. */
function followManagement(
  { httpsServers, stores }: LeaderTasksOptions,
  { enqueue }: Pick<Controller, 'enqueue'>,
): void {
  httpsServers?.managementCertificates?.subscribe(() => {
    for (const key of stores.fleets.fleets.objects.keys()) enqueue(key);
  });
}

/** Whether a fleet is within the quota depends on the other objects of its workspace. */
function followStandings({ translations }: LeaderTasksOptions, { enqueue }: Pick<Controller, 'enqueue'>): void {
  translations.subscribe(({ translation }) => {
    for (const { kind, key } of translation.changes.verdicts) {
      if (kind === 'GatewayFleet') enqueue(key.slice(kind.length + 1));
    }
  });
}

/** Whether pods were made for a fleet, which needs a spec that was valid. */
function isDeployed({ namespace, name, uid }: FleetIdentity, { fleets }: Stores): boolean {
  const deployment = fleets.deployments.get(keyOf({ namespace, name: childName(name) }));
  return deployment?.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

function fleetControllerOf(
  { client, stores, translations, runtime, log }: LeaderTasksOptions,
  { writer, events }: Reporting,
  {
    settings,
    access,
    publishing,
  }: { readonly settings: FleetSettings; readonly access: FleetAccess; readonly publishing: PublishAndReport },
): Controller {
  return gatewayFleetController({
    client,
    stores: stores.fleets,
    secrets: stores.secrets,
    settings,
    world: () => translations.latest?.world ?? EMPTY_WORLD,
    access,
    standingOf: ({ metadata }) => {
      const { translation } = translations.latest ?? {};
      return translation && quotaStandingOf(translation, 'GatewayFleet', { key: keyOf(metadata), uid: metadata.uid });
    },
    cloudsInUse: () => cloudsInUse(translations.latest?.translation.snapshot.entries ?? []),
    acknowledged: ({ metadata }) => publishing.countsOf(keyOf(metadata)),
    podTroubles: ({ metadata }) => podProblems(podsOf(stores.pods, keyOf(metadata))),
    placementStores: [stores.namespaces, storeOf(stores, 'Workspace'), storeOf(stores, 'Organisation')],
    status: writer,
    events,
    metrics: runtime.controllers,
    log,
  });
}

/** Members of a status besides the conditions; a write without them would remove them. */
function extrasOf(object: KubeObject, { secrets }: Stores): Readonly<Record<string, unknown>> {
  if (object.kind !== KINDS.ApiKey.kind) return {};
  return { ...mintedStatus(object, secrets) };
}

function apiKeyControllerOf(
  { options, client, stores, translations, view, runtime, log }: LeaderTasksOptions,
  { events }: Reporting,
): Controller {
  const apiKeys = storeOf(stores, 'ApiKey');
  const controller = apiKeyController({
    client,
    kind: kindRefOf('ApiKey'),
    secretKind: SECRETS,
    apiKeys,
    secrets: stores.secrets,
    isServed: (namespace) => namespace === options.organisationNamespace || view.workspaceOf(namespace) !== undefined,
    userKeyRotationDays: (namespace) => rotationDaysIn(translations, namespace),
    events,
    metrics: runtime.controllers,
    log,
  });
  translations.subscribe(({ translation }) => {
    for (const { kind, key } of translation.changes.verdicts) {
      const object = kind === 'ApiKey' ? apiKeys.get(key.slice(kind.length + 1)) : undefined;
      if (object !== undefined && secretRefsOf('ApiKey', object).length > 0) controller.enqueue(keyOf(object.metadata));
    }
  });
  return controller;
}

function rotationDaysIn({ latest }: Pick<Translations, 'latest'>, namespace: string): number | undefined {
  return latest && policyIn(latest.translation.memo.states, namespace).userKeyRotationDays;
}

function sidecarControllerOf(
  { options, client, stores, translations, view, runtime, log }: LeaderTasksOptions,
  { writer, events }: Reporting,
  { certificates }: HttpsServers,
) {
  return sidecarProfileController({
    client,
    kind: kindRefOf('SidecarProfile'),
    profiles: storeOf(stores, 'SidecarProfile'),
    pods: stores.sidecarPods,
    view,
    subscribe: translations.subscribe,
    certificates,
    operatorAccount: options.account,
    status: writer,
    events,
    metrics: runtime.controllers,
    log,
  });
}

const EMPTY_WORLD = { resources: new Map(), namespaces: new Map() };

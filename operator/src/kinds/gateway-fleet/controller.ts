import type { Explanation, PositiveType } from '@gatehouse/crds/conditions';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import {
  type Cache,
  type Controller,
  type ControllerOptions,
  createApplier,
  defineController,
  type Halt,
  type KubeClient,
  type KubeObject,
  type NamedWatches,
  namespaceOf,
  type ObjectKey,
  onChange,
  onOwned,
  onReferenced,
  onReported,
  onSelf,
  type Run,
  retryFrom,
  type StatusWriter,
  type Store,
} from '../../runtime/index.ts';
import type { RunProgress } from '../../status/index.ts';
import { haltFrom } from './access.ts';
import { closeEgress } from './apply-children.ts';
import { childKeeper } from './bare-child.ts';
import type { FleetAccess } from './fleet-access.ts';
import { CHILD_KINDS, DEPLOYMENTS, FLEETS, type FleetObject, type SecretObject } from './kube-kinds.ts';
import { APPLIED_ANNOTATION, CHILDREN_SELECTOR, FIELD_MANAGER } from './names.ts';
import type { Acknowledged, FleetRun, FleetStores, Ports } from './ports.ts';
import { authorityOf, secretClaimant, secretKeys } from './secrets.ts';
import { deploymentOf, readFleet, STEPS } from './steps.ts';
import { countsOf, summarise, summariseSuspended } from './summarise.ts';

export interface GatewayFleetControllerOptions
  extends Pick<
      Ports,
      | 'client'
      | 'stores'
      | 'settings'
      | 'world'
      | 'access'
      | 'standingOf'
      | 'cloudsInUse'
      | 'acknowledged'
      | 'podTroubles'
    >,
    Pick<ControllerOptions<FleetObject>, 'log' | 'events' | 'metrics' | 'workers' | 'backoff' | 'clock' | 'random'> {
  readonly client: KubeClient;
  readonly access: FleetAccess;
  /** Secrets by name, shared with other claimants. */
  readonly secrets: NamedWatches<SecretObject>;
  /** Stores of the objects that decide what a fleet may serve and reach: Workspaces, Namespaces and the Organisation. */
  readonly placementStores: readonly Pick<Store<KubeObject>, 'subscribe' | 'objects'>[];
  readonly status: Pick<StatusWriter, 'applyIfChanged'>;
}

/** Objects per page of a list of fleets, which may be large. */
const PAGE_SIZE = 150;

/**
 * Declares the watches of the controller before the cache runs. Fleets are read before their children, which are filtered by
 * them.
 */
export function watchFleets(
  cache: Pick<Cache, 'watch'>,
  transform: (fleet: FleetObject, kept: FleetObject | undefined) => FleetObject = (fleet) => fleet,
): FleetStores {
  const fleets = cache.watch(FLEETS, { indexes: { secret: secretsOf }, pageSize: PAGE_SIZE, first: true, transform });
  const keep = childKeeper(fleets);
  const deployments = cache.watch(DEPLOYMENTS, { labelSelector: CHILDREN_SELECTOR, transform: keep });
  const children = new Map<string, Store<KubeObject>>([[DEPLOYMENTS.kind, deployments]]);
  for (const kind of CHILD_KINDS) {
    if (kind.kind !== DEPLOYMENTS.kind)
      children.set(kind.kind, cache.watch<KubeObject>(kind, { labelSelector: CHILDREN_SELECTOR, transform: keep }));
  }
  return { fleets, deployments, children };
}

function secretsOf(object: FleetObject): Iterable<ObjectKey> {
  const fleet = readFleet(object);
  return 'kind' in fleet && fleet.kind === 'GatewayFleet' ? secretKeys(fleet) : [];
}

/** The controller of GatewayFleets; enqueue a fleet when the result of `acknowledged` for it has changed. */
export function gatewayFleetController(options: GatewayFleetControllerOptions): Controller {
  const { client, stores, secrets, status } = options;
  const applier = createApplier({
    client,
    fieldManager: FIELD_MANAGER,
    digestAnnotation: APPLIED_ANNOTATION,
    kinds: CHILD_KINDS,
    live: ({ kind }, key) => stores.children.get(kind)?.get(key),
  });
  const ports: Ports = { ...options, applier };
  stores.fleets.subscribe(({ object, previous }) => {
    if (object !== undefined || previous === undefined) return;
    secrets.want(secretClaimant('GatewayFleet', previous.metadata, options.settings), new Set());
  });
  const anyFleet = (): Iterable<ObjectKey> => stores.fleets.objects.keys();

  return defineController<FleetObject>({
    ...options,
    name: 'gateway-fleet',
    kind: FLEETS,
    store: stores.fleets,
    fieldManager: FIELD_MANAGER,
    watches: [
      onSelf(stores.fleets),
      ...[...stores.children.values()].map((store) => onOwned(store, FLEETS)),
      onReferenced(secrets.store, stores.fleets, 'secret'),
      onReported(secrets, (key) => stores.fleets.indexed('secret', key)),
      onReported(options.access, (namespace) => [...anyFleet()].filter((key) => namespaceOf(key) === namespace)),
      ...options.placementStores.map((store) => onChange(store, anyFleet)),
    ],
    reconcile: async (run) => {
      const { progress, fleet } = await walk(ports, run);
      const acknowledged = fleet && ports.acknowledged(fleet);
      const counts = fleet === undefined ? {} : observe({ fleet, ports, signal: run.signal }, acknowledged);
      await status.applyIfChanged(
        run.object,
        { ...summarise(run.object, progress, acknowledged), ...counts },
        { signal: run.signal },
      );
      return progress.halt;
    },
    whileSuspended: async ({ object, signal }) => {
      const fleet = readFleet(object);
      await closeEgressOf(object, { ports, signal });
      const acknowledged = isFleet(fleet) ? ports.acknowledged(fleet) : undefined;
      const counts = isFleet(fleet) ? observe({ fleet, ports, signal }, acknowledged) : {};
      await status.applyIfChanged(object, { ...summariseSuspended(object, acknowledged), ...counts }, { signal });
      return undefined;
    },
  });
}

/** A spec that cannot be read asks for nothing. */
async function closeEgressOf(object: FleetObject, run: Omit<FleetRun, 'fleet'>): Promise<void> {
  const read = readFleet(object);
  const fleet = isFleet(read) ? read : readFleet({ ...object, spec: {} });
  if (isFleet(fleet)) await closeEgress({ fleet, ...run });
}

const isFleet = (read: GatewayFleet | Halt): read is GatewayFleet => read.kind === 'GatewayFleet';

function observe(run: FleetRun, acknowledged: Acknowledged | undefined): object {
  const { fleet, ports } = run;
  return countsOf(fleet, deploymentOf(run), acknowledged, authorityOf(fleet, ports.secrets.store));
}

async function walk(
  ports: Ports,
  { object, signal }: Run<FleetObject>,
): Promise<{ readonly progress: RunProgress; readonly fleet: GatewayFleet | undefined }> {
  const passed = new Map<PositiveType, Explanation>();
  const fleet = readFleet(object);
  if (!isFleet(fleet)) {
    const unclosed = await closeEgressOf(object, { ports, signal }).catch(retryFrom);
    return { progress: { passed, halt: { ...(unclosed ?? fleet), proves: 'Accepted' } }, fleet: undefined };
  }
  for (const { proves, take } of STEPS) {
    const run = { fleet, ports, signal };
    const result = await take(run).catch((error: unknown) => haltFrom(error, run));
    if (result.kind !== 'done') return { progress: { passed, halt: { ...result, proves } }, fleet };
    passed.set(proves, { reason: proves, message: result.message });
  }
  return { progress: { passed }, fleet };
}

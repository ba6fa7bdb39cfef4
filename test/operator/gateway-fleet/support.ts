import { CONDITION_TYPES } from '@gatehouse/crds/conditions';
import { API_VERSION } from '@gatehouse/crds/kinds';
import {
  type Acknowledged,
  createFleetAccess,
  FLEETS,
  type FleetObject,
  type FleetSettings,
  type FleetWorld,
  gatewayFleetController,
  mayRunGateways,
  rbac,
  watchFleets,
} from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { rolesOf } from '../../../operator/src/rbac.ts';
import {
  createCache,
  createNamedWatches,
  createStatusWriter,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type StatusOutcome,
  systemClock,
} from '../../../operator/src/runtime/index.ts';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, QUICK, recordLog, running, SECRETS } from '../runtime/support.ts';

export interface FleetOperatorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly acknowledged?: (fleet: string) => Acknowledged | undefined;
  readonly podTroubles?: () => readonly string[];
  readonly settings?: Partial<FleetSettings>;
  readonly world?: () => FleetWorld;
}

export interface FleetOperator extends AsyncDisposable {
  readonly log: ReturnType<typeof recordLog>;
  readonly statuses: readonly StatusOutcome[];
  /** What its cache knows of a fleet. */
  known(name: string): FleetObject | undefined;
  /** The resources of its calls that write, in their order; statuses are not among them. */
  readonly writes: readonly string[];
  /** `spec.replicas` of the Deployment whenever it changed. */
  readonly replicas: readonly (number | undefined)[];
  /** Has a fleet looked at. */
  enqueue(name: string): void;
}

/** The controller of fleets in one namespace, as the operator's program runs it. */
export async function startFleetOperator(options: FleetOperatorOptions): Promise<FleetOperator> {
  const { namespace, acknowledged = () => undefined, podTroubles = () => [] } = options;
  const writes: string[] = [];
  const client = counting(options.client, ({ plural }) => {
    if (plural !== FLEETS.plural) writes.push(plural);
  });
  const world = options.world ?? (() => ({ resources: new Map(), namespaces: new Map() }));
  const log = recordLog();
  const statuses: StatusOutcome[] = [];
  const replicas: (number | undefined)[] = [];
  const cache = createCache({ client, namespaces: [namespace], log, timing: QUICK });
  const stores = watchFleets(cache);
  stores.deployments.subscribe(({ object }) => {
    if (object !== undefined && replicas.at(-1) !== object.spec?.replicas) replicas.push(object.spec?.replicas);
  });
  const secrets = createNamedWatches({ client, kind: SECRETS, log, timing: QUICK });
  const status = createStatusWriter({
    ...{ client, log, kinds: [FLEETS], maxAtOnce: 8, conditionTypes: CONDITION_TYPES },
    fieldManager: 'gatehouse-operator-status',
    requestedAtAnnotation: 'gatehouse.dev/requestedAt',
    onOutcome: (outcome) => statuses.push(outcome),
  });
  const access = createFleetAccess({
    fleets: stores.fleets,
    isAllowed: (of, signal) => mayRunGateways(client, of, signal),
    clock: systemClock,
  });
  const controller = gatewayFleetController({
    access,
    standingOf: () => ({ broken: [], refusal: undefined }),
    ...{ client, stores, secrets, status, log, placementStores: [] },
    settings: {
      image: 'localhost/gatehouse-gateway:test',
      operatorNamespace: 'gatehouse-system',
      operatorAccount: { namespace: 'gatehouse-system', name: 'gatehouse-operator' },
      metricsNamespaces: [],
      fleetNamespaces: new Set([namespace]),
      ...options.settings,
    },
    world,
    cloudsInUse: () => [],
    acknowledged: ({ metadata }) => acknowledged(metadata.name),
    podTroubles,
    backoff: { minMs: 20, maxMs: 200 },
  });
  const process = running(async (signal) => {
    const parts = [cache.run(signal), secrets.run(signal), status.run(signal)];
    await cache.synced({ signal, timeoutMs: 120_000 });
    await Promise.all([...parts, controller.run(signal)]);
  });
  return {
    log,
    statuses,
    known: (name) => stores.fleets.get(`${namespace}/${name}`),
    writes,
    replicas,
    enqueue: (name) => controller.enqueue(`${namespace}/${name}`),
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

/** Calls back for every call that writes. */
function counting(client: KubeClient, onWrite: (kind: { readonly plural: string }) => void): KubeClient {
  return {
    ...client,
    apply: (kind, object, options) => {
      onWrite(kind);
      return client.apply(kind, object, options);
    },
    create: (kind, object, options) => {
      onWrite(kind);
      return client.create(kind, object, options);
    },
    update: (kind, object, options) => {
      onWrite(kind);
      return client.update(kind, object, options);
    },
    mergePatch: (kind, name, patch, options) => {
      onWrite(kind);
      return client.mergePatch(kind, name, patch, options);
    },
  };
}

/** Waits until a forced run of the fleet `f` writes nothing but its status: what was written before may not have been seen by the run. */
export async function comesToRest(client: KubeClient, namespace: string, operator: FleetOperator): Promise<void> {
  const signal = AbortSignal.timeout(300_000);
  const name = { namespace, name: 'f' };
  let runs = 0;
  const isQuiet = async (): Promise<boolean> => {
    const before = operator.writes.length;
    runs += 1;
    const requestedAt = `run-${runs}`;
    const annotations = { 'gatehouse.dev/requestedAt': requestedAt };
    await client.mergePatch(FLEETS, name, { metadata: { annotations } }, { signal });
    await waitFor(
      async () => (await client.get(FLEETS, name, { signal })).status?.['lastHandledReconcileAt'] === requestedAt,
      { what: 'the forced run' },
    );
    return operator.writes.length === before;
  };
  await waitFor(isQuiet, { what: 'a run that writes nothing' });
}

export const fleet = (namespace: string, name: string, spec: object = {}): FleetObject => ({
  apiVersion: API_VERSION,
  kind: 'GatewayFleet',
  metadata: { namespace, name },
  spec,
});

/** A client that may do in the namespace what the rules of the controller say, and nothing else. */
export async function restrictedClient(cluster: ControlPlaneAccess, namespace: string): Promise<KubeClient> {
  const token = await cluster.serviceAccountToken(namespace, 'operator');
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const post = async (to: string, body: object): Promise<void> => {
    const answer = await cluster.request('POST', to, { body });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  };
  const { watched, fleets, fleetSecrets } = rolesOf(rbac);
  const rules = [...watched, ...fleets, ...fleetSecrets];
  await post(`${path}/roles`, { metadata: { name: 'operator' }, rules });
  await post(`${path}/rolebindings`, {
    metadata: { name: 'operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
    subjects: [{ kind: 'ServiceAccount', name: 'operator', namespace }],
  });
  return connectClient(cluster, { token });
}

export const PODS: KindRef<KubeObject> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** Does what kubelets do: makes every pod of a fleet ready, as often as new ones appear, until there are so many. */
export async function makePodsReady(client: KubeClient, namespace: string, count: number): Promise<void> {
  const signal = AbortSignal.timeout(300_000);
  const selection = { namespace, labelSelector: 'app.kubernetes.io/name=gatehouse-gateway' };
  await waitFor(
    async () => {
      const { items } = await client.list(PODS, { ...selection, signal });
      for (const { metadata } of items) {
        const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
        const patch = { status: { phase: 'Running', conditions } };
        await client.mergePatch(PODS, metadata, patch, { subresource: 'status', signal }).catch(() => {}); // gone by now
      }
      return items.length === count;
    },
    { what: `${count} pods` },
  );
}

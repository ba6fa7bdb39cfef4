/** Gateway pods, reduced to what acknowledgements need. */
import type { FleetPod } from '../publish/index.ts';
import { bareMetadata, type KindRef, type KubeObject, type Store } from '../runtime/index.ts';

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

interface ContainerStatus {
  readonly state?: { readonly waiting?: { readonly reason?: string | undefined } | undefined } | undefined;
}

interface ContainerPort {
  readonly name?: string | undefined;
  readonly containerPort: number;
}

export interface GatewayPod extends KubeObject {
  readonly spec?:
    | { readonly containers?: readonly { readonly ports?: readonly ContainerPort[] | undefined }[] }
    | undefined;
  readonly status?:
    | {
        readonly podIP?: string | undefined;
        readonly conditions?: readonly PodCondition[] | undefined;
        readonly containerStatuses?: readonly ContainerStatus[] | undefined;
      }
    | undefined;
}

export const PODS: KindRef<GatewayPod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** Names the fleet of a pod. */
export const FLEET_LABEL = 'gatehouse.dev/fleet';
/** Selects the pods of every fleet. */
export const POD_SELECTOR = `app.kubernetes.io/name=gatehouse-gateway,${FLEET_LABEL}`;

/** The name of the port of `/internal/*` in the pods of a fleet. */
const ADMIN_PORT_NAME = 'admin';

/** The part of a pod that is cached; the rest of the spec is large and not used. */
export function slimPod({ apiVersion, kind, metadata, spec, status }: GatewayPod): GatewayPod {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const adminPort = ports.find(({ name }) => name === ADMIN_PORT_NAME);
  const containers = adminPort === undefined ? [] : [{ ports: [adminPort] }];
  const { podIP, conditions } = status ?? {};
  const reasons = new Set((status?.containerStatuses ?? []).map(({ state }) => state?.waiting?.reason));
  const containerStatuses = [...reasons].map((reason) => ({ state: { waiting: { reason } } }));
  return {
    apiVersion,
    kind,
    metadata: bareMetadata(metadata, { labels: [FLEET_LABEL] }),
    spec: { containers },
    status: { podIP, conditions: conditions?.map(bareCondition), containerStatuses },
  };
}

const bareCondition = ({ type, status, reason }: PodCondition): PodCondition => ({ type, status, reason });

export function toFleetPod({ metadata, spec, status }: GatewayPod): FleetPod {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const adminPort = ports.find(({ name }) => name === ADMIN_PORT_NAME)?.containerPort;
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    ip: status?.podIP ?? '',
    // A terminating pod finishes requests and takes no new ones: nothing waits for it.
    ready: isReady && typeof metadata.deletionTimestamp !== 'string',
    ...(adminPort === undefined ? {} : { adminPort }),
  };
}

/** The pods of a fleet by its key. */
export const podsOf = (
  pods: Pick<Store<GatewayPod, 'fleet'>, 'indexed' | 'get'>,
  fleet: string,
): readonly GatewayPod[] => [...pods.indexed('fleet', fleet)].flatMap((key) => pods.get(key) ?? []);

/** Waiting reasons of containers that are starting normally. */
const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Why pods do not run, as scheduler and kubelets report it; each reason once, sorted. */
export function podProblems(pods: readonly GatewayPod[]): readonly string[] {
  const reasons = pods.flatMap(({ status }) => {
    const { conditions = [], containerStatuses = [] } = status ?? {};
    const unplaced = conditions.filter(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
    return [...unplaced, ...containerStatuses.map(({ state }) => state?.waiting)].map((waiting) => waiting?.reason);
  });
  const known = reasons.filter((reason) => reason !== undefined);
  return [...new Set(known).difference(STARTING)].sort();
}

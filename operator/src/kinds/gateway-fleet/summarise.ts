/** The status of a GatewayFleet: conditions from the run, counts from its Deployment and its pods. */
import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import type { StatusDraft } from '../../runtime/index.ts';
import { type RunProgress, summariseRun } from '../../status/index.ts';
import type { Deployment, FleetObject } from './kube-kinds.ts';
import { addressOf } from './listeners.ts';
import { childName, podSelector } from './names.ts';
import type { Acknowledged } from './ports.ts';

/** Conditions of a fleet after a run. */
export const summarise = (fleet: FleetObject, progress: RunProgress): StatusDraft =>
  summariseRun(fleet, progress, { success: `All steps succeeded; ${limitsHoldFor(fleet)}` });

/** How far limits hold, by the stores of the fleet. */
function limitsHoldFor({ spec }: FleetObject): string {
  const { stores, replicas, autoscaling } = isObject(spec) ? spec : {};
  if (isObject(stores) && isObject(stores['redis'])) return 'limits hold for all pods that use the Redis of the fleet';
  const isSingle = replicas === 1 && autoscaling === undefined;
  return isSingle ? 'limits hold for its pod' : 'without a Redis each pod counts limits by itself';
}

/** Bounds of the lists in the status, as in its schema. */
const MAX_LAGGING = 32;
const MAX_REJECTED = 32;

/** Live counts, which do not change conditions. What a new leader does not know yet stays as it was written before. */
export function countsOf(
  fleet: GatewayFleet,
  deployment: Deployment | undefined,
  acknowledged: Acknowledged | undefined,
  certificateAuthority?: string,
): object {
  const { replicas = 0, readyReplicas = 0 } = deployment?.status ?? {};
  const selector = Object.entries(podSelector(fleet)).map(([name, value]) => `${name}=${value}`);
  const address = addressOf(fleet, childName(fleet.metadata.name));
  const snapshot = acknowledged === undefined ? countsBefore(fleet) : countsFrom(acknowledged);
  return {
    replicas,
    readyReplicas,
    ...snapshot,
    live: `${snapshot.programmedReplicas}/${replicas}`,
    selector: selector.join(','),
    ...(address === undefined ? {} : { address }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

type SnapshotCounts = Pick<
  NonNullable<GatewayFleet['status']>,
  'snapshotEpoch' | 'snapshotVersion' | 'lagging' | 'rejected'
> & {
  readonly programmedReplicas: number;
};

function countsFrom({ epoch, version, programmed, lagging, rejected = [] }: Acknowledged): SnapshotCounts {
  const pods = lagging.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_LAGGING);
  const entries = rejected.toSorted((a, b) => (a.entry < b.entry ? -1 : 1)).slice(0, MAX_REJECTED);
  return {
    programmedReplicas: programmed,
    snapshotEpoch: epoch,
    snapshotVersion: version,
    ...(pods.length === 0 ? {} : { lagging: pods }),
    ...(entries.length === 0 ? {} : { rejected: entries }),
  };
}

function countsBefore({ status = {} }: GatewayFleet): SnapshotCounts {
  const { programmedReplicas = 0, snapshotEpoch, snapshotVersion, lagging, rejected } = status;
  return {
    programmedReplicas,
    ...(snapshotEpoch === undefined ? {} : { snapshotEpoch }),
    ...(snapshotVersion === undefined ? {} : { snapshotVersion }),
    ...(lagging === undefined ? {} : { lagging }),
    ...(rejected === undefined ? {} : { rejected }),
  };
}

/** The status of a GatewayFleet: conditions from the run, counts from its Deployment and its pods. */
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { type StatusDraft, suspendedStatus } from '../../runtime/index.ts';
import { type RunProgress, summariseRun } from '../../status/index.ts';
import type { Deployment, FleetObject } from './kube-kinds.ts';
import { withLimitsShared } from './limits-shared.ts';
import { addressOf } from './listeners.ts';
import { childName, podSelector } from './names.ts';
import type { Acknowledged } from './ports.ts';

/** Conditions of a fleet after a run. */
export const summarise = (fleet: FleetObject, progress: RunProgress, acknowledged?: Acknowledged): StatusDraft =>
  withLimitsShared(summariseRun(fleet, progress), fleet, acknowledged);

/** The conditions of the last run, and that the fleet is suspended. */
export const summariseSuspended = (fleet: FleetObject, acknowledged: Acknowledged | undefined): StatusDraft =>
  withLimitsShared(suspendedStatus(fleet, SUSPENDED), fleet, acknowledged);

const SUSPENDED = 'The fleet is suspended: nothing is written but its status';

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

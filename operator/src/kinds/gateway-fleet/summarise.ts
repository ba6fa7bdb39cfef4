import {
  type Explanation,
  POSITIVE_CONDITIONS,
  type PositiveType,
  REASONS,
  toCondition,
} from '@gatehouse/crds/conditions';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { type Halt, type StatusDraft, unmetStatus } from '../../runtime/index.ts';
import type { Deployment, FleetObject } from './kube-kinds.ts';
import { addressOf } from './listeners.ts';
import { childName, podSelector } from './names.ts';
import type { Acknowledged } from './ports.ts';

/** How far a run came. */
export interface RunProgress {
  readonly passed: ReadonlyMap<PositiveType, Explanation>;
  readonly halt?: (Halt & { readonly proves: PositiveType }) | undefined;
}

const PENDING: Explanation = { reason: 'Pending', message: 'An earlier step has not finished' };
const SUCCEEDED: Explanation = {
  reason: 'Succeeded',
  message: 'All steps succeeded; each pod counts request limits by itself',
};

/** Conditions of a fleet after a run: same world, same bytes. */
export function summarise(
  { metadata: { generation }, status }: FleetObject,
  { passed, halt }: RunProgress,
): StatusDraft {
  const unmet = halt === undefined ? 'Unknown' : unmetOf(halt);
  const conditions = POSITIVE_CONDITIONS.map((type) => {
    if (halt?.proves === type) return toCondition(type, unmet, halt);
    return toCondition(type, passed.has(type) ? 'True' : 'Unknown', passed.get(type) ?? PENDING);
  });
  conditions.push(toCondition('Ready', halt === undefined ? 'True' : unmet, halt ?? SUCCEEDED));
  if (halt?.kind === 'stall') conditions.push(toCondition('Stalled', 'True', halt));
  else if (halt !== undefined && halt.kind !== 'fault')
    conditions.push(toCondition('Reconciling', 'True', progress(halt)));
  const settled = halt === undefined || halt.kind === 'stall';
  const before = status?.['observedGeneration'];
  return {
    conditions: conditions.map((condition) => ({ ...condition, observedGeneration: generation })),
    observedGeneration: settled ? generation : typeof before === 'number' ? before : 0,
  };
}

/** A refused Snapshot is a fact, not something unknown. */
const unmetOf = (halt: Halt): 'False' | 'Unknown' => (halt.reason === 'Rejected' ? 'False' : unmetStatus(halt));

function progress({ reason, message }: Halt): Explanation {
  const on: readonly string[] = REASONS[reason].on;
  return on.includes('Reconciling') ? { reason, message } : { reason: 'Pending', message };
}

/** Pods and entries a status names; bounds of the schema. */
const MAX_LAGGING = 32;
const MAX_REJECTED = 32;

/** Live counts, which conditions do not follow. What a new leader does not know yet stays as the one before has left it. */
export function countsOf(
  fleet: GatewayFleet,
  deployment: Deployment | undefined,
  acknowledged: Acknowledged | undefined,
): object {
  const { replicas = 0, readyReplicas = 0 } = deployment?.status ?? {};
  const selector = Object.entries(podSelector(fleet)).map(([name, value]) => `${name}=${value}`);
  const address = addressOf(fleet, childName(fleet.metadata.name));
  const told = acknowledged === undefined ? toldBefore(fleet) : toldBy(acknowledged);
  return {
    replicas,
    readyReplicas,
    ...told,
    live: `${told.programmedReplicas}/${replicas}`,
    selector: selector.join(','),
    ...(address === undefined ? {} : { address }),
  };
}

type Told = Pick<NonNullable<GatewayFleet['status']>, 'snapshotEpoch' | 'snapshotVersion' | 'lagging' | 'rejected'> & {
  readonly programmedReplicas: number;
};

function toldBy({ epoch, version, programmed, lagging, rejected = [] }: Acknowledged): Told {
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

function toldBefore({ status = {} }: GatewayFleet): Told {
  const { programmedReplicas = 0, snapshotEpoch, snapshotVersion, lagging, rejected } = status;
  return {
    programmedReplicas,
    ...(snapshotEpoch === undefined ? {} : { snapshotEpoch }),
    ...(snapshotVersion === undefined ? {} : { snapshotVersion }),
    ...(lagging === undefined ? {} : { lagging }),
    ...(rejected === undefined ? {} : { rejected }),
  };
}

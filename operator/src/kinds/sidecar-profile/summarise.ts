import { isObject } from '@gatehouse/crds';
import {
  type ConditionDraft,
  type Explanation,
  POSITIVE_CONDITIONS,
  type PositiveType,
  toCondition,
} from '@gatehouse/crds/conditions';
import type { StatusOf } from '@gatehouse/crds/kinds';
import { type Halt, type StatusDraft, suspendedStatus, unmetStatus } from '../../runtime/index.ts';
import type { PodCounts } from './pod-counts.ts';
import type { SidecarProfileObject } from './ports.ts';

/** How far a run has come. */
export interface RunProgress {
  readonly passed: ReadonlyMap<PositiveType, string>;
  readonly halt?: (Halt & { readonly proves: PositiveType }) | undefined;
  readonly podCounts: PodCounts;
  /** The version the mounted copy holds, where this run has seen to it. */
  readonly version?: number | undefined;
}

const PENDING: Explanation = { reason: 'Pending', message: 'An earlier step has not finished' };
const SUCCEEDED: Explanation = { reason: 'Succeeded', message: 'All steps succeeded' };
const SUSPENDED = 'The profile is suspended: nothing is injected or published';

export type SidecarProfileStatus = StatusDraft &
  Pick<StatusOf<'SidecarProfile'>, 'injectedPods' | 'missedPods' | 'snapshotVersion'>;

/** Same world, same bytes. */
export function summarise({ metadata, status }: SidecarProfileObject, progress: RunProgress): SidecarProfileStatus {
  const { passed, halt, podCounts, version } = progress;
  const { generation = 0 } = metadata;
  const unmet = halt === undefined ? 'Unknown' : unmetStatus(halt);
  const conditions: ConditionDraft[] = POSITIVE_CONDITIONS.map((type) => {
    if (halt?.proves === type) return toCondition(type, unmet, halt);
    const message = passed.get(type);
    return message === undefined
      ? toCondition(type, 'Unknown', PENDING)
      : toCondition(type, 'True', { reason: type, message });
  });
  conditions.push(toCondition('Ready', halt === undefined ? 'True' : unmet, halt ?? SUCCEEDED));
  if (halt !== undefined) conditions.push(toCondition(halt.kind === 'stall' ? 'Stalled' : 'Reconciling', 'True', halt));
  const settled = halt === undefined || halt.kind === 'stall';
  return {
    conditions: conditions.map((condition) => ({ ...condition, observedGeneration: generation })),
    observedGeneration: settled ? generation : (numberIn(status, 'observedGeneration') ?? 0),
    ...podCounts,
    ...(version === undefined ? {} : { snapshotVersion: version }),
  };
}

/** What a run before has found out, and that the profile is suspended. */
export function summariseSuspended(profile: SidecarProfileObject, podCounts: PodCounts): SidecarProfileStatus {
  const version = numberIn(profile.status, 'snapshotVersion');
  return {
    ...suspendedStatus(profile, SUSPENDED),
    ...podCounts,
    ...(version === undefined ? {} : { snapshotVersion: version }),
  };
}

function numberIn(status: unknown, name: 'observedGeneration' | 'snapshotVersion'): number | undefined {
  const value = isObject(status) ? status[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

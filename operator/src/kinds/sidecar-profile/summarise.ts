/** The status of a SidecarProfile: conditions from the run, and the number of its pods. */
import { isObject } from '@gatehouse/crds';
import type { StatusOf } from '@gatehouse/crds/kinds';
import { type StatusDraft, suspendedStatus } from '../../runtime/index.ts';
import { type RunProgress, summariseRun } from '../../status/index.ts';
import type { PodCounts } from './pod-counts.ts';
import type { SidecarProfileObject } from './ports.ts';

export interface ProfileProgress extends RunProgress {
  readonly podCounts: PodCounts;
  /** The version that the mounted copy holds; absent when this run has not written it. */
  readonly version?: number | undefined;
}

const SUSPENDED = 'The profile is suspended: nothing is injected or published';

export type SidecarProfileStatus = StatusDraft &
  Pick<StatusOf<'SidecarProfile'>, 'injectedPods' | 'missedPods' | 'snapshotVersion'>;

/** Conditions and counts of a profile after a run. */
export function summarise(profile: SidecarProfileObject, progress: ProfileProgress): SidecarProfileStatus {
  const { podCounts, version } = progress;
  return {
    ...summariseRun(profile, progress),
    ...podCounts,
    ...(version === undefined ? {} : { snapshotVersion: version }),
  };
}

/** The conditions of the last run, and that the profile is suspended. */
export function summariseSuspended(profile: SidecarProfileObject, podCounts: PodCounts): SidecarProfileStatus {
  const version = snapshotVersionOf(profile);
  return {
    ...suspendedStatus(profile, SUSPENDED),
    ...podCounts,
    ...(version === undefined ? {} : { snapshotVersion: version }),
  };
}

function snapshotVersionOf({ status }: SidecarProfileObject): number | undefined {
  const version = isObject(status) ? status['snapshotVersion'] : undefined;
  return typeof version === 'number' ? version : undefined;
}

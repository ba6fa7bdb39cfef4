/**
 * How far a fleet has been told: the last place that was published, or announced, as far as anything there is remembers it. See
 * docs/behaviour/publishing.md. Pure.
 */
import { compareRevisions, NO_REVISION, nextRevision, type Revision } from '@gatehouse/crds/snapshot';

/**
 * What a pod reports farther ahead than this is not believed: each step costs a publish, so no true report is. Without the bound,
 * one report of a pod in a tenant's hands would use up all numbers there are.
 */
const MAX_EPOCHS_AHEAD = 1_000;
const MAX_VERSIONS_AHEAD = 1_000_000;
/** Of anything stored: a manifest counts no further. */
const MAX_EPOCH = 2 ** 40;

/** What a pod says it serves. */
export interface ReportedRevision extends Revision {
  readonly digest?: string | undefined;
}

export interface RevisionMemory {
  readonly last: Revision;
  /**
   * Takes note of places that something stored says were published; nothing comes before them any more. As long as nothing is
   * known they are believed however large they are: a fleet may have come far before this process began.
   */
  recall(places: readonly Revision[]): void;
  /** Takes note of what is published, or is about to be. */
  advance(place: Revision, digest: string): void;
  /** Whether a pod serves what is not known to have been published: it would refuse what comes next. */
  isAhead(report: ReportedRevision): boolean;
  /** The place of the next publish. */
  next(): Revision;
  /** The first place of an epoch that the pod will take. */
  nextEpoch(report: ReportedRevision): Revision;
}

export function createRevisionMemory(): RevisionMemory {
  let last = NO_REVISION;
  let digest: string | undefined;
  const isBelievable = ({ epoch }: Revision): boolean => epoch <= last.epoch + MAX_EPOCHS_AHEAD;
  return {
    get last() {
      return last;
    },
    recall: (places) => {
      const knowsNothing = compareRevisions(last, NO_REVISION) === 0;
      const believed = places.filter((place) => (knowsNothing ? place.epoch <= MAX_EPOCH : isBelievable(place)));
      const latest = [...believed].sort(compareRevisions).at(-1);
      if (latest !== undefined && compareRevisions(latest, last) > 0) [last, digest] = [latest, undefined];
    },
    advance: (place, of) => {
      [last, digest] = [place, of];
    },
    isAhead: (report) => {
      const order = compareRevisions(report, last);
      const isOther = report.digest !== undefined && digest !== undefined && report.digest !== digest;
      return isBelievable(report) && (order > 0 || (order === 0 && isOther));
    },
    next: () => nextRevision(last),
    nextEpoch: (report) => {
      const epoch = Math.max(last.epoch, report.epoch) + 1;
      // Gateways of before epochs go by the version alone.
      const isNear = report.version <= last.version + MAX_VERSIONS_AHEAD;
      return nextRevision({ epoch, version: isNear ? Math.max(last.version, report.version) : last.version });
    },
  };
}

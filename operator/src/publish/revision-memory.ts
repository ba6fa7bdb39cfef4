/**
 * The last revision that was published or announced for a fleet, as far as anything stored shows it. See
 * docs/behaviour/publishing.md.
 */
import { compareRevisions, NO_REVISION, nextRevision, type Revision } from '@gatehouse/crds/snapshot';

/**
 * Reports further ahead than this are ignored: each step costs a publish, so that no true report is that far. Without the
 * bound, one report of a tenant's pod could use up all numbers.
 */
const MAX_EPOCHS_AHEAD = 1_000;
const MAX_VERSIONS_AHEAD = 1_000_000;
/** The highest stored epoch that is accepted: the maximum of a manifest. */
const MAX_EPOCH = 2 ** 40;

/** The revision that a pod says it serves. */
export interface ReportedRevision extends Revision {
  readonly digest?: string | undefined;
}

export interface RevisionMemory {
  readonly last: Revision;
  /**
   * Adds stored revisions that were published; later ones come after them. As long as nothing is known, any size
   * is accepted: the fleet may have been published to for long before this process started.
   */
  recall(revisions: readonly Revision[]): void;
  /** Records what is published, or is about to be. */
  advance(revision: Revision, digest: string): void;
  /** Whether a pod serves a revision that is not known to have been published: it would refuse the next one. */
  isAhead(report: ReportedRevision): boolean;
  /** The revision of the next publish. */
  next(): Revision;
  /** The first revision of an epoch that the pod will take. */
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
    recall: (revisions) => {
      const knowsNothing = compareRevisions(last, NO_REVISION) === 0;
      const believed = revisions.filter((revision) =>
        knowsNothing ? revision.epoch <= MAX_EPOCH : isBelievable(revision),
      );
      const latest = [...believed].sort(compareRevisions).at(-1);
      if (latest !== undefined && compareRevisions(latest, last) > 0) [last, digest] = [latest, undefined];
    },
    advance: (revision, of) => {
      [last, digest] = [revision, of];
    },
    isAhead: (report) => {
      const order = compareRevisions(report, last);
      const isOther = report.digest !== undefined && digest !== undefined && report.digest !== digest;
      return isBelievable(report) && (order > 0 || (order === 0 && isOther));
    },
    next: () => nextRevision(last),
    nextEpoch: (report) => {
      const epoch = Math.max(last.epoch, report.epoch) + 1;
      // Gateways of releases without epochs compare the version alone.
      const isNear = report.version <= last.version + MAX_VERSIONS_AHEAD;
      return nextRevision({ epoch, version: isNear ? Math.max(last.version, report.version) : last.version });
    },
  };
}

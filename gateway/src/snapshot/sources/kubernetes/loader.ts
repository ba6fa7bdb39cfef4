/**
 * Loads the Snapshot of the newest manifest: one load at a time, repeated until complete. Revisions before the known one are
 * rejected, for whatever reason they came back: docs/behaviour/publishing.md#order.
 */
import {
  compareRevisions,
  type Manifest,
  NO_REVISION,
  type Revision,
  revisionOf,
  type Snapshot,
} from '@gatehouse/crds/snapshot';
import type { SnapshotHolder } from '../../holder.ts';
import { type Backoff, createBackoff, sleepUntilAborted } from '../backoff.ts';
import type { SourceLog } from '../source.ts';
import type { ManifestObject } from './api.ts';
import { type CandidateManifest, type ManifestRejection, readCandidate } from './candidate-manifest.ts';
import type { ShardCache } from './shard-cache.ts';

export interface LoaderOptions {
  readonly snapshots: SnapshotHolder;
  readonly shards: ShardCache;
  readonly log: SourceLog;
  readonly random: () => number;
  /** Called when a proposed manifest is served, and whenever the same one is proposed again. */
  readonly onServing: (manifest: Manifest, event: 'loaded' | 'confirmed') => void;
}

export interface Loader {
  /** Proposes the manifest of the API server. Cheap when nothing has changed. */
  propose(object: ManifestObject): void;
  /** Sets the revision that was served before this process started: earlier ones are rejected. */
  remember(revision: Revision): void;
  /** Why the last candidate is not served. */
  readonly problem: string | undefined;
  /** Whether a Snapshot of the API server is loaded or being loaded. */
  readonly hasBegun: boolean;
  /** Runs until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

const BACKOFF = { minMs: 100, maxMs: 10_000 };

export function createLoader(options: LoaderOptions): Loader {
  const { snapshots, shards, log, random, onServing } = options;
  let latest: CandidateManifest | undefined;
  let refused: ManifestObject | undefined;
  let serving: CandidateManifest | undefined;
  let problem: string | undefined;
  let [hasBegun, remembered] = [false, NO_REVISION];
  let wake = new AbortController();

  const refuse = (object: ManifestObject, { revision, message }: ManifestRejection): void => {
    if (refused?.uid === object.uid && refused.text === object.text) return;
    [refused, problem] = [object, message];
    log.error({ problem, ...revision }, 'Manifest was refused');
    if (revision !== undefined) snapshots.refuse(revision, message);
  };
  const confirm = ({ manifest }: CandidateManifest): void => {
    [problem, refused] = [undefined, undefined];
    snapshots.clearRejection();
    onServing(manifest, 'confirmed');
  };
  const propose = (object: ManifestObject): void => {
    if (latest !== undefined && latest.object.text === object.text) {
      if (latest === serving) confirm(latest);
      return;
    }
    const read = readCandidate(object, { latest, remembered });
    if (read.ok) {
      [latest, refused] = [read.value, undefined];
      wake.abort();
    } else refuse(object, read.error);
  };
  /** Returns true when the candidate is served or rejected. */
  const serve = async (target: CandidateManifest, signal: AbortSignal): Promise<boolean> => {
    const { manifest } = target;
    const whole = await shards.load(manifest, { signal });
    if (signal.aborted || latest !== target) return false;
    if (!whole.ok) {
      if (problem !== whole.error)
        log.warn({ ...revisionOf(manifest), problem: whole.error }, 'Snapshot is incomplete');
      problem = whole.error;
      return false;
    }
    hasBegun = true;
    problem = await loadInto(snapshots, target, whole.value);
    if (problem === undefined) {
      serving = target;
      shards.keepOnly(manifest);
      onServing(manifest, 'loaded');
    }
    return true;
  };
  return {
    propose,
    remember: (revision) => {
      if (compareRevisions(revision, remembered) > 0) remembered = revision;
    },
    get problem() {
      return problem;
    },
    get hasBegun() {
      return hasBegun;
    },
    run: (signal) =>
      runLoads({
        latest: () => latest,
        serve,
        untilNextCandidate: () => {
          wake = new AbortController();
          return wake.signal;
        },
        backoff: createBackoff(BACKOFF, random),
        signal,
      }),
  };
}

/** Returns the reason of a rejection; undefined when it is served. */
async function loadInto(snapshots: SnapshotHolder, { manifest, digest }: CandidateManifest, whole: Snapshot) {
  const { epoch, version } = revisionOf(manifest);
  const { rejected } = await snapshots.load(version, whole, { epoch, digest });
  return rejected?.version === version && rejected.epoch === epoch ? rejected.reason : undefined;
}

interface LoadLoop {
  readonly latest: () => CandidateManifest | undefined;
  readonly serve: (target: CandidateManifest, signal: AbortSignal) => Promise<boolean>;
  /** A signal that aborts when the next candidate arrives. */
  readonly untilNextCandidate: () => AbortSignal;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
}

async function runLoads({ latest, serve, untilNextCandidate, backoff, signal }: LoadLoop): Promise<void> {
  let done: CandidateManifest | undefined;
  while (!signal.aborted) {
    const either = AbortSignal.any([untilNextCandidate(), signal]);
    const target = latest();
    if (target === undefined || target === done) {
      await untilAborted(either);
      continue;
    }
    if (await serve(target, signal)) {
      done = target;
      backoff.reset();
    } else if (latest() === target) await sleepUntilAborted(backoff.next(), either);
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * From a manifest to a Snapshot that serves: one at a time, the newest wins, and it is tried again until it is whole. What comes
 * before what was there already is refused, whoever put it back: docs/behaviour/publishing.md.
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
  /** Called when the manifest that was offered serves, and whenever the same is offered again. */
  readonly onServing: (manifest: Manifest, event: 'loaded' | 'confirmed') => void;
}

export interface Loader {
  /** What the API server has. Cheap when nothing has changed. */
  propose(object: ManifestObject): void;
  /** What was served before this process began: nothing before it is taken. */
  remember(revision: Revision): void;
  /** What keeps the last candidate from being served. */
  readonly problem: string | undefined;
  /** Whether a Snapshot of the API server is, or is about to be, in the holder. */
  readonly hasBegun: boolean;
  /** Works until the signal ends; never rejects. */
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
  /** Whether there is nothing left to do for the candidate. */
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

/** Answers why it is refused; undefined when it serves. */
async function loadInto(snapshots: SnapshotHolder, { manifest, digest }: CandidateManifest, whole: Snapshot) {
  const { epoch, version } = revisionOf(manifest);
  const { rejected } = await snapshots.load(version, whole, { epoch, digest });
  return rejected?.version === version && rejected.epoch === epoch ? rejected.reason : undefined;
}

interface LoadLoop {
  readonly latest: () => CandidateManifest | undefined;
  readonly serve: (target: CandidateManifest, signal: AbortSignal) => Promise<boolean>;
  /** A signal that ends with the next candidate. */
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

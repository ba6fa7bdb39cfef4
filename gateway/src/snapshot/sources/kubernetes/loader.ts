/** From a manifest to a Snapshot that serves: one at a time, the newest wins, and it is tried again until it is whole. */
import { type Manifest, parseManifest } from '@gatehouse/crds/snapshot';
import type { SnapshotHolder } from '../../holder.ts';
import { type Backoff, createBackoff, pause } from '../pace.ts';
import type { SourceLog } from '../source.ts';
import type { ManifestObject } from './api.ts';
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
  offer(object: ManifestObject): void;
  /** What keeps the last offer from being served. */
  readonly problem: string | undefined;
  /** Whether a Snapshot of the API server is, or is about to be, in the holder. */
  readonly hasBegun: boolean;
  /** Works until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

const BACKOFF = { minMs: 100, maxMs: 10_000 };

interface Offer {
  readonly object: ManifestObject;
  readonly manifest: Manifest;
}

export function createLoader(options: LoaderOptions): Loader {
  const { snapshots, shards, log, random, onServing } = options;
  let latest: Offer | undefined;
  let refused: ManifestObject | undefined;
  let serving: Offer | undefined;
  let problem: string | undefined;
  let hasBegun = false;
  let wake = new AbortController();

  const refuse = (object: ManifestObject, version: number | undefined, message: string): void => {
    if (refused?.uid === object.uid && refused.text === object.text) return;
    refused = object;
    problem = message;
    if (version === undefined) log.error({ problem }, 'Manifest was unreadable');
    else snapshots.refuse(version, message);
  };
  const offer = (object: ManifestObject): void => {
    if (latest !== undefined && isSame(latest.object, object)) {
      if (latest !== serving) return;
      [problem, refused] = [undefined, undefined];
      onServing(latest.manifest, 'confirmed');
      return;
    }
    const parsed = parseManifest(object.text);
    if (!parsed.ok) {
      refuse(object, parsed.error.version, parsed.error.message);
      return;
    }
    // Another replica of the API server may be behind for a moment.
    if (latest?.object.uid === object.uid && parsed.value.version < latest.manifest.version) return;
    latest = { object, manifest: parsed.value };
    wake.abort();
  };
  /** Whether there is nothing left to do for the offer. */
  const serve = async (target: Offer, signal: AbortSignal): Promise<boolean> => {
    const { manifest } = target;
    const whole = await shards.load(manifest, { signal });
    if (signal.aborted || latest !== target) return false;
    if (!whole.ok) {
      if (problem !== whole.error)
        log.warn({ version: manifest.version, problem: whole.error }, 'Snapshot is incomplete');
      problem = whole.error;
      return false;
    }
    hasBegun = true;
    const { rejected } = await snapshots.load(manifest.version, whole.value);
    problem = rejected?.version === manifest.version ? rejected.reason : undefined;
    if (problem === undefined) {
      serving = target;
      shards.keepOnly(manifest);
      onServing(manifest, 'loaded');
    }
    return true;
  };
  return {
    offer,
    get problem() {
      return problem;
    },
    get hasBegun() {
      return hasBegun;
    },
    run: (signal) =>
      workOff({
        latest: () => latest,
        serve,
        untilNews: () => {
          wake = new AbortController();
          return wake.signal;
        },
        backoff: createBackoff(BACKOFF, random),
        signal,
      }),
  };
}

interface Work {
  readonly latest: () => Offer | undefined;
  readonly serve: (target: Offer, signal: AbortSignal) => Promise<boolean>;
  /** A signal that ends with the next offer. */
  readonly untilNews: () => AbortSignal;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
}

async function workOff({ latest, serve, untilNews, backoff, signal }: Work): Promise<void> {
  let done: Offer | undefined;
  while (!signal.aborted) {
    const either = AbortSignal.any([untilNews(), signal]);
    const target = latest();
    if (target === undefined || target === done) {
      await forEver(either);
      continue;
    }
    if (await serve(target, signal)) {
      done = target;
      backoff.reset();
    } else if (latest() === target) await pause(backoff.next(), either);
  }
}

const isSame = (a: ManifestObject, b: ManifestObject): boolean => a.uid === b.uid && a.text === b.text;

function forEver(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Follows the manifest by a watch and, in case the watch is silently dead, by polling. */
import { createBackoff, sleepUntilAborted } from '../backoff.ts';
import type { ManifestObject, SnapshotApi } from './api.ts';

export interface FollowerOptions {
  readonly api: SnapshotApi;
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** Called with every manifest that is read, also when unchanged; undefined: it does not exist. */
  readonly onManifest: (manifest: ManifestObject | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Short, because a gateway without Snapshot is not ready. */
const BACKOFF = { minMs: 200, maxMs: 5_000 };
/** Polling interval beside the watch, in ms, give or take a fifth. */
const POLL_MS = 60_000;
/** A watch that lived this long did not fail: the next one starts at once. */
const GOOD_WATCH_MS = 5_000;

/** Runs until the signal aborts; never rejects. */
export async function followManifest(options: FollowerOptions): Promise<void> {
  await Promise.all([watchOn(options), pollOn(options)]);
}

async function watchOn({ api, signal, random, onManifest, onFailure }: FollowerOptions): Promise<void> {
  const backoff = createBackoff(BACKOFF, random);
  while (!signal.aborted) {
    const startedMs = performance.now();
    try {
      for await (const manifest of api.watchManifest({ signal })) {
        backoff.reset();
        onManifest(manifest);
      }
      if (performance.now() - startedMs > GOOD_WATCH_MS) continue;
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
    }
    await sleepUntilAborted(backoff.next(), signal);
  }
}

async function pollOn({ api, signal, random, onManifest, onFailure }: FollowerOptions): Promise<void> {
  const backoff = createBackoff(BACKOFF, random);
  while (!signal.aborted) {
    let waitMs = POLL_MS * (0.8 + 0.4 * random());
    try {
      onManifest(await api.manifest({ signal }));
      backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
      waitMs = backoff.next();
    }
    await sleepUntilAborted(waitMs, signal);
  }
}

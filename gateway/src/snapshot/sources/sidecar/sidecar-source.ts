import { SCHEMA_VERSION, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { sleepUntilAborted } from '../backoff.ts';
import { createConnection } from '../connection.ts';
import type { Endpoint } from '../https.ts';
import type { SnapshotSource, SourceOptions } from '../source.ts';
import { type CopyCandidates, chooseCopy, isExpired } from './choose-copy.ts';
import { createMountReader, type MountedCopy } from './mounted-copy.ts';
import { followStream } from './stream.ts';

export interface SidecarSourceSettings {
  /** The folder of the mounted copy. */
  readonly folder: string;
  /** The operator's snapshot service; undefined: the mounted copy alone serves. */
  readonly service: Endpoint | undefined;
  /** Age since the last confirmation, by the service or a change of the mounted copy, after which a copy is not served. */
  readonly maxAgeMs: number;
}

/** Replaced versions that are remembered; the oldest are forgotten first. */
const MAX_REPLACED_VERSIONS = 256;
/** Polling interval of the mounted copy, in ms; kubelet itself takes up to two minutes. */
const POLL_MS = 2_000;
/** Served instead of a copy that is too old. */
const EMPTY_SNAPSHOT: SnapshotFrame = { kind: 'snapshot', version: 0, schemaVersion: SCHEMA_VERSION, entries: [] };
const TOO_OLD = 'what there is has not been confirmed for too long';

/** Serves the mounted copy at once and the copies of the stream; works without either of them. */
export function createSidecarSource(settings: SidecarSourceSettings, options: SourceOptions): SnapshotSource {
  const { snapshots, random } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const mounted = createMountReader(settings.folder);
  const connection = createConnection('the snapshot service', options);
  const stock = createCopySelector(settings);
  let taken: SnapshotFrame | undefined;
  let takenFrom: string | undefined;
  let mountProblem: string | undefined;
  let loadProblem: string | undefined;
  let loading: Promise<unknown> = Promise.resolve();

  const serve = (): void => {
    const chosen = stock.choose(taken);
    if (chosen === undefined || chosen.version === taken?.version) return;
    stock.onServed(chosen);
    taken = chosen;
    takenFrom = stock.originOf(chosen);
    loading = snapshots.load(chosen.version, chosen).then(({ rejected }) => {
      loadProblem = rejected?.reason;
    });
  };
  const look = async (): Promise<void> => {
    const read = await mounted.read();
    if (read?.ok === true) stock.onMounted(read.value);
    // The served copy stays, but a copy that is gone is not used again; a half-swapped one is ignored until it is complete.
    else if (read?.error.code === 'GONE') stock.onUnmounted(taken);
    if (read !== undefined) mountProblem = read.ok ? undefined : read.error.message;
    serve();
  };
  const lookOn = async (): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await sleepUntilAborted(POLL_MS, signal);
    }
  };
  const follow = (service: Endpoint): Promise<void> =>
    followStream({
      ...{ service, signal, random },
      have: () => taken?.version,
      onFrame: (frame) => {
        connection.up();
        // A ping confirms that the served copy is the newest.
        stock.onStreamed(frame ?? taken);
        serve();
      },
      onFailure: connection.down,
    });
  let running: Promise<unknown> | undefined;
  return {
    start: () => {
      const { service } = settings;
      // The mounted copy is read first, so that the stream need not send the same content.
      running = look().then(() => Promise.all([lookOn(), service === undefined ? undefined : follow(service)]));
    },
    status: () => ({
      source: 'sidecar',
      connected: connection.connected,
      servedFrom: takenFrom,
      problem: stock.problem ?? loadProblem ?? connection.problem ?? mountProblem,
    }),
    close: async () => {
      closing.abort();
      await running;
      await loading;
    },
  };
}

function noteReplaced(replacedVersions: Set<number>, old: number | undefined, next: number): void {
  if (old !== undefined) replacedVersions.add(old);
  replacedVersions.delete(next);
  for (const oldest of replacedVersions) {
    if (replacedVersions.size <= MAX_REPLACED_VERSIONS) break;
    replacedVersions.delete(oldest);
  }
}

/** Holds both copies with their times and selects the one to serve. */
interface CopySelector {
  onMounted(found: MountedCopy): void;
  /** The mounted copy is gone: the served copy counts as the streamed one. */
  onUnmounted(serving: SnapshotFrame | undefined): void;
  onStreamed(frame: SnapshotFrame | undefined): void;
  /** The copy to serve; undefined when nothing was served yet and nothing usable is there. */
  choose(serving: SnapshotFrame | undefined): SnapshotFrame | undefined;
  /** Records the copy that is served from now on. */
  onServed(frame: SnapshotFrame): void;
  originOf(frame: SnapshotFrame): string | undefined;
  /** Set when no copy is recent enough. */
  readonly problem: string | undefined;
}

function createCopySelector({ service, maxAgeMs }: SidecarSourceSettings): CopySelector {
  const never = Number.NEGATIVE_INFINITY;
  const replacedVersions = new Set<number>();
  let copies: Omit<CopyCandidates, 'nowMs'> = {
    replacedVersions,
    mounted: undefined,
    mountSeenAtMs: never,
    streamed: undefined,
    streamConfirmedAtMs: never,
  };
  let served: number | undefined;
  let writtenAtMs = never;
  let problem: string | undefined;
  /** Without a service, a copy that is still mounted counts as confirmed. */
  const isOver = (nowMs: number): boolean =>
    !(service === undefined && copies.mounted !== undefined) &&
    isExpired({ streamConfirmedAtMs: copies.streamConfirmedAtMs, writtenAtMs, nowMs, maxAgeMs });
  return {
    onMounted: ({ frame, ageMs }) => {
      const nowMs = performance.now();
      writtenAtMs = nowMs - ageMs;
      copies = { ...copies, mounted: frame, mountSeenAtMs: nowMs };
    },
    onUnmounted: (serving) => {
      copies = { ...copies, mounted: undefined, streamed: serving };
    },
    onStreamed: (frame) => {
      copies = { ...copies, streamed: frame, streamConfirmedAtMs: performance.now() };
    },
    choose: (serving) => {
      const nowMs = performance.now();
      const chosen = chooseCopy({ ...copies, nowMs });
      problem = chosen !== undefined && isOver(nowMs) ? TOO_OLD : undefined;
      if (problem === undefined) return chosen;
      return serving === undefined ? undefined : EMPTY_SNAPSHOT; // a sidecar that has never served does not become ready
    },
    onServed: (frame) => {
      if (frame === EMPTY_SNAPSHOT) return; // an expired copy was not replaced by another version
      noteReplaced(replacedVersions, served, frame.version);
      served = frame.version;
    },
    originOf: (frame) => {
      if (frame === EMPTY_SNAPSHOT) return undefined;
      return frame === copies.streamed ? 'the stream' : 'the mounted copy';
    },
    get problem() {
      return problem;
    },
  };
}

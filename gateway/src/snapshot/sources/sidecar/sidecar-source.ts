import { SCHEMA_VERSION, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { sleepUntilAborted } from '../backoff.ts';
import { createConnection } from '../connection.ts';
import type { Endpoint } from '../https.ts';
import type { SnapshotSource, SourceOptions } from '../source.ts';
import { type Copies, chooseCopy, isExpired } from './choose-copy.ts';
import { createMountReader, type MountedCopy } from './mounted-copy.ts';
import { followStream } from './stream.ts';

export interface SidecarSourceSettings {
  /** The folder of the mounted copy. */
  readonly folder: string;
  /** The operator's snapshot service; undefined: the mounted copy alone serves. */
  readonly service: Endpoint | undefined;
  /** What neither the service nor a change of the mounted copy has confirmed for so long is not served any more. */
  readonly maxAgeMs: number;
}

/** Contents that a sidecar has replaced; older ones are forgotten first. */
const MAX_REPLACED_VERSIONS = 256;
/** How often to look at the mounted copy, in ms; kubelet itself takes up to two minutes. */
const POLL_MS = 2_000;
/** In the place of what is too old. */
const EMPTY_SNAPSHOT: SnapshotFrame = { kind: 'snapshot', version: 0, schemaVersion: SCHEMA_VERSION, entries: [] };
const TOO_OLD = 'what there is has not been confirmed for too long';

/** Serves the mounted copy at once and whatever the stream brings; works with either of them away. */
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
    // What serves goes on serving, but nothing goes back to a copy that is gone; one that is half swapped stays until it is whole.
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
        // A ping says that there is nothing newer than what we have.
        stock.onStreamed(frame ?? taken);
        serve();
      },
      onFailure: connection.down,
    });
  let running: Promise<unknown> | undefined;
  return {
    start: () => {
      const { service } = settings;
      // The mounted copy is looked at first, so that the stream need not send what is there.
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

/** The copies at hand, and since when. */
interface CopySelector {
  onMounted(found: MountedCopy): void;
  /** The mounted copy is gone: what serves stands for what the stream has brought. */
  onUnmounted(serving: SnapshotFrame | undefined): void;
  onStreamed(frame: SnapshotFrame | undefined): void;
  /** What is to serve; nothing is chosen in the place of nothing. */
  choose(serving: SnapshotFrame | undefined): SnapshotFrame | undefined;
  /** Takes note of what serves from now on. */
  onServed(frame: SnapshotFrame): void;
  originOf(frame: SnapshotFrame): string | undefined;
  /** Why there is nothing to choose, as far as age is the reason. */
  readonly problem: string | undefined;
}

function createCopySelector({ service, maxAgeMs }: SidecarSourceSettings): CopySelector {
  const never = Number.NEGATIVE_INFINITY;
  const replacedVersions = new Set<number>();
  let copies: Omit<Copies, 'nowMs'> = {
    replacedVersions,
    mounted: undefined,
    mountSeenAtMs: never,
    streamed: undefined,
    streamConfirmedAtMs: never,
  };
  let served: number | undefined;
  let writtenAtMs = never;
  let problem: string | undefined;
  /** Without a service, that the copy is still mounted is all that can be known. */
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
      return serving === undefined ? undefined : EMPTY_SNAPSHOT; // a gateway that has never served does not become ready
    },
    onServed: (frame) => {
      if (frame === EMPTY_SNAPSHOT) return; // what became too old was not replaced
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

import { SCHEMA_VERSION, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { createConnection } from '../connection.ts';
import type { Endpoint } from '../https.ts';
import { pause } from '../pace.ts';
import type { SnapshotSource, SourceOptions } from '../source.ts';
import { type Copies, chooseCopy, isTooOld } from './choice.ts';
import { createMounted, type Found } from './mounted.ts';
import { followStream } from './stream.ts';

export interface SidecarSourceSettings {
  /** The folder of the mounted copy. */
  readonly folder: string;
  /** The operator's snapshot service; undefined: the mounted copy alone serves. */
  readonly service: Endpoint | undefined;
  /** What neither the service nor a change of the mounted copy has confirmed for so long is not served any more. */
  readonly maxAgeMs: number;
}

/** Contents that a sidecar knows it has left; older ones are forgotten first. */
const MAX_LEFT = 256;
/** How often to look at the mounted copy, in ms; kubelet itself takes up to two minutes. */
const LOOK_MS = 2_000;
/** In the place of what is too old. */
const NOTHING: SnapshotFrame = { kind: 'snapshot', version: 0, schemaVersion: SCHEMA_VERSION, entries: [] };
const TOO_OLD = 'what there is has not been confirmed for too long';

/** Serves the mounted copy at once and whatever the stream brings; works with either of them away. */
export function createSidecarSource(settings: SidecarSourceSettings, options: SourceOptions): SnapshotSource {
  const { snapshots, random } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const mounted = createMounted(settings.folder);
  const connection = createConnection('the snapshot service', options);
  const stock = createStock(settings);
  let taken: SnapshotFrame | undefined;
  let takenFrom: string | undefined;
  let mountProblem: string | undefined;
  let loadProblem: string | undefined;
  let loading: Promise<unknown> = Promise.resolve();

  const serve = (): void => {
    const chosen = stock.choose(taken);
    if (chosen === undefined || chosen.version === taken?.version) return;
    stock.take(chosen);
    taken = chosen;
    takenFrom = stock.originOf(chosen);
    loading = snapshots.load(chosen.version, chosen).then(({ rejected }) => {
      loadProblem = rejected?.reason;
    });
  };
  const look = async (): Promise<void> => {
    const read = await mounted.read();
    if (read?.ok === true) stock.mount(read.value);
    // What serves goes on serving, but nothing goes back to a copy that is gone; one that is half swapped stays until it is whole.
    else if (read?.error.code === 'GONE') stock.unmount(taken);
    if (read !== undefined) mountProblem = read.ok ? undefined : read.error.message;
    serve();
  };
  const lookOn = async (): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await pause(LOOK_MS, signal);
    }
  };
  const follow = (service: Endpoint): Promise<void> =>
    followStream({
      ...{ service, signal, random },
      have: () => taken?.version,
      onFrame: (frame) => {
        connection.up();
        // A ping says that there is nothing newer than what we have.
        stock.hear(frame ?? taken);
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

function leave(left: Set<number>, old: number | undefined, next: number): void {
  if (old !== undefined) left.add(old);
  left.delete(next);
  for (const oldest of left) {
    if (left.size <= MAX_LEFT) break;
    left.delete(oldest);
  }
}

/** The copies at hand, and since when. */
interface Stock {
  mount(found: Found): void;
  /** The mounted copy is gone: what serves stands for what the stream has brought. */
  unmount(serving: SnapshotFrame | undefined): void;
  hear(frame: SnapshotFrame | undefined): void;
  /** What is to serve; nothing is chosen in the place of nothing. */
  choose(serving: SnapshotFrame | undefined): SnapshotFrame | undefined;
  /** Takes note of what serves from now on. */
  take(frame: SnapshotFrame): void;
  originOf(frame: SnapshotFrame): string | undefined;
  /** Why there is nothing to choose, as far as age is the reason. */
  readonly problem: string | undefined;
}

function createStock({ service, maxAgeMs }: SidecarSourceSettings): Stock {
  const never = Number.NEGATIVE_INFINITY;
  const left = new Set<number>();
  let copies: Omit<Copies, 'nowMs'> = {
    left,
    mounted: undefined,
    mountedAtMs: never,
    streamed: undefined,
    heardAtMs: never,
  };
  let served: number | undefined;
  let writtenAtMs = never;
  let problem: string | undefined;
  /** Without a service, that the copy is still mounted is all that can be known. */
  const isOver = (nowMs: number): boolean =>
    !(service === undefined && copies.mounted !== undefined) &&
    isTooOld({ heardAtMs: copies.heardAtMs, writtenAtMs, nowMs, maxAgeMs });
  return {
    mount: ({ frame, ageMs }) => {
      const nowMs = performance.now();
      writtenAtMs = nowMs - ageMs;
      copies = { ...copies, mounted: frame, mountedAtMs: nowMs };
    },
    unmount: (serving) => {
      copies = { ...copies, mounted: undefined, streamed: serving };
    },
    hear: (frame) => {
      copies = { ...copies, streamed: frame, heardAtMs: performance.now() };
    },
    choose: (serving) => {
      const nowMs = performance.now();
      const chosen = chooseCopy({ ...copies, nowMs });
      problem = chosen !== undefined && isOver(nowMs) ? TOO_OLD : undefined;
      if (problem === undefined) return chosen;
      return serving === undefined ? undefined : NOTHING; // a gateway that has never served does not become ready
    },
    take: (frame) => {
      if (frame === NOTHING) return; // what became too old was not replaced
      leave(left, served, frame.version);
      served = frame.version;
    },
    originOf: (frame) => {
      if (frame === NOTHING) return undefined;
      return frame === copies.streamed ? 'the stream' : 'the mounted copy';
    },
    get problem() {
      return problem;
    },
  };
}

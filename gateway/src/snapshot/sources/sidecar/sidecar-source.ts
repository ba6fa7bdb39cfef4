import type { SnapshotFrame } from '@gatehouse/crds/snapshot';
import { createConnection } from '../connection.ts';
import type { Endpoint } from '../https.ts';
import { pause } from '../pace.ts';
import type { SnapshotSource, SourceOptions } from '../source.ts';
import { type Copies, chooseCopy } from './choice.ts';
import { createMounted } from './mounted.ts';
import { followStream } from './stream.ts';

export interface SidecarSourceSettings {
  /** The folder of the mounted copy. */
  readonly folder: string;
  /** The operator's snapshot service; undefined: the mounted copy alone serves. */
  readonly service: Endpoint | undefined;
}

/** Contents that a sidecar knows it has left; older ones are forgotten first. */
const MAX_LEFT = 256;
/** How often to look at the mounted copy, in ms; kubelet itself takes up to two minutes. */
const LOOK_MS = 2_000;

/** Serves the mounted copy at once and whatever the stream brings; works with either of them away. */
export function createSidecarSource(settings: SidecarSourceSettings, options: SourceOptions): SnapshotSource {
  const { snapshots, random } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const mounted = createMounted(settings.folder);
  const connection = createConnection('the snapshot service', options);
  const left = new Set<number>();
  let copies: Omit<Copies, 'nowMs'> = {
    left,
    mounted: undefined,
    mountedAtMs: Number.NEGATIVE_INFINITY,
    streamed: undefined,
    heardAtMs: Number.NEGATIVE_INFINITY,
  };
  let taken: SnapshotFrame | undefined;
  let takenFrom: string | undefined;
  let mountProblem: string | undefined;
  let loadProblem: string | undefined;
  let loading: Promise<unknown> = Promise.resolve();

  const serve = (): void => {
    const chosen = chooseCopy({ ...copies, nowMs: performance.now() });
    if (chosen === undefined || chosen.version === taken?.version) return;
    leave(left, taken?.version, chosen.version);
    taken = chosen;
    takenFrom = chosen === copies.streamed ? 'the stream' : 'the mounted copy';
    loading = snapshots.load(chosen.version, chosen).then(({ rejected }) => {
      loadProblem = rejected?.reason;
    });
  };
  const look = async (): Promise<void> => {
    const read = await mounted.read();
    if (read?.ok === true) copies = { ...copies, mounted: read.value, mountedAtMs: performance.now() };
    // What serves goes on serving, but nothing goes back to a copy that is gone; one that is half swapped stays until it is whole.
    else if (read?.error.code === 'GONE') copies = { ...copies, mounted: undefined, streamed: taken };
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
        copies = { ...copies, streamed: frame ?? taken, heardAtMs: performance.now() };
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
      problem: loadProblem ?? connection.problem ?? mountProblem,
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

import type { SnapshotFrame } from '@gatehouse/crds/snapshot';
import { createConnection } from '../connection.ts';
import type { Endpoint } from '../https.ts';
import { pause } from '../pace.ts';
import type { SnapshotSource, SourceOptions } from '../source.ts';
import { chooseCopy } from './choice.ts';
import { createMounted } from './mounted.ts';
import { followStream } from './stream.ts';

export interface SidecarSourceSettings {
  /** The folder of the mounted copy. */
  readonly folder: string;
  /** The operator's snapshot service; undefined: the mounted copy alone serves. */
  readonly service: Endpoint | undefined;
}

/** How often to look at the mounted copy, in ms; kubelet itself takes up to two minutes. */
const LOOK_MS = 2_000;

/** Serves the mounted copy at once and whatever the stream brings; works with either of them away. */
export function createSidecarSource(settings: SidecarSourceSettings, options: SourceOptions): SnapshotSource {
  const { snapshots, random } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const mounted = createMounted(settings.folder);
  const connection = createConnection('the snapshot service', options);
  let copies: { mounted: SnapshotFrame | undefined; streamed: SnapshotFrame | undefined; heardAtMs: number } = {
    mounted: undefined,
    streamed: undefined,
    heardAtMs: Number.NEGATIVE_INFINITY,
  };
  let taken: SnapshotFrame | undefined;
  let mountProblem: string | undefined;
  let loadProblem: string | undefined;
  let loading: Promise<unknown> = Promise.resolve();

  const serve = (): void => {
    const chosen = chooseCopy({ ...copies, nowMs: performance.now() });
    if (chosen === undefined || chosen.version === taken?.version) return;
    taken = chosen;
    loading = snapshots.load(chosen.version, chosen).then(({ rejected }) => {
      loadProblem = rejected?.reason;
    });
  };
  const look = async (): Promise<void> => {
    const read = await mounted.read();
    // A copy that is gone or half swapped leaves the one before in its place.
    if (read?.ok === true) copies = { ...copies, mounted: read.value };
    if (read !== undefined) mountProblem = read.ok ? undefined : read.error;
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
      servedFrom: taken === undefined ? undefined : taken === copies.streamed ? 'the stream' : 'the mounted copy',
      problem: loadProblem ?? connection.problem ?? mountProblem,
    }),
    close: async () => {
      closing.abort();
      await running;
      await loading;
    },
  };
}

/** The stream of Snapshots from the operator's snapshot service. */
import { parseFrame, SNAPSHOT_HAVE_PARAM, SNAPSHOT_STREAM_PATH, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { createBackoff, sleepUntilAborted, startIdleTimeout } from '../backoff.ts';
import { createHttpsClient, type Endpoint } from '../https.ts';
import { readLines } from '../lines.ts';

export interface StreamOptions {
  readonly service: Endpoint;
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** The version that is served already and need not be sent again. */
  readonly have: () => number | undefined;
  /** Called with every frame; undefined: a ping, which confirms the last frame. */
  readonly onFrame: (frame: SnapshotFrame | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

const BACKOFF = { minMs: 250, maxMs: 30_000 };
/** Pings come every 30 s. */
const SILENCE_MS = 75_000;
/** A workspace's Snapshot; its gzipped parts are below 1 MiB each. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** Keeps a stream open until the signal aborts; never rejects. */
export async function followStream(options: StreamOptions): Promise<void> {
  const { service, signal, random, onFailure } = options;
  const client = createHttpsClient(service);
  const backoff = createBackoff(BACKOFF, random);
  while (!signal.aborted) {
    try {
      await readStream(client, {
        ...options,
        onFrame: (frame) => {
          backoff.reset();
          options.onFrame(frame);
        },
      });
      if (signal.aborted) break;
      onFailure(new Error('the stream ended'));
    } catch (error) {
      if (signal.aborted) break;
      onFailure(error);
    }
    await sleepUntilAborted(backoff.next(), signal);
  }
  await client.close();
}

async function readStream(
  client: ReturnType<typeof createHttpsClient>,
  { signal, have, onFrame }: StreamOptions,
): Promise<void> {
  using silence = startIdleTimeout(signal, SILENCE_MS);
  const version = have();
  const query = version === undefined ? '' : `?${SNAPSHOT_HAVE_PARAM}=${version}`;
  const { status, body } = await client.get(`${SNAPSHOT_STREAM_PATH}${query}`, silence);
  if (status !== 200) {
    body.destroy();
    throw new Error(`the snapshot service answered ${status}`);
  }
  for await (const line of readLines(body, MAX_FRAME_BYTES)) {
    silence.extend();
    const frame = parseFrame(line);
    if (!frame.ok) throw new Error(`a frame is malformed: ${frame.error}`);
    onFrame(frame.value.kind === 'snapshot' ? frame.value : undefined);
  }
}

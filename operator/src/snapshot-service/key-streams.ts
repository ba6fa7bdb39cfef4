/** Streams of the keys of the installation, for the management API: all keys first, then what changes. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AnyEntry, type KeyStreamFrame, keyFrames } from '@gatehouse/crds/snapshot';
import type { Clock } from '../runtime/index.ts';

export interface KeyStreamsOptions {
  /** Sorted by id, each the same object until it changes; undefined while unknown. */
  readonly entries: () => readonly AnyEntry[] | undefined;
  readonly clock: Clock;
  /** Between pings, in ms. */
  readonly pingMs: number;
  /** How long a stream lasts, in ms: then the token of its reader is reviewed again. */
  readonly streamMs: number;
}

export interface KeyStreams extends Disposable {
  /** Sends keys until the answer is closed; false when there are none to send yet, or as many streams as there may be. */
  open(response: ServerResponse): boolean;
  /** The entries may have changed. */
  refresh(): void;
}

/** A few replicas of one Deployment, also while one of them is replaced. */
const MAX_STREAMS = 50;

export function createKeyStreams({ entries, clock, pingMs, streamMs }: KeyStreamsOptions): KeyStreams {
  const streams = new Set<KeyStream>();
  return {
    open: (response) => {
      const first = entries();
      if (first === undefined || streams.size >= MAX_STREAMS) return false;
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      const stream = openKeyStream(response, () => entries() ?? first, { clock, pingMs });
      const end = clock.schedule(streamMs, () => stream[Symbol.dispose]());
      streams.add(stream);
      response.on('close', () => {
        end[Symbol.dispose]();
        stream[Symbol.dispose]();
        streams.delete(stream);
      });
      return true;
    },
    refresh: () => {
      for (const stream of streams) stream.refresh();
    },
    [Symbol.dispose]: () => {
      for (const stream of streams) stream[Symbol.dispose]();
    },
  };
}

interface KeyStream extends Disposable {
  refresh(): void;
}

/** One frame at a time waits to be read; changes in the meantime are one change. */
function openKeyStream(
  response: ServerResponse,
  entries: () => readonly AnyEntry[],
  { clock, pingMs }: Pick<KeyStreamsOptions, 'clock' | 'pingMs'>,
): KeyStream {
  const stop = new AbortController();
  let sent: readonly AnyEntry[] | undefined;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    try {
      while (sent !== entries()) {
        const now = entries();
        for (const frame of keyFrames(sent, now)) await write(response, frame, stop.signal);
        sent = now;
      }
    } catch {
      response.destroy(); // closed by the reader, or by us
    } finally {
      isSending = false;
    }
  };
  let isSilent = false;
  let pings = clock.schedule(pingMs, function ping() {
    if (isSilent && response.writableNeedDrain) response.destroy();
    isSilent = response.writableNeedDrain;
    if (!isSending) response.write(lineOf({ kind: 'ping' }));
    pings = clock.schedule(pingMs, ping);
  });
  void send();
  return {
    refresh: () => {
      if (!isSending && !stop.signal.aborted) void send();
    },
    [Symbol.dispose]: () => {
      pings[Symbol.dispose]();
      stop.abort();
      response.end();
    },
  };
}

const lineOf = (frame: KeyStreamFrame): string => `${JSON.stringify(frame)}\n`;

/** Also gives way to other work: all keys may be many frames. */
async function write(response: ServerResponse, frame: KeyStreamFrame, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!response.write(lineOf(frame))) await once(response, 'drain', { signal });
  else if (frame.kind === 'keys' && frame.more) await new Promise((resolve) => setImmediate(resolve));
}

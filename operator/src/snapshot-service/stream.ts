/** The stream of one sidecar: at most one Snapshot, the newest, waits to be sent. */
import type { ServerResponse } from 'node:http';
import { type SnapshotFrame, toFrameText } from '@gatehouse/crds/snapshot';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '../translate/index.ts';
import type { Caller } from './claims.ts';

export interface SidecarStream {
  readonly caller: Caller;
  /** Whether it had an empty Snapshot when it opened. */
  readonly startedEmpty: boolean;
  /** Sends a Snapshot unless the sidecar has it. */
  offer(snapshot: SidecarSnapshot): void;
  /** Sends a ping, or ends the stream when the sidecar has not read since the last one. */
  ping(): void;
  end(): void;
}

export interface StreamOptions {
  /** The first Snapshot to send. */
  readonly snapshot: SidecarSnapshot;
  readonly caller: Caller;
  readonly have: number | undefined;
}

const PING = `${toFrameText({ kind: 'ping' })}\n`;

/** One text for all sidecars of a workspace. */
const texts = new WeakMap<SidecarSnapshot, Buffer>();

/** The frame of a Snapshot as bytes, with its line break. */
export function frameBytes(snapshot: SidecarSnapshot): Buffer {
  const known = texts.get(snapshot);
  if (known !== undefined) return known;
  const frame: SnapshotFrame = { kind: 'snapshot', ...snapshot };
  const bytes = Buffer.from(`${toFrameText(frame)}\n`);
  texts.set(snapshot, bytes);
  return bytes;
}

/**
 * Starts the response: with a ping if the sidecar already has the Snapshot. What cannot be sent at once is replaced by newer
 * Snapshots.
 */
export function openStream(response: ServerResponse, { caller, have, snapshot }: StreamOptions): SidecarStream {
  let version: number | undefined; // what was sent to the sidecar, or what it has reported
  let waiting: SidecarSnapshot | undefined;
  let stalled = false;
  const send = (next: SidecarSnapshot): void => {
    waiting = undefined;
    version = next.version;
    response.write(frameBytes(next));
  };
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.on('drain', () => {
    stalled = false;
    if (waiting !== undefined) send(waiting);
  });
  if (have === snapshot.version) {
    version = have;
    response.write(PING);
  } else send(snapshot);
  return {
    caller,
    startedEmpty: snapshot === EMPTY_SNAPSHOT,
    offer: (next) => {
      if (next.version === version) waiting = undefined;
      else if (response.writableNeedDrain) waiting = next;
      else send(next);
    },
    ping: () => {
      if (!response.writableNeedDrain) response.write(PING);
      else if (stalled) response.destroy();
      else stalled = true;
    },
    end: () => response.end(),
  };
}

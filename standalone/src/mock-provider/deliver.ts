import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Controls } from './controls/index.ts';
import type { Outgoing } from './outgoing.ts';

/** Writes the response, as slowly and as incompletely as the controls say. Nothing outlives the connection. */
export async function deliver(res: ServerResponse, outgoing: Outgoing, controls: Controls): Promise<void> {
  if (!(await pause(res, controls.delayMs))) return;
  res.writeHead(outgoing.status, outgoing.headers);
  res.flushHeaders(); // they come before every wait and every fault of the body
  if (!(await pause(res, controls.bodyDelayMs))) return;
  const ending = await writeBody(res, outgoing.bursts, controls);
  if (ending === 'whole') res.end();
  if (ending === 'cut') await cutConnection(res);
}

/** Whether the response can go out in one write, without waiting for anything. */
export function isPlain(outgoing: Outgoing, controls: Controls): boolean {
  return outgoing.bursts.length === 1 && TIMING_FIELDS.every((field) => controls[field] === undefined);
}

const TIMING_FIELDS = ['delayMs', 'bodyDelayMs', 'cutAfterBytes', 'stallAfterBytes', 'chunkBytes'] as const;

type Ending = 'whole' | 'cut' | 'stall' | 'left';

async function writeBody(res: ServerResponse, bursts: Outgoing['bursts'], controls: Controls): Promise<Ending> {
  const { cutAfterBytes = Number.POSITIVE_INFINITY, stallAfterBytes = Number.POSITIVE_INFINITY } = controls;
  const faultAt = Math.min(cutAfterBytes, stallAfterBytes);
  const fault = cutAfterBytes <= stallAfterBytes ? 'cut' : 'stall';
  let sentBytes = 0;
  for (const [index, burst] of bursts.entries()) {
    if (index > 0 && !(await pause(res, controls.tokenDelayMs))) return 'left';
    const bytes = Buffer.from(burst).subarray(0, faultAt - sentBytes);
    if (!(await writeSliced(res, bytes, controls.chunkBytes))) return 'left';
    sentBytes += bytes.length;
    if (sentBytes === faultAt) return fault;
  }
  return 'whole';
}

/** Resolves to false when the client has disconnected. */
async function writeSliced(res: ServerResponse, bytes: Buffer, sliceBytes = bytes.length): Promise<boolean> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    const isTaken = res.write(bytes.subarray(start, start + sliceBytes));
    if (!isTaken) await drained(res);
    if (start + sliceBytes < bytes.length) await nextTurn(); // sends each slice in a packet of its own
    if (res.destroyed) return false;
  }
  return !res.destroyed;
}

/** Ends the connection after the written bytes: the client reads these, then a premature end. */
async function cutConnection(res: ServerResponse): Promise<void> {
  await nextTurn(); // node:http hands small writes to the socket only at the end of the turn
  res.socket?.destroySoon();
}

/** Resolves to false, at once, when the client has disconnected. */
function pause(res: ServerResponse, ms = 0): Promise<boolean> {
  if (ms === 0 || res.destroyed) return Promise.resolve(!res.destroyed);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      res.off('close', finish);
      resolve(!res.destroyed);
    };
    const timer = setTimeout(finish, ms);
    res.once('close', finish);
  });
}

function drained(res: ServerResponse): Promise<void> {
  if (res.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      res.off('drain', finish);
      res.off('close', finish);
      resolve();
    };
    res.once('drain', finish);
    res.once('close', finish);
  });
}

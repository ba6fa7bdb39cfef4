/**
 * Child process: keeps so many event streams open, opens the next as soon as one ends, and measures the time to the first
 * event and the delay of every event since the upstream wrote it (upstream/sse.ts). Started by index.ts over IPC.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { requestBytes, type Target } from '../target.ts';
import { clockMs } from './clock.ts';
import { Histogram, type Summary } from './histogram.ts';
import { answerTask } from './task.ts';

export interface StreamsTask {
  readonly target: Target;
  readonly body: string;
  readonly streams: number;
  /** Time in which the streams are opened one after the other, so that they end one after the other. */
  readonly rampSeconds: number;
  readonly seconds: number;
  /** Time between two events of a stream: a delay as long as this means that an event was held back. */
  readonly intervalMs: number;
}

export interface StreamsResult {
  /** From the request to its first event, in µs. */
  readonly firstEvent: Summary;
  /** From the upstream's write to our read, in µs. */
  readonly delay: Summary;
  /** All events, those before the measurement included. */
  readonly events: number;
  /** Events that came so late that the next one was already written. */
  readonly heldBack: number;
  readonly finished: number;
  /** Streams that ended before their `[DONE]`, or were not answered with 200. */
  readonly failed: number;
  /** Most streams open at once. */
  readonly open: number;
}

const EVENT = /"content":"([\d.]+)"/g;
const DONE = 'data: [DONE]\n\n';
const END_OF_BODY = '0\r\n\r\n';

async function run(task: StreamsTask): Promise<StreamsResult> {
  const request = requestBytes(task.target, task.body);
  const firstEvent = new Histogram();
  const delay = new Histogram();
  const counts = { events: 0, heldBack: 0, finished: 0, failed: 0, open: 0 };
  const sockets = new Set<Socket>();
  let open = 0;
  let measuring = false;
  let closing = false;

  const openStream = (): void => {
    const socket = connect(task.target.port, task.target.host);
    socket.setNoDelay(true);
    sockets.add(socket);
    let text = '';
    let sentMs = 0;
    let first = true;
    let wasOk = true;
    const send = (): void => {
      open += 1;
      counts.open = Math.max(counts.open, open);
      text = '';
      first = true;
      sentMs = clockMs();
      socket.write(request);
    };
    const read = (): void => {
      const nowMs = clockMs();
      let end = 0;
      for (const match of text.matchAll(EVENT)) {
        end = match.index + match[0].length;
        if (first && measuring) firstEvent.record((nowMs - sentMs) * 1_000);
        first = false;
        counts.events += 1;
        const lateMs = nowMs - Number(match[1]);
        if (!measuring) continue;
        delay.record(lateMs * 1_000);
        if (lateMs >= task.intervalMs) counts.heldBack += 1;
      }
      if (end > 0) text = text.slice(end);
    };
    socket.once('connect', send);
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (text.startsWith('HTTP/1.1 ')) wasOk = text.startsWith('200', 9);
      read();
      if (!text.endsWith(END_OF_BODY)) return;
      open -= 1;
      if (wasOk && text.includes(DONE)) counts.finished += 1;
      else counts.failed += 1;
      send();
    });
    socket.once('error', () => undefined); // 'close' follows
    socket.once('close', () => {
      if (!closing) counts.failed += 1;
    });
  };

  for (let opened = 0; opened < task.streams; opened += 1) {
    openStream();
    await wait((task.rampSeconds * 1_000) / task.streams);
  }
  measuring = true;
  await wait(task.seconds * 1_000);
  measuring = false;
  closing = true;
  for (const socket of sockets) socket.destroy();
  return { firstEvent: firstEvent.summary(), delay: delay.summary(), ...counts };
}

answerTask(run);

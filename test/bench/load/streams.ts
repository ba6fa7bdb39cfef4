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
  /** Streams that ended before their last event, or were not answered with 200. */
  readonly failed: number;
  /** Most streams open at once. */
  readonly mostOpen: number;
}

/** Of a chat, or of a message. */
const EVENT = /"(?:content|text)":"([\d.]+)"/g;
const DONE = /data: \[DONE\]\n\n|event: message_stop\n/;
const END_OF_BODY = '0\r\n\r\n';

/** What all streams count together. */
class Tally {
  readonly firstEvent = new Histogram();
  readonly delay = new Histogram();
  readonly #intervalMs: number;
  measuring = false;
  events = 0;
  heldBack = 0;
  finished = 0;
  failed = 0;
  open = 0;
  mostOpen = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  began(): void {
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
  }

  event(lateMs: number, sinceRequestMs: number | undefined): void {
    this.events += 1;
    if (!this.measuring) return;
    this.delay.record(lateMs * 1_000);
    if (sinceRequestMs !== undefined) this.firstEvent.record(sinceRequestMs * 1_000);
    if (lateMs >= this.#intervalMs) this.heldBack += 1;
  }

  ended(isWhole: boolean): void {
    this.open -= 1;
    if (isWhole) this.finished += 1;
    else this.failed += 1;
  }
}

/** Opens one stream after the other on a connection of its own. */
function keepStreaming({ host, port }: Target, request: Buffer, tally: Tally): Socket {
  const socket = connect(port, host);
  socket.setNoDelay(true);
  let text = '';
  let sentMs = 0;
  let isFirst = true;
  let isOk = true;

  const send = (): void => {
    tally.began();
    text = '';
    isFirst = true;
    sentMs = clockMs();
    socket.write(request);
  };
  const readEvents = (): void => {
    const nowMs = clockMs();
    let end = 0;
    for (const match of text.matchAll(EVENT)) {
      tally.event(nowMs - Number(match[1]), isFirst ? nowMs - sentMs : undefined);
      isFirst = false;
      end = match.index + match[0].length;
    }
    if (end > 0) text = text.slice(end);
  };
  socket.once('connect', send);
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    if (text.startsWith('HTTP/1.1 ')) isOk = text.startsWith('200', 9);
    readEvents();
    if (!text.endsWith(END_OF_BODY)) return;
    tally.ended(isOk && DONE.test(text));
    send();
  });
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', () => tally.ended(false));
  return socket;
}

async function run({ target, body, streams, rampSeconds, seconds, intervalMs }: StreamsTask): Promise<StreamsResult> {
  const request = requestBytes(target, body);
  const tally = new Tally(intervalMs);
  const sockets: Socket[] = [];
  const startMs = clockMs();
  while (sockets.length < streams) {
    const due = Math.min(streams, ((clockMs() - startMs) / (rampSeconds * 1_000)) * streams);
    while (sockets.length < due) sockets.push(keepStreaming(target, request, tally));
    await wait(1);
  }
  tally.measuring = true;
  await wait(seconds * 1_000);
  tally.measuring = false;
  const { events, heldBack, finished, failed, mostOpen } = tally;
  for (const socket of sockets) socket.destroy();
  const summaries = { firstEvent: tally.firstEvent.summary(), delay: tally.delay.summary() };
  return { ...summaries, events, heldBack, finished, failed, mostOpen };
}

answerTask(run);

/**
 * Child process: answers every POST with a stream of chat completion chunks, one per so many ms (argument), each carrying
 * the time it was written. Plain sockets: the upstream must cost less than what is measured. Its one message is its address.
 */
import { createServer, type Socket } from 'node:net';
import { clockMs } from '../load/clock.ts';

const INTERVAL_MS = Number(process.argv[2]);
/** Events of one stream: five seconds at 20 a second. */
const EVENTS = 100;
const TICK_MS = 1;

const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n';
const LAST = 'data: [DONE]\n\n';

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

function event(isLast = false): string {
  const delta = { content: clockMs().toFixed(3) };
  const choices = [{ index: 0, delta, finish_reason: isLast ? 'stop' : null }];
  const body = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o',
    choices,
  };
  return chunk(`data: ${JSON.stringify(body)}\n\n`);
}

interface Stream {
  readonly socket: Socket;
  left: number;
}

/** Streams by the millisecond of the interval in which their next event is due: the load is spread, not in bursts. */
const slots: Set<Stream>[] = Array.from({ length: INTERVAL_MS / TICK_MS }, () => new Set());
const slotAt = (tick: number): Set<Stream> => slots[tick % slots.length] ?? new Set();
const tickNow = (): number => Math.floor(clockMs() / TICK_MS);

function begin(socket: Socket): void {
  socket.write(HEAD + event());
  const stream = { socket, left: EVENTS - 1 };
  const slot = slotAt(tickNow());
  slot.add(stream);
  socket.once('close', () => slot.delete(stream));
}

function advance(slot: Set<Stream>): void {
  for (const stream of slot) {
    stream.left -= 1;
    if (stream.left > 0) {
      stream.socket.write(event());
      continue;
    }
    slot.delete(stream);
    stream.socket.write(`${event(true)}${chunk(LAST)}0\r\n\r\n`);
  }
}

let done = tickNow();
setInterval(() => {
  for (const now = tickNow(); done < now; ) {
    done += 1;
    advance(slotAt(done));
  }
}, TICK_MS);

const server = createServer({ noDelay: true }, (socket) => {
  let head = '';
  let bodyLeft = 0;
  socket.on('error', () => undefined); // 'close' follows
  socket.on('data', (bytes) => {
    if (bodyLeft === 0) {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      bodyLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4);
      head = '';
    } else bodyLeft -= bytes.length;
    if (bodyLeft === 0) begin(socket);
  });
});

process.once('disconnect', () => process.exit(0));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});

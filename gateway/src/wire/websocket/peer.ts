/** One end of a WebSocket that is open: messages in and out, with backpressure and within bounds. */
import type { Duplex } from 'node:stream';
import { Receiver, Sender } from 'ws';
import type { ByteAccount } from '../../lib/byte-budget.ts';

/** Status codes of a close. Source: RFC 6455, section 7.4.1, and the registry of IANA. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  invalidText: 1007,
  policy: 1008,
  tooLarge: 1009,
  internal: 1011,
  tryAgain: 1013,
} as const;

/** A close frame without a status. */
const NO_STATUS = 1005;

/** How a connection ended. */
export type PeerEnd =
  /** It sent a close frame. */
  | { readonly kind: 'closed'; readonly code: number | undefined; readonly reason: Buffer }
  /** What it sent is against the protocol, too large or too much; it is told the code. */
  | { readonly kind: 'refused'; readonly code: number; readonly error: Error | undefined }
  /** The connection is gone, without a close frame. */
  | { readonly kind: 'lost' };

export interface PeerOptions {
  /** What we are on the connection: only frames of clients are masked. */
  readonly role: 'server' | 'client';
  readonly maxMessageBytes: number;
  /** Holds what has arrived of a message that is not complete. */
  readonly memory: ByteAccount;
  onMessage(data: Buffer, isBinary: boolean): void;
  /** There is room again after `send` has returned false. */
  onDrain(): void;
  /** Called once. Nothing else is called after it. */
  onEnd(end: PeerEnd): void;
}

/** Pieces of one message: fragments of a few bytes would take more memory than they have bytes. */
const MAX_FRAGMENTS = 4_096;
const MAX_CHUNKS = 32_768;
/** How long the other end may take to answer a close frame, in ms. */
const CLOSE_MS = 2_000;
/** Longest reason of a close frame, in bytes. */
const MAX_REASON_BYTES = 123;
/** Around a control frame, at most. */
const CONTROL_HEADER_BYTES = 6;

/** Errors of the codec by the close code that tells about them. */
const CODES: ReadonlyMap<string | undefined, number> = new Map([
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', CLOSE.tooLarge],
  ['WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH', CLOSE.tooLarge],
  ['WS_ERR_INVALID_UTF8', CLOSE.invalidText],
  ['WS_ERR_TOO_MANY_BUFFERED_PARTS', CLOSE.policy],
]);

export class WebSocketPeer {
  readonly #socket: Duplex;
  readonly #options: PeerOptions;
  readonly #receiver: Receiver;
  readonly #sender: Sender;
  readonly #masks: boolean;
  /** Bytes that arrived since the last whole message. */
  #inbound = 0;
  #isPaused = false;
  #hasEnded = false;
  #hasClosed = false;
  #isConcluded = false;
  #lastHeardMs = performance.now();

  constructor(socket: Duplex, options: PeerOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#masks = options.role === 'client';
    this.#receiver = new Receiver({
      isServer: options.role === 'server',
      maxPayload: options.maxMessageBytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_CHUNKS,
    });
    this.#sender = new Sender(socket);
  }

  /** Reads from now on. */
  start(): void {
    const socket = this.#socket;
    this.#receiver.on('message', (data, isBinary) => this.#take(data, isBinary));
    this.#receiver.on('ping', (data) => {
      this.#give(data.length + CONTROL_HEADER_BYTES);
      if (!this.#hasClosed && !socket.writableNeedDrain && socket.writable) this.#sender.pong(data, this.#masks);
    });
    this.#receiver.on('pong', (data) => this.#give(data.length + CONTROL_HEADER_BYTES));
    this.#receiver.on('conclude', (code, reason) => {
      this.#isConcluded = true;
      this.#end({ kind: 'closed', code: code === NO_STATUS ? undefined : code, reason });
      if (this.#hasClosed) socket.end();
    });
    this.#receiver.on('error', (error) => {
      this.#end({ kind: 'refused', code: CODES.get(error.code) ?? CLOSE.protocolError, error });
    });
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('drain', () => {
      if (!this.#hasEnded) this.#options.onDrain();
    });
    socket.on('error', () => {}); // 'close' follows
    socket.on('end', () => {
      this.#end({ kind: 'lost' });
      socket.end();
    });
    socket.on('close', () => this.#end({ kind: 'lost' }));
    if (socket.destroyed) this.#end({ kind: 'lost' });
  }

  /** `performance.now()` when anything came; undefined while nothing is read. */
  get lastHeardMs(): number | undefined {
    return this.#isPaused ? undefined : this.#lastHeardMs;
  }

  /** False: send nothing more until `onDrain`. `onSent` is called in any case. */
  send(data: Buffer, isBinary: boolean, onSent: () => void): boolean {
    if (this.#hasClosed || !this.#socket.writable) {
      onSent();
      return true;
    }
    this.#sender.send(data, { binary: isBinary, fin: true, mask: this.#masks, compress: false }, onSent);
    return !this.#socket.writableNeedDrain;
  }

  ping(): void {
    if (this.#hasClosed || !this.#socket.writable || this.#socket.writableNeedDrain) return;
    this.#sender.ping(Buffer.alloc(0), this.#masks);
  }

  pause(): void {
    if (this.#hasClosed || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#lastHeardMs = performance.now();
    this.#socket.resume();
  }

  /** Says goodbye and, once the other end has done so, too, or takes too long, ends the connection. */
  close(code?: number, reason: Buffer | string = ''): void {
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    const socket = this.#socket;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    this.#sender.close(code, code === undefined ? undefined : cut(Buffer.from(reason)), this.#masks);
    const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
    socket.on('close', () => clearTimeout(timer));
    if (this.#isConcluded) socket.end();
    this.resume(); // its close frame is behind what was not read yet
  }

  destroy(): void {
    this.#hasClosed = true;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#lastHeardMs = performance.now();
    if (this.#isConcluded || this.#receiver.errored !== null) return;
    if (!this.#options.memory.take(bytes.length)) {
      this.#end({ kind: 'refused', code: CLOSE.tryAgain, error: undefined });
      return;
    }
    this.#inbound += bytes.length;
    this.#receiver.write(bytes);
  }

  #take(data: Buffer, isBinary: boolean): void {
    this.#give(this.#inbound);
    if (!this.#hasEnded && !this.#hasClosed) this.#options.onMessage(data, isBinary);
  }

  #give(bytes: number): void {
    const given = Math.min(bytes, this.#inbound);
    this.#inbound -= given;
    this.#options.memory.give(given);
  }

  #end(end: PeerEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#give(this.#inbound);
    this.#options.onEnd(end);
  }
}

/** The reason without a character that is cut in two. */
function cut(reason: Buffer): Buffer {
  if (reason.length <= MAX_REASON_BYTES) return reason;
  let end = MAX_REASON_BYTES;
  while (end > 0 && ((reason[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return reason.subarray(0, end);
}

import type { ServerResponse } from 'node:http';
import type { BatchWrite } from './write-batch.ts';

/** What one stream writes in one turn: the next turn is for all, and a client that is behind is noticed in it. */
const MAX_TURN_BYTES = 64 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export interface StreamWriterOptions {
  /** Joins the writes of many requests in one turn of the event loop. */
  readonly batch: BatchWrite;
  /** Called when writing may go on after `write` returned false. */
  readonly onReady: () => void;
}

/** Writes a body while it arrives: what comes in one turn of the event loop is one write. */
export class StreamWriter {
  readonly #response: ServerResponse;
  readonly #options: StreamWriterOptions;
  readonly #isChunked: boolean;
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;
  /** `write` has returned false. */
  #isFull = false;

  /** The head of the response has been written, nothing of its body. */
  constructor(response: ServerResponse, options: StreamWriterOptions) {
    this.#response = response;
    this.#options = options;
    // Node writes each chunk in four pieces; here it is one, and node is told that the body needs no more framing.
    this.#isChunked = response.chunkedEncoding === true; // HTTP/2 has no such member
    if (this.#isChunked) response.chunkedEncoding = false;
    response.on('drain', this.#continue);
  }

  /** Returns false when no more may be written until `onReady`. An empty piece is nothing. */
  write(bytes: Buffer): boolean {
    if (bytes.length > 0) this.#add(bytes);
    this.#isFull = this.#waitingBytes >= MAX_TURN_BYTES || this.#response.writableNeedDrain;
    return !this.#isFull;
  }

  /** Ends the body after what has been written. */
  end(): void {
    this.#flush();
    this.#response.off('drain', this.#continue);
    this.#response.end(this.#isChunked ? LAST_CHUNK : undefined);
  }

  /** Sends what has been written, and cuts the connection. */
  cut(): void {
    this.#flush();
    this.#response.off('drain', this.#continue);
    this.#response.destroy();
  }

  #add(bytes: Buffer): void {
    this.#waitingBytes += bytes.length;
    if (this.#waiting !== undefined) {
      this.#waiting.push(bytes);
      return;
    }
    this.#waiting = [bytes];
    this.#options.batch(this.#flush);
  }

  readonly #flush = (): void => {
    const pieces = this.#waiting;
    if (pieces === undefined) return;
    const bytes = this.#waitingBytes;
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    this.#response.write(this.#isChunked ? toChunk(pieces, bytes) : joined(pieces));
    if (this.#isFull) this.#continue();
  };

  readonly #continue = (): void => {
    if (this.#response.writableNeedDrain) return;
    this.#isFull = false;
    this.#options.onReady();
  };
}

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);

/** One chunk of the chunked transfer coding (RFC 9112 section 7.1). */
function toChunk(pieces: readonly Buffer[], bytes: number): Buffer {
  const size = bytes.toString(16);
  const chunk = Buffer.allocUnsafe(size.length + bytes + 4);
  let at = writeLineEnd(chunk, chunk.write(size, 'latin1'));
  for (const piece of pieces) at += piece.copy(chunk, at);
  writeLineEnd(chunk, at);
  return chunk;
}

function writeLineEnd(buffer: Buffer, at: number): number {
  buffer[at] = CR;
  buffer[at + 1] = LF;
  return at + 2;
}

import { crc32 } from 'node:zlib';
import { isObject } from '@gatehouse/crds';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { AppError } from '../../errors/index.ts';
import { readJson } from '../../lib/json/index.ts';
import type { Frame } from '../contract.ts';
import { type FrameReader, MAX_FRAME_BYTES } from '../framing/reader.ts';

/** Total length, headers length, CRC of both: four bytes each. */
const PRELUDE_BYTES = 12;
/** A message without headers and payload: the prelude and the CRC of the message. */
const MIN_MESSAGE_BYTES = PRELUDE_BYTES + 4;

const utf8 = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : utf8.decode(bytes)),
  (text) => new TextEncoder().encode(text),
);

/**
 * Cuts an AWS event stream into frames: both checksums are verified, messages may be split or glued anywhere. The frame's
 * event is the event or exception type; a payload `{bytes}` is decoded to the text inside. Throws AppError
 * `UPSTREAM_STREAM_BROKEN` for bytes that cannot be framed.
 */
export function createEventStreamReader(): FrameReader {
  return new EventStreamReader();
}

class EventStreamReader implements FrameReader {
  /** The beginning of a message that is not complete; a copy, so that no network read is kept alive. */
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  /** Bytes needed for the next step: a prelude, or the whole message once its length is known. */
  #wantedBytes = PRELUDE_BYTES;
  #broken: AppError | undefined;

  get broken(): AppError | undefined {
    return this.#broken;
  }

  push(bytes: Uint8Array): readonly Frame[] {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#heldBytes === 0) return this.#cut(piece);
    this.#hold(piece);
    if (this.#heldBytes < this.#wantedBytes) return [];
    const held = this.#held.subarray(0, this.#heldBytes);
    this.#heldBytes = 0;
    return this.#cut(held);
  }

  /** The rest is not a complete message; decoders detect a cut stream by missing events. */
  end(): readonly Frame[] {
    return [];
  }

  #cut(bytes: Buffer): readonly Frame[] {
    const frames: Frame[] = [];
    try {
      this.#cutInto(frames, bytes);
    } catch (error) {
      if (frames.length === 0 || !(error instanceof AppError)) throw error;
      this.#broken = error;
    }
    return frames;
  }

  #cutInto(frames: Frame[], bytes: Buffer): void {
    let at = 0;
    this.#wantedBytes = PRELUDE_BYTES;
    while (bytes.length - at >= PRELUDE_BYTES) {
      const length = messageLength(bytes.subarray(at, at + PRELUDE_BYTES));
      if (bytes.length - at < length) {
        this.#wantedBytes = length;
        break;
      }
      frames.push(toFrame(bytes.subarray(at, at + length)));
      at += length;
    }
    this.#hold(bytes.subarray(at));
  }

  #hold(piece: Buffer): void {
    const needed = this.#heldBytes + piece.length;
    if (needed > this.#held.length) {
      const grown = Buffer.alloc(Math.max(needed, this.#held.length * 2));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    piece.copy(this.#held, this.#heldBytes);
    this.#heldBytes = needed;
  }
}

/** The length is used only after its checksum was verified, so that garbage fails at once instead of stalling. */
function messageLength(prelude: Buffer): number {
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw broken('The checksum of a message is wrong');
  const length = prelude.readUInt32BE(0);
  if (length > MAX_FRAME_BYTES) throw broken(`A message of the stream is larger than ${MAX_FRAME_BYTES} bytes`);
  if (length < MIN_MESSAGE_BYTES + prelude.readUInt32BE(4)) throw broken('A message is shorter than its parts');
  return length;
}

function toFrame(bytes: Buffer): Frame {
  const { headers, body } = decode(bytes);
  const header = (name: string): string | undefined => {
    const value = headers[name]?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const payload = utf8.decode(body);
  switch (header(':message-type')) {
    case 'exception':
      return { event: header(':exception-type') ?? 'exception', data: payload };
    case 'error': {
      const error = { __type: header(':error-code'), message: header(':error-message') };
      return { event: 'error', data: JSON.stringify(error) };
    }
    default:
      return { event: header(':event-type'), data: innerText(payload) };
  }
}

function decode(bytes: Buffer): ReturnType<EventStreamCodec['decode']> {
  try {
    return codec.decode(bytes);
  } catch (cause) {
    throw broken('A message of the stream cannot be decoded', cause);
  }
}

/** `{bytes: BASE64}` wraps the model's own JSON; anything else is the JSON itself. */
function innerText(payload: string): string {
  if (!payload.includes('"bytes"')) return payload;
  try {
    const value: unknown = readJson(payload);
    if (!isObject(value) || typeof value['bytes'] !== 'string') return payload;
    return Buffer.from(value['bytes'], 'base64').toString('utf8');
  } catch {
    return payload;
  }
}

function broken(detail: string, cause?: unknown): AppError {
  return new AppError('UPSTREAM_STREAM_BROKEN', { detail, cause });
}

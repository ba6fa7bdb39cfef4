import { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../contract.ts';
import { MAX_FRAME_BYTES } from '../framing/reader.ts';
import { appendMember, type Member } from './splice.ts';
import { createUsageFilter, type UsageFilter } from './usage-filter.ts';

/** Relays the bytes of an event stream; one per stream. */
export interface SseRelay {
  /** Returns the bytes that can be sent now. Throws AppError `UPSTREAM_STREAM_BROKEN` when one line is larger than the limit. */
  push(bytes: Buffer): Buffer;
  /** The upstream ended properly: returns held bytes, and the terminator if it was missing. */
  end(): Buffer;
  /** The usage that was taken out of the stream, once it is over. */
  usage?(): JsonObject | undefined;
}

export interface SseRelayOptions {
  /** Appended to every JSON object on a single data line. */
  readonly member?: Member;
  /** Whether the stream must end with `[DONE]`: chat and completions do, responses and messages do not. */
  readonly terminated: boolean;
  /** The usage was asked for by the gateway: it is taken out and kept. */
  readonly hidesUsage?: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES: Buffer = Buffer.alloc(0);
const DATA = Buffer.from('data:');
// JSON escapes line ends, so this text at the start of a line is the terminator, never content.
const DONE = /(?:^|[\r\n])data: ?\[DONE\]/;
const BLANK_LINE_END = /(?:[^\r]\n|\r\n)\r?\n$|\r\r$/;
/** Enough to see `data: [DONE]` and the line ends around it. */
const TAIL_BYTES = 64;

/** Relays server-sent events byte for byte, apart from the changes in the options. */
export function createSseRelay(options: SseRelayOptions): SseRelay {
  return new ByteRelay(options);
}

class ByteRelay implements SseRelay {
  readonly #tagger: LineTagger | undefined;
  readonly #filter: UsageFilter | undefined;
  readonly #isTerminated: boolean;
  /** Of what was sent; it has the last TAIL_BYTES. */
  #tail: Buffer = NO_BYTES;

  constructor({ member, terminated, hidesUsage }: SseRelayOptions) {
    this.#tagger = member === undefined ? undefined : createLineTagger(member);
    this.#filter = hidesUsage === true ? createUsageFilter() : undefined;
    this.#isTerminated = terminated;
  }

  push(bytes: Buffer): Buffer {
    return this.#pass(this.#filter === undefined ? bytes : this.#filter.push(bytes));
  }

  end(): Buffer {
    const last = this.#filter === undefined ? NO_BYTES : this.#pass(this.#filter.end());
    const rest = joined(last, this.#watched(this.#tagger === undefined ? NO_BYTES : this.#tagger.end()));
    return this.#isTerminated ? joined(rest, terminatorFor(this.#tail.subarray(-TAIL_BYTES))) : rest;
  }

  usage(): JsonObject | undefined {
    return this.#filter?.usage();
  }

  #pass(bytes: Buffer): Buffer {
    return this.#watched(this.#tagger === undefined ? bytes : this.#tagger.push(bytes));
  }

  #watched(bytes: Buffer): Buffer {
    const isEnough = bytes.length >= TAIL_BYTES;
    if (this.#isTerminated) this.#tail = isEnough ? bytes : joined(this.#tail.subarray(-TAIL_BYTES), bytes);
    return bytes;
  }
}

function terminatorFor(tail: Buffer): Buffer {
  const text = tail.toString('latin1');
  const blankLine = text === '' || BLANK_LINE_END.test(text) ? '' : '\n\n';
  return Buffer.from(DONE.test(text) ? blankLine : `${blankLine}data: [DONE]\n\n`);
}

/** Holds a line back until it is whole. */
interface LineTagger {
  push(bytes: Buffer): Buffer;
  end(): Buffer;
}

function createLineTagger(member: Member): LineTagger {
  let held: Buffer = NO_BYTES;
  const take = (bytes: Buffer, last: number): Buffer => {
    const pieces: Buffer[] = [];
    let at = 0;
    while (at < last) {
      const end = lineEnd(bytes, at, last);
      pieces.push(tagLine(bytes.subarray(at, end), member));
      at = end;
    }
    return pieces.length === 1 ? (pieces[0] ?? NO_BYTES) : Buffer.concat(pieces);
  };
  return {
    push(bytes) {
      const all = joined(held, bytes);
      const last = Math.max(all.lastIndexOf(LF), all.lastIndexOf(CR)) + 1;
      held = all.subarray(last);
      if (held.length > MAX_FRAME_BYTES) {
        throw new AppError('UPSTREAM_STREAM_BROKEN', {
          detail: `An event of the stream is larger than ${MAX_FRAME_BYTES} bytes`,
        });
      }
      return take(all, last);
    },
    end() {
      const rest = held;
      held = NO_BYTES;
      return take(rest, rest.length);
    },
  };
}

/** The index after the first line end at or after `from`; runs of line ends stay together. */
function lineEnd(bytes: Buffer, from: number, last: number): number {
  let at = from;
  while (at < last && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  while (at < last && (bytes[at] === LF || bytes[at] === CR)) at += 1;
  return at;
}

function tagLine(line: Buffer, member: Member): Buffer {
  if (line.compare(DATA, 0, DATA.length, 0, Math.min(DATA.length, line.length)) !== 0) return line;
  let end = line.length;
  while (end > 0 && (line[end - 1] === LF || line[end - 1] === CR)) end -= 1;
  const data = line.subarray(DATA.length, end);
  const tagged = appendMember(data, member);
  return tagged === data ? line : Buffer.concat([DATA, tagged, line.subarray(end)]);
}

const joined = (a: Buffer, b: Buffer): Buffer => (a.length === 0 ? b : b.length === 0 ? a : Buffer.concat([a, b]));

import { memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { readLong } from './long.ts';
import { AvroProblem } from './problem.ts';
import type { Quota } from './quota.ts';

/** Longest number of the format, in bytes. */
const MAX_LONG_BYTES = 10;
const MORE = 0x80;
/** What a buffer for several pieces starts with, in bytes. */
const FIRST_CAPACITY = 1_024;
const NOTHING = Buffer.alloc(0);

/**
 * Takes counts of bytes from pieces of any size. What is held, and counted in `memory`, is what has arrived of what is asked for (twice
 * that at most, while a buffer grows) and one piece.
 */
export class ByteSource {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #memory: ByteAccount;
  readonly #quota: Quota;
  /** What is left of the last piece. */
  #rest: Buffer = NOTHING;
  #counted = 0;

  constructor(
    content: AsyncIterable<Buffer>,
    { memory, quota }: { readonly memory: ByteAccount; readonly quota: Quota },
  ) {
    this.#pieces = content[Symbol.asyncIterator]();
    this.#memory = memory;
    this.#quota = quota;
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#next(0));
  }

  /** The bytes are counted until the next call, or `release`. Rejects with AvroProblem where there are not so many, or MEMORY_EXHAUSTED. */
  async take(count: number): Promise<Buffer> {
    this.release();
    if (this.#rest.length >= count) {
      const taken = this.#rest.subarray(0, count);
      this.#rest = this.#rest.subarray(count);
      return taken;
    }
    return this.#collect(count);
  }

  /** The bytes that were taken last are no longer used. */
  release(): void {
    this.#count(this.#rest.length);
  }

  /** A number that is a count or a size. */
  async takeLong(): Promise<number> {
    const bytes: number[] = [];
    for (;;) {
      const [byte = 0] = await this.take(1);
      bytes.push(byte);
      if (byte < MORE) return readLong({ bytes: Buffer.from(bytes), at: 0 });
      if (bytes.length === MAX_LONG_BYTES) throw new AvroProblem('a number is too long');
    }
  }

  /** Ends the source, whatever is left of it. */
  async close(): Promise<void> {
    this.#rest = NOTHING;
    this.release();
    await this.#pieces.return?.();
  }

  /** Copies pieces into one buffer, which grows with what arrives: a count is a promise, and pieces may be of one byte. */
  async #collect(count: number): Promise<Buffer> {
    let buffer: Buffer = NOTHING;
    for (let length = 0; ; ) {
      const used = Math.min(this.#rest.length, count - length);
      if (length + used > buffer.length) buffer = this.#grown(buffer, length, { least: length + used, most: count });
      this.#rest.copy(buffer, length, 0, used);
      this.#rest = this.#rest.subarray(used);
      length += used;
      if (length === count) return buffer;
      this.#count(buffer.length);
      if (!(await this.#next(buffer.length))) throw new AvroProblem('it ends too early');
    }
  }

  #grown(buffer: Buffer, length: number, { least, most }: { readonly least: number; readonly most: number }): Buffer {
    const capacity = Math.min(most, Math.max(least, buffer.length * 2, FIRST_CAPACITY));
    this.#count(this.#rest.length + buffer.length + capacity);
    const larger = Buffer.allocUnsafeSlow(capacity);
    buffer.copy(larger, 0, 0, length);
    this.#count(this.#rest.length + capacity);
    return larger;
  }

  /** Waits for a piece with bytes, beside `others` bytes that are held; false: there is none. */
  async #next(others: number): Promise<boolean> {
    for (;;) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      if (next.value.length === 0) continue;
      this.#rest = next.value;
      this.#quota.arrived(next.value.length);
      this.#count(others + next.value.length);
      return true;
    }
  }

  /** Throws MEMORY_EXHAUSTED. */
  #count(bytes: number): void {
    const more = bytes - this.#counted;
    if (more > 0 && !this.#memory.take(more)) throw memoryExhausted();
    if (more < 0) this.#memory.give(-more);
    this.#counted = bytes;
  }
}

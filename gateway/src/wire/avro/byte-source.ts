import { readLong } from './long.ts';
import { AvroProblem } from './problem.ts';

/** Longest number of the format, in bytes. */
const MAX_LONG_BYTES = 10;
const MORE = 0x80;

/** Takes counts of bytes from pieces of any size. What is held is no more than what is asked for and one piece. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #bytes = 0;

  constructor(content: AsyncIterable<Buffer>) {
    this.#pieces = content[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill(1));
  }

  /** Rejects with AvroProblem where there are not so many. */
  async take(count: number): Promise<Buffer> {
    if (!(await this.#fill(count))) throw new AvroProblem('it ends too early');
    const [only] = this.#held;
    const whole = this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held, this.#bytes);
    this.#bytes -= count;
    this.#held = this.#bytes === 0 ? [] : [whole.subarray(count)];
    return whole.subarray(0, count);
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
    this.#held = [];
    await this.#pieces.return?.();
  }

  async #fill(count: number): Promise<boolean> {
    while (this.#bytes < count) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      if (next.value.length === 0) continue;
      this.#held.push(next.value);
      this.#bytes += next.value.length;
    }
    return true;
  }
}

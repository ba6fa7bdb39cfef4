/**
 * Texts that wait, as UTF-8 outside of the heap of JavaScript: strings there are copied, and then searched, by each collection of garbage
 * while their batch waits. Pages are their own, so that nothing else keeps one in memory.
 */
const PAGE_BYTES = 64 * 1024;
/** Longer texts have memory of their own, in bytes. */
const MAX_SHARED = 16 * 1024;

export class TextPages {
  #page: Buffer = Buffer.alloc(0);
  #used = 0;

  put(text: string): Buffer {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_SHARED) {
      const own = Buffer.allocUnsafeSlow(bytes); // others may lie in a pool of Node's
      own.write(text);
      return own;
    }
    if (bytes > this.#page.length - this.#used) {
      this.#page = Buffer.allocUnsafeSlow(PAGE_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#page.write(text, start);
    return this.#page.subarray(start, this.#used);
  }
}

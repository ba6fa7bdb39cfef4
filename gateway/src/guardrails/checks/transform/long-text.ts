/** Pieces that are joined at a time: one join of a million pieces would take too long. */
const PIECES = 1_024;

/** A text that is made of many pieces. */
export class LongText {
  #length = 0;
  readonly #joined: string[] = [];
  #pieces: string[] = [];

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  append(piece: string): void {
    this.#length += piece.length;
    if (this.#pieces.push(piece) < PIECES) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  toString(): string {
    return this.#joined.join('') + this.#pieces.join('');
  }
}

/** Reads a list as a stream: items are passed on one by one, so that a page of large objects is never held whole. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];

export class ListReader {
  readonly #onItem: (text: string) => void;
  readonly #rest: Buffer[] = [];
  #item: Buffer[] = [];
  #name: Buffer[] = [];
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isInName = false;
  #isInItems = false;
  /** How much of the current chunk has been processed. */
  #taken = 0;

  /** `onItem` gets the text of each element of the member `items` of the document. */
  constructor(onItem: (text: string) => void) {
    this.#onItem = onItem;
  }

  push(piece: Uint8Array): void {
    this.#taken = 0;
    let at = 0;
    while (at < piece.length) at = this.#isInText ? this.#readText(piece, at) : this.#readByte(piece, at);
    this.#take(piece, piece.length);
  }

  /** The document with an empty list of items, as text. */
  rest(): string {
    return Buffer.concat(this.#rest).toString('utf8');
  }

  #take(piece: Uint8Array, end: number): void {
    if (end <= this.#taken) return;
    const bytes = Buffer.from(piece.subarray(this.#taken, end));
    (this.#isInItems ? this.#item : this.#rest).push(bytes);
    if (this.#isInName) this.#name.push(bytes);
    this.#taken = end;
  }

  /** Returns the position after the string, or the end of the chunk. */
  #readText(piece: Uint8Array, from: number): number {
    let at = from;
    for (; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) break;
    }
    if (at === piece.length) return at;
    this.#isInText = false;
    if (this.#isInName) this.#take(piece, at);
    this.#isInName = false;
    return at + 1;
  }

  #readByte(piece: Uint8Array, at: number): number {
    const byte = piece[at];
    if (byte === QUOTE) this.#beginText(piece, at + 1);
    else if (byte === OPEN || byte === OPEN_LIST) this.#goDown(piece, at + 1, byte === OPEN_LIST);
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#goUp(piece, at);
    else if (byte === COMMA && this.#isInItems && this.#depth === 2) {
      this.#release(piece, at);
      this.#taken = at + 1;
    }
    return at + 1;
  }

  /** On the first level the last string before a value is the name of its member. */
  #beginText(piece: Uint8Array, from: number): void {
    this.#isInText = true;
    if (this.#depth !== 1) return;
    this.#take(piece, from);
    this.#name = [];
    this.#isInName = true;
  }

  #goDown(piece: Uint8Array, from: number, isList: boolean): void {
    this.#depth += 1;
    if (this.#depth !== 2 || !isList || Buffer.concat(this.#name).toString('utf8') !== 'items') return;
    this.#take(piece, from);
    this.#isInItems = true;
  }

  #goUp(piece: Uint8Array, end: number): void {
    this.#depth -= 1;
    if (!this.#isInItems || this.#depth !== 1) return;
    this.#release(piece, end);
    this.#isInItems = false;
  }

  #release(piece: Uint8Array, end: number): void {
    this.#take(piece, end);
    const text = Buffer.concat(this.#item).toString('utf8').trim();
    this.#item = [];
    if (text !== '') this.#onItem(text);
  }
}

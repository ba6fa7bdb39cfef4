/** The beginnings of texts that are looked for, as states of an automaton. */

export const CODES = 256;
/** Of edges: no byte leads on. */
export const NONE = -1;
/** Of edges: the first row, of the empty state; further ones are below it. */
export const FIRST_ROW = -2;

/** State 0 is empty. Most states have one successor: those with more have a row. */
export class Trie {
  /** Per state the byte that leads to the state behind it, or the row that has the next state for each byte. */
  readonly edges: Int32Array;
  readonly #rows: Int32Array[] = [];
  #size = 1;

  /** `maxSize`: states that are made at most. */
  constructor(maxSize: number) {
    this.edges = new Int32Array(maxSize).fill(NONE);
    this.#openRow(0);
  }

  /** In states. */
  get size(): number {
    return this.#size;
  }

  /** The state that the byte leads to; 0: there is none. */
  next(state: number, code: number): number {
    const edge = this.edges[state] ?? NONE;
    if (edge === code) return state + 1;
    return edge <= FIRST_ROW ? (this.#rows[FIRST_ROW - edge]?.[code] ?? 0) : 0;
  }

  /** Returns the state of the whole of it. */
  add(bytes: Uint8Array): number {
    let state = 0;
    for (const code of bytes) {
      let next = this.next(state, code);
      if (next === 0) {
        next = this.#size;
        this.#size += 1;
        this.#connect(state, code, next);
      }
      state = next;
    }
    return state;
  }

  forEachNext(state: number, visit: (code: number, next: number) => void): void {
    const edge = this.edges[state] ?? NONE;
    if (edge >= 0) visit(edge, state + 1);
    this.#rows[FIRST_ROW - edge]?.forEach((next, code) => {
      if (next !== 0) visit(code, next);
    });
  }

  /** One behind the other. */
  allRows(): Int32Array {
    const all = new Int32Array(CODES * this.#rows.length);
    for (const [at, row] of this.#rows.entries()) all.set(row, at * CODES);
    return all;
  }

  #connect(state: number, code: number, next: number): void {
    const edge = this.edges[state] ?? NONE;
    if (edge === NONE && next === state + 1) this.edges[state] = code;
    else (this.#rows[FIRST_ROW - edge] ?? this.#openRow(state))[code] = next;
  }

  /** With the edge that the state has. */
  #openRow(state: number): Int32Array {
    const row = new Int32Array(CODES);
    const edge = this.edges[state] ?? NONE;
    if (edge >= 0) row[edge] = state + 1;
    this.edges[state] = FIRST_ROW - this.#rows.length;
    this.#rows.push(row);
    return row;
  }
}

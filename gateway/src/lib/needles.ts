/** Finds many texts within another one, in one pass over it whatever they are: the automaton of Aho and Corasick. */

import { CODES, FIRST_ROW, NONE, Trie } from './needle-trie.ts';

/** Shorter ones are not looked for. */
export const MIN_NEEDLE = 2;
/** Of a needle the automaton has so many bytes; those behind them are compared where they stand. */
export const MAX_HEAD = 64;
/** Bytes that are compared so at most, per byte of the text. */
export const MAX_COMPARED = 8;
/** Bytes that are compared at once. */
const BLOCK = 64;
/** In bytes, of what holds a tail. */
const TAIL_SIZE = 128;
/** Of ends: needles begin there that are longer than the automaton. */
const IS_HEAD = 1 << 16;
/** Two bytes in a row, some of which share a place. */
const PAIRS = 4096;
const pairOf = (first: number, second: number): number => ((first << 4) ^ second) & (PAIRS - 1);

/** The state that the byte leads to; 0: there is none. */
function nextOf(state: number, code: number, edges: Int32Array, rows: Int32Array): number {
  const edge = edges[state] ?? NONE;
  if (edge === code) return state + 1;
  return edge <= FIRST_ROW ? (rows[(FIRST_ROW - edge) * CODES + code] ?? 0) : 0;
}

/** Where needles stand, in order; what overlaps or touches is one place. */
export interface Places {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Places of needles before they were made one; `max`: what is missing may be anywhere. */
  readonly found: number;
  /** Steps of the automaton and bytes that were compared. */
  readonly work: number;
}

type OnEnd = (state: number, at: number) => boolean;

/** Some texts in Latin-1: one character per byte. */
export class Needles {
  /** As those of a trie. */
  readonly #edges: Int32Array;
  readonly #rows: Int32Array;
  readonly #pairs = new Uint8Array(PAIRS);
  /** Per state the one for its longest ending that is a state, too. */
  readonly #fallbacks: Int32Array;
  /** Per state the length of the longest needle that ends in it, and whether it is a head. */
  readonly #ends: Int32Array;
  /** Per head what may follow it. */
  readonly #tails = new Map<number, Buffer[]>();
  #tailBytes = 0;

  constructor(needles: Iterable<string>) {
    const all = [...new Set(needles)]
      .filter(({ length }) => length >= MIN_NEEDLE)
      .map((each) => Buffer.from(each, 'latin1'));
    const trie = new Trie(all.reduce((sum, { length }) => sum + Math.min(length, MAX_HEAD), 1));
    const last = all.map((needle) => trie.add(needle.subarray(0, MAX_HEAD)));
    this.#ends = new Int32Array(trie.size);
    for (const [at, needle] of all.entries()) this.#addEnd(last[at] ?? 0, needle);
    this.#fallbacks = this.#fallBack(trie);
    this.#edges = trie.edges;
    this.#rows = trie.allRows();
  }

  /** In bytes. */
  get size(): number {
    return 4 * (this.#edges.length + 2 * this.#ends.length + this.#rows.length) + PAIRS + this.#tailBytes;
  }

  /** At least the first `MAX_HEAD` bytes of one are in the text. */
  areIn(text: Uint8Array): boolean {
    return !this.#run(text, () => false).isWhole;
  }

  /** Stops after `max` of them, or where comparing them takes too long. */
  find(text: Buffer, max: number): Places {
    const merged = new Merged();
    let found = 0;
    let mayCompare = MAX_COMPARED * text.length;
    const onEnd: OnEnd = (state, at) => {
      const end = this.#ends[state] ?? 0;
      const length = end % IS_HEAD;
      found += 1;
      if (length > 0) merged.add(at - length, at);
      if (end < IS_HEAD) return found < max;
      for (const tail of this.#tails.get(state) ?? []) {
        const compared = commonBlocks(tail, text, at);
        mayCompare -= Math.min(compared + BLOCK, tail.length);
        if (compared >= tail.length) merged.add(at - MAX_HEAD, at + tail.length);
      }
      if (mayCompare < 0) found = max;
      return found < max;
    };
    const { steps } = this.#run(text, onEnd);
    return { starts: merged.starts, ends: merged.ends, found, work: steps + MAX_COMPARED * text.length - mayCompare };
  }

  /** Calls `onEnd` with each state in which needles end, and the place behind it, until that is false. */
  #run(text: Uint8Array, onEnd: OnEnd): { readonly steps: number; readonly isWhole: boolean } {
    const edges = this.#edges;
    const rows = this.#rows;
    const fallbacks = this.#fallbacks;
    const ends = this.#ends;
    const { length } = text;
    let steps = length;
    let state = 0;
    for (let at = this.#startFrom(text, 0); at < length; at = state === 0 ? this.#startFrom(text, at + 1) : at + 1) {
      const code = text[at] ?? 0;
      let next = nextOf(state, code, edges, rows);
      while (next === 0 && state !== 0) {
        state = fallbacks[state] ?? 0;
        next = nextOf(state, code, edges, rows);
        steps += 1;
      }
      state = next;
      if (ends[state] !== 0 && !onEnd(state, at + 1)) return { steps, isWhole: false };
    }
    return { steps, isWhole: true };
  }

  /** Where a needle may begin: nowhere in most of a text. */
  #startFrom(text: Uint8Array, from: number): number {
    const pairs = this.#pairs;
    const { length } = text;
    let at = from;
    while (at < length && pairs[pairOf(text[at] ?? 0, text[at + 1] ?? 0)] === 0) at += 1;
    return at;
  }

  #addEnd(state: number, needle: Buffer): void {
    this.#pairs[pairOf(needle[0] ?? 0, needle[1] ?? 0)] = 1;
    const end = this.#ends[state] ?? 0;
    if (needle.length <= MAX_HEAD) {
      this.#ends[state] = end | needle.length;
      return;
    }
    this.#ends[state] = end | IS_HEAD;
    const tail = Buffer.allocUnsafeSlow(needle.length - MAX_HEAD); // no part of a larger buffer that it would keep
    needle.copy(tail, 0, MAX_HEAD);
    this.#tailBytes += tail.length + TAIL_SIZE;
    const tails = this.#tails.get(state);
    if (tails === undefined) this.#tails.set(state, [tail]);
    else tails.push(tail);
  }

  /** From the shortest states to the longest. */
  #fallBack(trie: Trie): Int32Array {
    const fallbacks = new Int32Array(trie.size);
    const order = new Int32Array(trie.size);
    let count = 1;
    for (let at = 0; at < count; at += 1) {
      const state = order[at] ?? 0;
      trie.forEachNext(state, (code, next) => {
        order[count] = next;
        count += 1;
        let from = state;
        let shorter = 0;
        while (from !== 0 && shorter === 0) {
          from = fallbacks[from] ?? 0;
          shorter = trie.next(from, code);
        }
        fallbacks[next] = shorter;
        const end = this.#ends[next] ?? 0;
        if (end % IS_HEAD === 0) this.#ends[next] = end | ((this.#ends[shorter] ?? 0) % IS_HEAD);
      });
    }
    return fallbacks;
  }
}

/** How many bytes of the tail, in whole blocks, stand in the text from there on. */
function commonBlocks(tail: Buffer, text: Buffer, at: number): number {
  if (at + tail.length > text.length) return 0;
  let from = 0;
  while (from < tail.length) {
    const to = Math.min(from + BLOCK, tail.length);
    if (text.compare(tail, from, to, at + from, at + to) !== 0) break;
    from = to;
  }
  return from;
}

/** What overlaps or touches is one; they come in the order of their ends, but for longer ones that end later. */
class Merged {
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  add(from: number, to: number): void {
    const { starts, ends } = this;
    let last = ends.length - 1;
    if (last >= 0 && (ends[last] ?? 0) >= from && (starts[last] ?? 0) <= from) {
      if ((ends[last] ?? 0) < to) ends[last] = to;
      return;
    }
    let start = from;
    let end = to;
    for (; last >= 0 && (ends[last] ?? 0) >= start; last -= 1) {
      start = Math.min(start, starts.pop() ?? 0);
      end = Math.max(end, ends.pop() ?? 0);
    }
    starts.push(start);
    ends.push(end);
  }
}

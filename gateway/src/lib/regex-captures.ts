/**
 * Finds where a match and its groups are, with the program of re2js: all ways to match go through the text together (Pike's
 * algorithm), the one that a backtracking search would try first wins. Linear in text times program, counted in units, and
 * interruptible, which re2js's own is not.
 */
import type { RE2JS } from 're2js';
import { BEGIN_TEXT, contextAt, runeAt, widthOf } from './regex-text.ts';
import type { RegexWork } from './regex-work.ts';

type Program = ReturnType<RE2JS['re2']>['prog'];
type Dfa = ReturnType<RE2JS['re2']>['dfa'];

/** Operations of programs of re2js, which it does not export. */
const FAIL = 0; // the first step of every program
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const RUNE_ANY = 10;
const ALL_FLAGS = 255;
/** The condition of a program that cannot match. */
const NEVER = -1;

interface Step {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** Steps of the program that wait for a character, in the order of preference, each with the positions of its groups. */
interface Threads {
  size: number;
  readonly steps: Int32Array;
  /** Where a step is in `steps`. */
  readonly places: Int32Array;
  readonly positions: Int32Array;
}

/** What starting a search costs, in units. */
const START_UNITS = 4;
/** Steps of the program, and positions that are copied, that cost one unit. */
const STEPS_PER_UNIT = 3;
const COPIES_PER_UNIT = 16;

/** Positions of the match and its groups in pairs, -1 for groups that take no part; or that there is none. */
export type Found = Int32Array | 'none' | 'exhausted';

export class Captures {
  readonly #steps: readonly Step[];
  readonly #start: number;
  readonly #dfa: Dfa;
  readonly #text: string;
  /** Positions that are kept: two for the match and two per group that is asked for. */
  readonly #kept: number;
  /** For each class of characters, whether a match may begin with it: 0 as long as that is unknown. */
  readonly #begins: Int8Array;
  readonly #first: readonly number[];
  readonly #anchored: boolean;
  readonly #never: boolean;
  readonly #stack: Int32Array;
  #height = 0;
  #now: Threads;
  #next: Threads;
  #at = 0;
  #matched = false;
  readonly #found: Int32Array;

  constructor(re2: ReturnType<RE2JS['re2']>, text: string, groups: number) {
    const program: Program = re2.prog;
    this.#steps = program.inst;
    this.#start = program.start;
    this.#dfa = re2.dfa;
    this.#text = text;
    this.#kept = 2 * (Math.min(groups, re2.numSubexp) + 1);
    this.#begins = new Int8Array(this.#dfa.numClasses);
    this.#first = this.#dfa.closure([program.start], ALL_FLAGS).pcs;
    this.#never = re2.cond === NEVER;
    this.#anchored = (re2.cond & BEGIN_TEXT) !== 0;
    const size = this.#steps.length;
    this.#stack = new Int32Array(2 * (size + 1));
    this.#now = this.#threads(size);
    this.#next = this.#threads(size);
    this.#found = new Int32Array(this.#kept).fill(-1);
  }

  /** Begins to look for the first match at or after `from`. */
  restart(from: number, work: RegexWork): void {
    this.#at = from;
    this.#matched = false;
    this.#now.size = 0;
    this.#found.fill(-1);
    work.left -= START_UNITS;
  }

  /** Works until no more than `until` units are left; undefined: there is more to do. The positions are valid until then. */
  advance(work: RegexWork, until: number): Found | undefined {
    if (this.#never) return 'none';
    while (work.left > until) {
      const found = this.#move(work, until);
      if (found !== undefined) return found;
    }
    return work.left > 0 ? undefined : 'exhausted';
  }

  /** To the next character. */
  #move(work: RegexWork, until: number): Found | undefined {
    if (this.#now.size === 0) {
      if (this.#matched || (this.#anchored && this.#at > 0)) return this.#result();
      this.#skip(work, until);
      if (work.left <= until) return undefined;
    }
    if (!this.#matched) this.#begin();
    const rune = runeAt(this.#text, this.#at);
    this.#step(rune, work);
    if (rune < 0) return this.#result();
    this.#at += widthOf(rune);
    return undefined;
  }

  #result(): Found {
    return this.#matched ? this.#found : 'none';
  }

  /** Goes to the next character with which a match may begin. */
  #skip(work: RegexWork, until: number): void {
    const text = this.#text;
    while (!this.#anchored && this.#at < text.length && work.left > until) {
      const rune = runeAt(text, this.#at);
      if (this.#mayBegin(rune)) return;
      this.#at += widthOf(rune);
      work.left -= 1;
    }
  }

  #mayBegin(rune: number): boolean {
    const classOfRune = this.#dfa.runeClass(rune);
    const known = this.#begins[classOfRune] ?? 0;
    if (known !== 0) return known > 0;
    const may = this.#first.some((at) => {
      const step = this.#steps[at];
      return step !== undefined && (step.op === MATCH || (step.op >= RUNE && matches(step, rune)));
    });
    this.#begins[classOfRune] = may ? 1 : -1;
    return may;
  }

  #begin(): void {
    this.#found[0] = this.#at;
    this.#add(this.#now, this.#start, { positions: this.#found, offset: 0 }, this.#at);
  }

  /** All threads take the character; -1 at the end of the text. */
  #step(rune: number, work: RegexWork): void {
    const now = this.#now;
    const next = this.#next;
    const at = this.#at + (rune < 0 ? 0 : widthOf(rune));
    for (let i = 0; i < now.size; i += 1) {
      const step = this.#steps[now.steps[i] ?? 0];
      if (step === undefined || (step.op !== MATCH && step.op < RUNE)) continue;
      const offset = i * this.#kept;
      if (step.op === MATCH) {
        this.#found.set(now.positions.subarray(offset, offset + this.#kept));
        this.#found[1] = this.#at;
        this.#matched = true;
        break; // what comes after it is preferred less
      }
      if (rune >= 0 && matches(step, rune)) this.#add(next, step.out, { positions: now.positions, offset }, at);
    }
    work.left -=
      1 + Math.ceil((now.size + next.size) / STEPS_PER_UNIT) + Math.ceil((next.size * this.#kept) / COPIES_PER_UNIT);
    now.size = 0;
    this.#now = next;
    this.#next = now;
  }

  /** Follows the program from a step to all that wait for a character; `seed` is as before afterwards. */
  #add(threads: Threads, first: number, seed: Seed, at: number): void {
    let place = first;
    for (;;) {
      if (place !== FAIL && !has(threads, place)) place = this.#follow(threads, place, seed, at);
      else if (this.#height > 0) place = this.#pop(seed);
      else return;
    }
  }

  /** The step that comes next; others that come later are put on the stack. */
  #follow(threads: Threads, place: number, { positions, offset }: Seed, at: number): number {
    const step = this.#steps[place];
    const index = push(threads, place);
    switch (step?.op) {
      case ALT:
      case ALT_MATCH:
        this.#push(step.arg, 0);
        return step.out;
      case EMPTY_WIDTH:
        return (step.arg & ~contextAt(this.#text, at)) === 0 ? step.out : FAIL;
      case NOP:
        return step.out;
      case CAPTURE:
        if (step.arg < this.#kept) {
          this.#push(-step.arg - 1, positions[offset + step.arg] ?? -1);
          positions[offset + step.arg] = at;
        }
        return step.out;
      default: // it waits for a character, or ends a match
        threads.positions.set(positions.subarray(offset, offset + this.#kept), index * this.#kept);
        return FAIL;
    }
  }

  #push(entry: number, position: number): void {
    this.#stack[this.#height] = entry;
    this.#stack[this.#height + 1] = position;
    this.#height += 2;
  }

  /** Another step, or a position that gets its value back. */
  #pop({ positions, offset }: Seed): number {
    this.#height -= 2;
    const entry = this.#stack[this.#height] ?? FAIL;
    if (entry < 0) positions[offset - entry - 1] = this.#stack[this.#height + 1] ?? -1;
    return Math.max(FAIL, entry);
  }

  #threads(size: number): Threads {
    return {
      size: 0,
      steps: new Int32Array(size),
      places: new Int32Array(size),
      positions: new Int32Array(size * this.#kept),
    };
  }
}

interface Seed {
  readonly positions: Int32Array;
  readonly offset: number;
}

const matches = (step: Step, rune: number): boolean => step.op === RUNE_ANY || step.matchRune(rune);

function has({ places, steps, size }: Threads, step: number): boolean {
  const place = places[step] ?? 0;
  return place < size && steps[place] === step;
}

function push(threads: Threads, step: number): number {
  const place = threads.size;
  threads.places[step] = place;
  threads.steps[place] = step;
  threads.size += 1;
  return place;
}

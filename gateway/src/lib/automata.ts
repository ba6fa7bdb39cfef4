/** Automata of texts that are looked for, made when they are needed first: for most texts they never are. */
import { LRUCache } from 'lru-cache';
import { Needles } from './needles.ts';

export interface Automaton {
  /** False: `get` makes it. */
  isMade(this: void): boolean;
  get(this: void): Needles;
}

/** Keeps those that were needed last. */
export class Automata {
  readonly #kept: LRUCache<object, Needles>;
  /** Of which one is larger than all that are kept: they live as long as what needs them. */
  readonly #large = new WeakMap<object, Needles>();
  readonly #maxBytes: number;
  #made = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ size }) => size });
  }

  of(needles: readonly string[]): Automaton {
    const key = {}; // not the texts: they would live as long as the automaton
    return {
      isMade: () => this.#kept.has(key) || this.#large.has(key),
      get: () => this.#kept.get(key) ?? this.#large.get(key) ?? this.#make(key, needles),
    };
  }

  /** How many were made so far. */
  get made(): number {
    return this.#made;
  }

  /** How many are kept. */
  get count(): number {
    return this.#kept.size;
  }

  /** Of those that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  #make(key: object, needles: readonly string[]): Needles {
    const made = new Needles(needles);
    this.#made += 1;
    if (made.size > this.#maxBytes) this.#large.set(key, made);
    else this.#kept.set(key, made);
    return made;
  }
}

const MIB = 1024 * 1024;

/** Of values that stay, such as those of accounts, and of those that come with calls: these do not displace the former. */
export const AUTOMATA = { lasting: new Automata(8 * MIB), passing: new Automata(4 * MIB) } as const;

export type Kept = keyof typeof AUTOMATA;

import { randomBytes } from 'node:crypto';

const QUOTE = 0x22;
const FIRST_CAPACITY = 256;
/** Longest search for a free place. A half-full table needs a few steps; names crafted to collide need more. */
const MAX_PROBES = 256;
/** Random per process, so that colliding names cannot be computed in advance. */
const SEED = randomBytes(4).readInt32LE();

// Shared by small texts: cleared for each text and used without an await.
const sharedHashes = new Int32Array(FIRST_CAPACITY);
const sharedStarts = new Int32Array(FIRST_CAPACITY);

/**
 * The member names of all objects of one JSON text. Each object has a number; two names are the same when their bytes and
 * the numbers of their objects are. A name with escapes is given as the bytes they stand for.
 */
export class MemberNames {
  readonly #text: Buffer;
  readonly #unescaped: Buffer[] = [];
  #hashes: Int32Array;
  /** Where a name begins in the text; below zero: its place among the unescaped ones, from -1 down; 0: free. */
  #starts: Int32Array;
  #count = 0;

  /** `paused`: other texts may be read between two calls. */
  constructor(text: Buffer, { paused }: { readonly paused: boolean }) {
    this.#text = text;
    this.#hashes = paused ? new Int32Array(FIRST_CAPACITY) : sharedHashes;
    this.#starts = paused ? new Int32Array(FIRST_CAPACITY) : sharedStarts;
    if (!paused) this.#starts.fill(0);
  }

  /** Adds the name in `[start, end)` of the text, which has no escapes; `hash` is that of its bytes. */
  add(object: number, hash: number, start: number, end: number): 'new' | 'twice' | 'crowded' {
    return this.#add(mixed(object, hash), start, end, undefined);
  }

  addUnescaped(object: number, name: Buffer): 'new' | 'twice' | 'crowded' {
    const place = -1 - this.#unescaped.length;
    this.#unescaped.push(name);
    let hash = NAME_HASH_START;
    for (const byte of name) hash = hashByte(hash, byte);
    return this.#add(mixed(object, hash), place, name.length, name);
  }

  #add(hash: number, place: number, end: number, unescaped: Buffer | undefined): 'new' | 'twice' | 'crowded' {
    if (this.#count * 2 >= this.#starts.length) this.#grow();
    const mask = this.#starts.length - 1;
    let slot = hash & mask;
    for (let probes = 0; probes < MAX_PROBES; probes += 1) {
      const known = this.#starts[slot] ?? 0;
      if (known === 0) {
        this.#hashes[slot] = hash;
        this.#starts[slot] = place;
        this.#count += 1;
        return 'new';
      }
      if (
        this.#hashes[slot] === hash &&
        this.#isSame(known, unescaped ?? this.#text, unescaped === undefined ? place : 0, end)
      )
        return 'twice';
      slot = (slot + 1) & mask;
    }
    return 'crowded';
  }

  #isSame(known: number, source: Buffer, start: number, end: number): boolean {
    const unescaped = known < 0 ? this.#unescaped[-1 - known] : undefined;
    if (unescaped !== undefined) return unescaped.equals(source.subarray(start, end));
    const length = end - start;
    return this.#text[known + length] === QUOTE && source.compare(this.#text, known, known + length, start, end) === 0;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const starts = this.#starts;
    const capacity = starts.length * 2;
    this.#hashes = new Int32Array(capacity);
    this.#starts = new Int32Array(capacity);
    for (let at = 0; at < starts.length; at += 1) {
      const start = starts[at] ?? 0;
      if (start !== 0) this.#move(hashes[at] ?? 0, start);
    }
  }

  #move(hash: number, start: number): void {
    const mask = this.#starts.length - 1;
    let slot = hash & mask;
    while (this.#starts[slot] !== 0) slot = (slot + 1) & mask;
    this.#hashes[slot] = hash;
    this.#starts[slot] = start;
  }
}

export const NAME_HASH_START = SEED;

/** One step of a name's hash. */
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

/** Every step can be undone: equal names of different objects never get the same hash. */
function mixed(object: number, nameHash: number): number {
  let hash = (nameHash + Math.imul(object, 0x9e3779b1)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

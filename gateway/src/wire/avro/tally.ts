import { setImmediate as turn } from 'node:timers/promises';
import { AvroProblem } from './problem.ts';

/** Values of a record: the vectors of all types of a row have some thousand each. */
const MAX_RECORD_VALUES = 20_000;
/** Values of a record that take no bytes: a schema has some fields of them at most. */
const MAX_RECORD_EMPTY = 100;
/** Values of a block for each of its bytes: beside values of one byte there is room for the records and unions they are in. */
const VALUES_PER_BYTE = 2;
/** Bytes of a block for each of its values that takes none. */
const BYTES_PER_EMPTY = 16;
/** Values of a block beyond that. */
const SPARE = 1_000;

const tooMany = (what: string): AvroProblem =>
  new AvroProblem(`a ${what} has more values than its bytes may stand for`);

/** Counts the values of a block, and of each of its records. */
export class Tally {
  #blockValues: number;
  #blockEmpty: number;
  #recordValues = 0;
  #recordEmpty = 0;

  /** `bytes`: how many the block has, unpacked. */
  constructor(bytes: number) {
    this.#blockValues = SPARE + bytes * VALUES_PER_BYTE;
    this.#blockEmpty = SPARE + Math.floor(bytes / BYTES_PER_EMPTY);
  }

  /** Of the record that is read. */
  get values(): number {
    return this.#recordValues;
  }

  startRecord(): void {
    this.#recordValues = 0;
    this.#recordEmpty = 0;
  }

  /** Throws AvroProblem. */
  value(): void {
    this.#recordValues += 1;
    this.#blockValues -= 1;
    if (this.#recordValues > MAX_RECORD_VALUES) throw new AvroProblem('a record is too large');
    if (this.#blockValues < 0) throw tooMany('block');
  }

  /** A value that has been counted took no bytes. Throws AvroProblem. */
  empty(): void {
    this.#recordEmpty += 1;
    this.#blockEmpty -= 1;
    if (this.#recordEmpty > MAX_RECORD_EMPTY) throw tooMany('record');
    if (this.#blockEmpty < 0) throw tooMany('block');
  }
}

/** Work between two turns of the event loop: some milliseconds. */
const VALUES_PER_TURN = 10_000;
const BYTES_PER_TURN = 1024 * 1024;
/** What a block costs beside its records, and a record beside its values. */
export const BLOCK_VALUES = 100;
export const RECORD_VALUES = 10;

/** Returns to the event loop now and then, across records and blocks: what is in memory needs no wait by itself. */
export class Pace {
  #share = 0;

  async after(values: number, bytes: number): Promise<void> {
    this.#share += values / VALUES_PER_TURN + bytes / BYTES_PER_TURN;
    if (this.#share < 1) return;
    this.#share = 0;
    await turn();
  }
}

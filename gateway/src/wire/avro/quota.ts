import { AvroProblem } from './problem.ts';

/** Work that files may make beyond what their bytes stand for: one block as large as blocks may be, and some hundred rows. */
const SPARE_BYTES = 16 * 1024 * 1024;
const SPARE_VALUES = 2_000_000;
/** Of all blocks together, for each byte that has arrived. Equal vectors in a row are packed to a fortieth, and rows have ten values a byte then. */
const BYTES_PER_BYTE = 64;
const VALUES_PER_BYTE = 16;

/** The work that whole files may make, one or several that are read as one: it grows with the bytes that have arrived. */
export class Quota {
  #bytes = SPARE_BYTES;
  #values = SPARE_VALUES;

  arrived(bytes: number): void {
    this.#bytes += bytes * BYTES_PER_BYTE;
    this.#values += bytes * VALUES_PER_BYTE;
  }

  /** Throws AvroProblem. */
  unpacked(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw beyond(`are unpacked to more than ${SPARE_BYTES} bytes`, BYTES_PER_BYTE);
  }

  /** Throws AvroProblem. */
  read(values: number): void {
    this.#values -= values;
    if (this.#values < 0) throw beyond(`have more than ${SPARE_VALUES} values`, VALUES_PER_BYTE);
  }
}

const beyond = (what: string, ratio: number): AvroProblem =>
  new AvroProblem(`its files ${what} and ${ratio} for each byte that has arrived`);

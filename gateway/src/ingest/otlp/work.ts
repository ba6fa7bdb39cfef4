/** How much of a body is read. */
import { AppError } from '../../errors/index.ts';

/** Of one span, and of one resource, with all that is nested in them: a few ms. */
export const MAX_PART_WORK = 10_000;

/** Fields of protobuf, or values of JSON, that may still be read: a small body may have millions. */
export class Work {
  #left: number;
  readonly #whole: Work | undefined;

  /** `whole`: what this is a part of. */
  constructor(fields: number, whole?: Work) {
    this.#left = fields;
    this.#whole = whole;
  }

  /** Of one field. Throws BODY_TOO_COMPLEX. */
  take(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new AppError('BODY_TOO_COMPLEX');
    this.#whole?.take();
  }
}

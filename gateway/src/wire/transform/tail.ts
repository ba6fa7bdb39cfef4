import {
  type AnswerReport,
  findEnd,
  findModel,
  findRecording,
  findUsage,
  MODEL_SEARCH_CHARS,
} from '../../usage/index.ts';

/** A stream keeps its last four pieces at least, and so many bytes of smaller ones. */
const MIN_BYTES = 4 * 1024;
const MAX_BYTES = 16 * 1024;
const PIECES = 4;

/** The end of a stream: room for its usage. Copied, because keeping many small pieces costs more than their bytes. */
export class Tail {
  #ring: Buffer = Buffer.alloc(0);
  #end = 0;
  #isWrapped = false;

  push(piece: Buffer): void {
    const wanted = PIECES * piece.length;
    if (wanted > this.#ring.length && this.#ring.length < MAX_BYTES) this.#grow(wanted);
    const last = piece.length > MAX_BYTES ? piece.subarray(-MAX_BYTES) : piece;
    const fitting = last.copy(this.#ring, this.#end);
    this.#end += fitting;
    if (fitting === last.length) return;
    this.#isWrapped = true;
    this.#end = last.copy(this.#ring, 0, fitting);
  }

  text(): string {
    return (
      (this.#isWrapped ? this.#ring.toString('latin1', this.#end) : '') + this.#ring.toString('latin1', 0, this.#end)
    );
  }

  #grow(bytes: number): void {
    const next = Buffer.allocUnsafeSlow(bytes > MIN_BYTES ? MAX_BYTES : MIN_BYTES); // the pool would be kept with its slice
    const older = this.#isWrapped ? this.#ring.copy(next, 0, this.#end) : 0;
    this.#end = older + this.#ring.copy(next, older, 0, this.#end);
    this.#ring = next;
    this.#isWrapped = false;
  }
}

/** What an answer that passes unchanged is: transcripts are paid by the second of what was recorded. */
export interface ObservedAnswer {
  readonly isJson: boolean;
  readonly isTranscript: boolean;
}

/** Looks at an answer that passes unchanged, for its usage and its model. */
export class AnswerObserver {
  readonly #tail = new Tail();
  readonly #answer: ObservedAnswer;
  #head: string | undefined;

  constructor(answer: ObservedAnswer) {
    this.#answer = answer;
  }

  push(bytes: Buffer): void {
    this.#head ??= bytes.toString('latin1', 0, MODEL_SEARCH_CHARS);
    this.#tail.push(bytes);
  }

  report(): AnswerReport {
    const { isJson, isTranscript } = this.#answer;
    const head = this.#head ?? '';
    const tail = this.#tail.text();
    const usage = isJson ? findUsage(tail) : undefined; // plain text may look like anything
    const model = isJson ? findModel(head) : undefined;
    const recording = usage === undefined && isTranscript ? findRecording({ head, tail }) : undefined;
    if (recording !== undefined) return { ...recording, model };
    return isJson ? { usage, model, end: () => findEnd({ head, tail }) } : { usage, model };
  }
}

/**
 * Room that limits and budgets give to the responses of a session: for the next one before it begins, and for each that runs beside
 * others. Each response settles what was taken for it.
 */
import type { ResponseHold } from '../pipeline/index.ts';

export interface ResponseHoldsOptions {
  /** For the first response; undefined: nothing limits the session. */
  readonly first: ResponseHold | undefined;
  /** Throws, or rejects with, the AppError of the limit that has no room. */
  take(): ResponseHold | undefined | Promise<ResponseHold | undefined>;
  /** There is no room for a response. */
  onDenied(error: unknown): void;
}

type Settle = (hold: ResponseHold | undefined) => void;

/** Responses of one session at the same time that room is taken for. */
const MAX_HOLDS = 64;

export class ResponseHolds {
  readonly #options: ResponseHoldsOptions;
  readonly #isLimited: boolean;
  readonly #free: ResponseHold[];
  /** Finished responses whose room is being taken, in order. */
  readonly #unsettled: Settle[] = [];
  #taking = 0;
  #open = 0;
  #hasAnswered = false;
  #isOver = false;

  constructor(options: ResponseHoldsOptions) {
    this.#options = options;
    this.#isLimited = options.first !== undefined;
    this.#free = options.first === undefined ? [] : [options.first];
  }

  /** The provider has begun a response. */
  begin(): void {
    this.#open += 1;
    this.#ensure();
  }

  /** The provider has finished a response: `settle` gets what was taken for it, now or when that is there. */
  done(settle: Settle): void {
    this.#open = Math.max(0, this.#open - 1);
    this.#hasAnswered = true;
    const hold = this.#free.shift();
    if (hold === undefined && this.#taking > this.#unsettled.length) this.#unsettled.push(settle);
    else settle(hold);
    this.#ensure();
  }

  /** Nothing more happens: responses that were not awaited are kept, since their provider may bill them. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#open === 0 && !this.#hasAnswered) {
      this.#free.shift()?.settle({ status: 200, usage: undefined, cost: undefined }); // the session is one request
    }
    for (const hold of this.#free.splice(0)) this.#giveUp(hold);
  }

  #giveUp(hold: ResponseHold): void {
    if (this.#open === 0) {
      hold.release();
      return;
    }
    this.#open -= 1;
    hold.keep();
  }

  #ensure(): void {
    const wanted = Math.min(Math.max(1, this.#open), MAX_HOLDS);
    while (this.#isLimited && !this.#isOver && this.#free.length + this.#taking - this.#unsettled.length < wanted) {
      if (!this.#take()) return;
    }
  }

  /** False: it is not to be tried again. */
  #take(): boolean {
    try {
      const taken = this.#options.take();
      if (taken === undefined) return false;
      if (!(taken instanceof Promise)) {
        this.#free.push(taken);
        return true;
      }
      this.#taking += 1;
      void taken.then(
        (hold) => this.#taken(hold),
        (error: unknown) => this.#denied(error),
      );
      return true;
    } catch (error) {
      this.#options.onDenied(error);
      return false;
    }
  }

  #taken(hold: ResponseHold | undefined): void {
    this.#taking -= 1;
    const settle = this.#unsettled.shift();
    if (settle !== undefined) settle(hold);
    else if (hold !== undefined && this.#isOver) this.#giveUp(hold);
    else if (hold !== undefined) this.#free.push(hold);
  }

  #denied(error: unknown): void {
    this.#taking -= 1;
    this.#unsettled.shift()?.(undefined);
    if (!this.#isOver) this.#options.onDenied(error);
  }
}

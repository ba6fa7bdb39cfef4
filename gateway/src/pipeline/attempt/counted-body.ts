import { type AppError, toAppError } from '../../errors/index.ts';
import { BodyRelay, type BodySink, type UpstreamBody } from '../../upstream/index.ts';

/** What looks at the bytes of a body before they pass. A promise: they wait for it. */
export interface PieceCounter {
  take(piece: Buffer): Promise<void> | undefined;
  /** The body has come to its end. */
  finish(): Promise<void> | undefined;
  /** Nothing more comes, whether or not it was the end. */
  close(): void;
}

/** The same bytes, counted while they pass; the body is stopped where the counter fails. */
export const countedBody = (body: UpstreamBody, counter: PieceCounter): UpstreamBody =>
  new Counting(body, counter).relay;

class Counting implements BodySink {
  readonly relay: BodyRelay;
  readonly #body: UpstreamBody;
  readonly #counter: PieceCounter;
  /** What has arrived while the counter waits; undefined: it does not. */
  #waiting: Buffer[] | undefined;
  #hasEnded = false;
  #isPaused = false;
  #hasFailed = false;

  constructor(body: UpstreamBody, counter: PieceCounter) {
    this.#body = body;
    this.#counter = counter;
    this.relay = new BodyRelay({
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => {
        this.#isPaused = false;
        if (this.#waiting === undefined) body.resume();
      },
      abort: (reason) => body.cancel(toAppError(reason)),
    });
    body.pipe(this);
  }

  write(bytes: Buffer): boolean {
    if (this.#waiting !== undefined) {
      this.#waiting.push(bytes); // the rest of a packet
      return false;
    }
    const counted = this.#counter.take(bytes);
    if (counted === undefined) {
      this.relay.push(bytes);
      return !this.#isPaused;
    }
    this.#waiting = [];
    counted.then(() => this.#goOn(bytes)).catch(this.#fail);
    return false;
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#waiting === undefined) this.#finish();
  }

  fail(error: AppError): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#counter.close();
    this.relay.break(error);
  }

  /** The counter has taken those bytes. */
  #goOn(bytes: Buffer): void {
    if (this.#hasFailed) return;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.relay.push(bytes);
    for (const piece of waiting) this.write(piece);
    if (this.#waiting !== undefined) return;
    if (this.#hasEnded) this.#finish();
    else if (!this.#isPaused) this.#body.resume();
  }

  #finish(): void {
    const done = (): void => {
      this.#counter.close();
      this.relay.finish();
    };
    const counted = this.#counter.finish();
    if (counted === undefined) done();
    else counted.then(done).catch(this.#fail);
  }

  readonly #fail = (error: unknown): void => {
    this.fail(toAppError(error));
    this.#body.discard();
  };
}

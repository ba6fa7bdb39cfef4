/** A stream whose texts leave after they were checked, window by window. */
import { EventQueue } from './event-queue.ts';
import { EventSplitter, type StreamEvent } from './events.ts';
import { formatOf, readTexts, type StreamFormat, type TextProtocol, type TextUse } from './formats/index.ts';
import { TextWindows, type WindowOptions } from './window.ts';

export interface WindowedResult<D> {
  /** What can be sent now. */
  readonly pieces: readonly Buffer[];
  /** The window behind them is denied: nothing follows. */
  readonly denial?: D | undefined;
}

const CHECKED: ReadonlySet<TextUse> = new Set(['checked']);

/** The events that end an answer leave with `end`. A call of `push` or `end` is made when the one before is done. */
export class WindowedStream<D> {
  readonly #format: StreamFormat;
  readonly #events = new EventSplitter();
  readonly #queue: EventQueue;
  readonly #windows: TextWindows<D>;
  /** The event that ends the answer has come: it, and what follows, leave at the end. */
  #isLast = false;

  constructor(protocol: TextProtocol, options: WindowOptions<D>) {
    this.#format = formatOf(protocol);
    this.#queue = new EventQueue(CHECKED, this.#format);
    this.#windows = new TextWindows(options);
  }

  /** Rejects with UPSTREAM_STREAM_BROKEN, and with what the checks reject with. */
  push(bytes: Buffer): Promise<WindowedResult<D>> {
    return this.#read(this.#events.push(bytes));
  }

  /** The rest: nothing follows. */
  async end(): Promise<WindowedResult<D>> {
    const rest = await this.#read(this.#events.end());
    if (rest.denial !== undefined) return rest;
    this.#windows.end('all');
    const denial = await this.#check();
    return { pieces: [...rest.pieces, ...this.#queue.take()], denial };
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return this.#queue.heldBytes;
  }

  async #read(events: readonly StreamEvent[]): Promise<WindowedResult<D>> {
    const pieces: Buffer[] = [];
    for (const event of events) {
      const denial = await this.#add(event, pieces);
      if (denial !== undefined) return { pieces, denial };
    }
    return { pieces };
  }

  /** Adds what can be sent to the pieces. */
  async #add(event: StreamEvent, pieces: Buffer[]): Promise<D | undefined> {
    const texts = readTexts(this.#format, event);
    if (texts.ends === 'all' && !this.#isLast) {
      this.#windows.end('all');
      const denial = await this.#check();
      pieces.push(...this.#queue.take());
      this.#isLast = true;
      if (denial !== undefined) return denial;
    }
    for (const added of this.#queue.add(event, texts)) this.#windows.add(added);
    if (texts.ends.length > 0) this.#windows.end(texts.ends);
    const denial = this.#windows.isDue ? await this.#check() : undefined;
    if (!this.#isLast) pieces.push(...this.#queue.take());
    return denial;
  }

  async #check(): Promise<D | undefined> {
    while (this.#windows.isDue) {
      const step = await this.#windows.step();
      if (step.kind === 'deny') return step.denial;
      for (const { part, ...release } of step.releases) this.#queue.release(part, release);
    }
    return undefined;
  }
}

/** A stream whose texts leave after they were checked, window by window. */
import type { Deferred } from '../../lib/deferred.ts';
import { EventQueue } from './event-queue.ts';
import { EventSplitter, type StreamEvent } from './events.ts';
import {
  type EventTexts,
  formatOf,
  readTexts,
  type StreamFormat,
  type TextProtocol,
  type TextUse,
} from './formats/index.ts';
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

  /** At once where no window is due. Throws UPSTREAM_STREAM_BROKEN; rejects with it, too, and with what the checks reject with. */
  push(bytes: Buffer): Deferred<WindowedResult<D>> {
    return this.#read(this.#events.push(bytes), []);
  }

  /** The rest: nothing follows. */
  async end(): Promise<WindowedResult<D>> {
    const rest = await this.#read(this.#events.end(), []);
    if (rest.denial !== undefined) return rest;
    this.#format.end();
    this.#windows.end('all');
    const denial = await this.#check();
    return { pieces: [...rest.pieces, ...this.#queue.take()], denial };
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return this.#queue.heldBytes;
  }

  #read(events: readonly StreamEvent[], pieces: Buffer[]): Deferred<WindowedResult<D>> {
    for (const [i, event] of events.entries()) {
      const adding = this.#add(event, pieces);
      if (adding === undefined) continue;
      return adding.then((denial) =>
        denial === undefined ? this.#read(events.slice(i + 1), pieces) : { pieces, denial },
      );
    }
    return { pieces };
  }

  /** Adds what can be sent to the pieces. Undefined: nothing had to be checked for that. */
  #add(event: StreamEvent, pieces: Buffer[]): Promise<D | undefined> | undefined {
    const texts = readTexts(this.#format, event);
    if (texts.ends === 'all' && !this.#isLast) return this.#addLast(event, texts, pieces);
    return this.#addTexts(event, texts, pieces);
  }

  async #addLast(event: StreamEvent, texts: EventTexts, pieces: Buffer[]): Promise<D | undefined> {
    this.#windows.end('all');
    const denial = await this.#check();
    pieces.push(...this.#queue.take());
    this.#isLast = true;
    return denial ?? this.#addTexts(event, texts, pieces);
  }

  #addTexts(event: StreamEvent, texts: EventTexts, pieces: Buffer[]): Promise<D | undefined> | undefined {
    const alone: string[] = [];
    for (const added of this.#queue.add(event, texts)) {
      this.#windows.add(added);
      if (added.isAlone) alone.push(added.part);
    }
    if (alone.length > 0) this.#windows.end(alone);
    if (texts.waits !== undefined) this.#windows.wait(texts.waits);
    if (texts.ends.length > 0) this.#windows.end(texts.ends);
    const take = (): void => {
      if (!this.#isLast) pieces.push(...this.#queue.take());
    };
    if (!this.#windows.isDue) {
      take();
      return undefined;
    }
    return this.#check().then((denial) => {
      take();
      return denial;
    });
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

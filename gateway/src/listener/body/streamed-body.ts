import { finished, Readable } from 'node:stream';
import { AppError, memoryExhausted, toAppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { OnRead } from '../../lib/read-memory.ts';
import type { StreamedBody } from '../../wire/contract.ts';
import { type ProgressRule, type ProgressWatch, watchProgress } from './body-progress.ts';

export interface StreamedBodyOptions {
  readonly replayBytes: number;
  readonly bytes: number | undefined;
  readonly progress: ProgressRule;
  /** Accounts for what is kept for another try. */
  readonly memory: ByteAccount;
  /** Called before each read. */
  onPull?(): void;
  readonly onRead?: OnRead | undefined;
  /** Gets each piece once, as it arrives. */
  onPiece?(bytes: Buffer): void;
}

export interface ArrivingBody extends StreamedBody {
  /** It has arrived to its end. */
  isWhole(): boolean;
  /** Waits until what has arrived is enough, or is more than so many bytes; what is read stays there for `open`. */
  peek(isEnough: () => boolean, maxBytes: number): Promise<void>;
  /** The same for bytes that must not leave before: all of them count as held, beyond `replayBytes`, too. Rejects with MEMORY_EXHAUSTED. */
  hold(isEnough: () => boolean, maxBytes: number): Promise<void>;
}

/**
 * A request body that is forwarded while it arrives. What has been read is kept until it exceeds `replayBytes` or the memory
 * limit; from then on the body cannot be sent again.
 */
export const createStreamedBody = (source: Readable, options: StreamedBodyOptions): ArrivingBody =>
  new Arriving(source, options);

interface Peek {
  readonly isEnough: () => boolean;
  readonly maxBytes: number;
  /** What it reads must not leave before it is over. */
  readonly isHeld: boolean;
  readonly resolve: () => void;
  readonly reject: (error: AppError) => void;
}

class Arriving implements ArrivingBody {
  readonly bytes: number | undefined;
  readonly #source: Readable;
  readonly #options: StreamedBodyOptions;
  readonly #watch: ProgressWatch;
  #kept: Buffer[] = [];
  #arrivedBytes = 0;
  /** Of `#kept`, from its beginning: those that the memory account counts. */
  #countedBytes = 0;
  #dropped = 0;
  #ended = false;
  #error: AppError | undefined;
  #overflowed = false;
  /** Until the first read nothing is asked of the client. */
  #isAttached = false;
  /** A read waits for the client. */
  #isWaiting = false;
  #opened = 0;
  readonly #readers = new Set<Reader>();
  readonly #peeks = new Set<Peek>();

  constructor(source: Readable, options: StreamedBodyOptions) {
    this.bytes = options.bytes;
    this.#source = source;
    this.#options = options;
    this.#watch = watchProgress(options.progress, (error) => this.#end(error));
  }

  get replayable(): boolean {
    return !this.#overflowed || this.#opened === 0;
  }

  isWhole(): boolean {
    return this.#ended;
  }

  peek(isEnough: () => boolean, maxBytes: number): Promise<void> {
    return this.#look(isEnough, maxBytes, false);
  }

  hold(isEnough: () => boolean, maxBytes: number): Promise<void> {
    return this.#look(isEnough, maxBytes, true);
  }

  #look(isEnough: () => boolean, maxBytes: number, isHeld: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const peek: Peek = { isEnough, maxBytes, isHeld, resolve, reject };
      if (this.#isOver(peek)) resolve();
      else if (this.#error !== undefined) reject(this.#error);
      else {
        this.#peeks.add(peek);
        this.#goOn();
      }
    });
  }

  open(): Readable {
    if (this.#overflowed && this.#opened > 0) throw gone();
    this.#opened += 1;
    const reader = new Reader(this.#opened, {
      wanted: () => {
        this.#readers.add(reader);
        this.#goOn();
      },
      closed: () => this.#readers.delete(reader),
    });
    return reader;
  }

  /** Serves those that wait with what is here, and reads while one of them wants more than that. */
  #goOn(): void {
    do {
      this.#serve();
      if (this.#isWaiting || (this.#readers.size === 0 && this.#peeks.size === 0)) return;
    } while (this.#pull());
  }

  /** False: nothing has arrived, and the next bytes are waited for. */
  #pull(): boolean {
    this.#options.onPull?.();
    if (!this.#isAttached) this.#attach();
    const piece: Buffer | null = this.#source.read(); // no encoding is set on requests
    if (piece === null) {
      this.#isWaiting = true;
      this.#watch.wait();
      return false;
    }
    this.#take(piece);
    return true;
  }

  #attach(): void {
    this.#isAttached = true;
    this.#source.on('readable', this.#onReadable);
    // Nothing else ends a request body early, unless it is unpacked.
    finished(this.#source, { writable: false }, (cause) =>
      this.#end(
        cause == null ? undefined : cause instanceof AppError ? cause : new AppError('CLIENT_CLOSED', { cause }),
      ),
    );
  }

  readonly #onReadable = (): void => {
    if (!this.#isWaiting) return;
    const piece: Buffer | null = this.#source.read();
    if (piece === null) return; // its end
    this.#isWaiting = false;
    this.#watch.arrived(piece.length);
    this.#take(piece);
    this.#goOn();
  };

  #end(error: AppError | undefined): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#watch.stop();
    this.#isWaiting = false;
    if (error === undefined) this.#ended = true;
    else this.#error = error;
    this.#serve();
  }

  #take(piece: Buffer): void {
    this.#options.onRead?.(piece.length);
    try {
      this.#options.onPiece?.(piece);
    } catch (error) {
      this.#end(toAppError(error));
      return;
    }
    this.#kept.push(piece);
    this.#arrivedBytes += piece.length;
    const { memory, replayBytes } = this.#options;
    const isHeld = this.#peeks.values().some((peek) => peek.isHeld);
    if (this.#overflowed && !isHeld) return;
    this.#overflowed ||= this.#arrivedBytes > replayBytes;
    if (this.#overflowed && !isHeld) return;
    if (memory.take(piece.length)) {
      this.#countedBytes += piece.length;
      return;
    }
    this.#overflowed = true;
    if (isHeld) this.#end(memoryExhausted());
  }

  /** Those that wait for nothing more are no longer among those that wait. */
  #serve(): void {
    for (const peek of this.#peeks) {
      if (this.#error !== undefined) peek.reject(this.#error);
      else if (this.#isOver(peek)) peek.resolve();
      else continue;
      this.#peeks.delete(peek);
    }
    for (const reader of this.#readers) if (this.#feed(reader)) this.#readers.delete(reader);
  }

  #isOver({ isEnough, maxBytes }: Peek): boolean {
    return this.#ended || this.#arrivedBytes >= maxBytes || isEnough();
  }

  /** False: it waits for the next piece. */
  #feed(reader: Reader): boolean {
    for (;;) {
      const at = reader.next - this.#dropped;
      if (at < 0) {
        reader.destroy(gone());
        return true;
      }
      const piece = this.#kept[at];
      if (piece === undefined) break;
      reader.next += 1;
      // Only for the newest reader: one of an aborted try may still take the piece it waited for.
      if (this.#overflowed && reader.number === this.#opened) this.#drop(at + 1);
      if (!reader.push(piece)) return true;
    }
    if (this.#error !== undefined) reader.destroy(this.#error);
    else if (this.#ended) reader.push(null);
    else return false;
    return true;
  }

  #drop(pieces: number): void {
    const bytes = this.#kept.splice(0, pieces).reduce((sum, piece) => sum + piece.length, 0);
    this.#dropped += pieces;
    const counted = Math.min(bytes, this.#countedBytes);
    this.#countedBytes -= counted;
    this.#options.memory.give(counted);
  }
}

interface ReaderPorts {
  wanted(): void;
  closed(): void;
}

/** What a reader takes before it is asked for it: pieces of a body are often larger. */
const AHEAD_BYTES = 16 * 1024;

/** One try's view of the body. */
class Reader extends Readable {
  readonly number: number;
  /** Of the piece that it gets next. */
  next = 0;
  readonly #ports: ReaderPorts;

  constructor(number: number, ports: ReaderPorts) {
    super({ highWaterMark: AHEAD_BYTES });
    this.on('error', () => undefined); // a try may be over, or not begun yet, when the client leaves
    this.number = number;
    this.#ports = ports;
  }

  override _read(): void {
    this.#ports.wanted();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ports.closed();
    done(error);
  }
}

const gone = (): AppError => new AppError('INTERNAL', { cause: 'the body was too large to be sent again' });

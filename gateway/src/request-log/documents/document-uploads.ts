/** Documents on their way into a store of objects: bounded in bytes and in calls. Nobody waits for it. */
import { Cancellation } from '../../lib/cancellation.ts';
import { Breaker, type BreakerSettings, type Pass } from './breaker.ts';
import { DocumentLine } from './document-line.ts';
import type { DocumentStore, DocumentToKeep } from './document-store.ts';

/** Why a document was dropped: `store_away`: after all tries, or at once while the breaker is open. */
export type DocumentDrop = 'queue_full' | 'store_away' | 'refused' | 'shutdown';

export interface UploadSettings extends BreakerSettings {
  /** Of a call, in ms. */
  readonly timeoutMs: number;
}

export interface UploadOptions {
  readonly store: Pick<DocumentStore, 'put' | 'isRefusal'>;
  readonly settings: UploadSettings;
  /** Of all that waits or is under way; of more the oldest that waits is dropped. */
  readonly maxBytes: number;
  /** Before the second try, doubled with each further one, in ms. */
  readonly retryMs: number;
  /** Monotonic, in ms. */
  nowMs(): number;
  onWritten(): void;
  /** Told of each document, with the error where there is one. Must not throw. */
  onDropped(reason: DocumentDrop, error?: unknown): void;
}

/** What a document takes in memory beside its bytes, about. */
export const DOCUMENT_BYTES = 1_024;
const PARALLEL = 8;
const TRIES = 5;

export class DocumentUploads {
  readonly #options: UploadOptions;
  readonly #breaker: Breaker;
  readonly #ending = new Cancellation();
  readonly #waiting = new DocumentLine();
  readonly #running = new Set<Promise<void>>();
  #bytes = 0;
  /** The part of it that is not under way. */
  #waitingBytes = 0;
  #isClosing = false;
  readonly #wakes = new Set<() => void>();

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#breaker = new Breaker(options.settings, options.nowMs);
  }

  /** Bytes of documents that wait or are under way, `DOCUMENT_BYTES` of each included. */
  get bytes(): number {
    return this.#bytes;
  }

  get isOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** Whether it is taken. Never fails and does not wait. */
  add(document: DocumentToKeep): boolean {
    const reason = this.#refusalOf(document);
    if (reason !== undefined) {
      this.#options.onDropped(reason);
      return false;
    }
    this.#bytes += sizeOf(document);
    this.#waiting.add(document);
    this.#waitingBytes += sizeOf(document);
    this.#pump();
    return true;
  }

  /** Writes what waits, for so long at most, in ms. What is left then is dropped. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    for (const wake of this.#wakes) wake(); // the next tries are now
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#idle(), late]);
    clearTimeout(timer);
    for (const document of this.#takeAllWaiting()) this.#drop(document, 'shutdown');
    this.#ending.cancel(new Error('The process ends'));
    for (const wake of this.#wakes) wake();
    await this.#idle();
  }

  #refusalOf(document: DocumentToKeep): DocumentDrop | undefined {
    if (this.#isClosing) return 'shutdown';
    if (!this.#breaker.admits) return 'store_away';
    return this.#makeRoom(sizeOf(document)) ? undefined : 'queue_full';
  }

  /** Drops the oldest that wait; those under way stay. False: there is not enough of them, and none is dropped. */
  #makeRoom(bytes: number): boolean {
    const { maxBytes } = this.#options;
    if (this.#bytes - this.#waitingBytes + bytes > maxBytes) return false;
    while (this.#bytes + bytes > maxBytes) {
      const oldest = this.#takeWaiting();
      if (oldest === undefined) return false;
      this.#drop(oldest, 'queue_full');
    }
    return true;
  }

  #takeWaiting(): DocumentToKeep | undefined {
    const document = this.#waiting.take();
    if (document !== undefined) this.#waitingBytes -= sizeOf(document);
    return document;
  }

  #takeAllWaiting(): readonly DocumentToKeep[] {
    this.#waitingBytes = 0;
    return this.#waiting.takeAll();
  }

  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #pump(): void {
    while (this.#running.size < PARALLEL) {
      const document = this.#takeWaiting();
      if (document === undefined) return;
      const run: Promise<void> = this.#upload(document).finally(() => {
        this.#running.delete(run);
        this.#pump();
      });
      this.#running.add(run);
    }
  }

  async #upload(document: DocumentToKeep): Promise<void> {
    const { store, retryMs, onWritten } = this.#options;
    let failure: unknown;
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (tries > 0) await this.#pause(retryMs * 2 ** (tries - 1));
      if (this.#ending.cancelled) return this.#drop(document, 'shutdown', failure);
      const pass = this.#breaker.enter();
      if (pass === undefined) break;
      try {
        await this.#call(document);
        this.#end(pass, true);
        this.#bytes -= sizeOf(document);
        return onWritten();
      } catch (error) {
        failure = error;
        if (this.#ending.cancelled) return this.#drop(document, 'shutdown');
        const isRefusal = store.isRefusal(error);
        this.#end(pass, isRefusal, error);
        if (isRefusal) return this.#drop(document, 'refused', error);
      }
    }
    this.#drop(document, 'store_away', failure);
  }

  async #call({ key, bytes, keptUntilMs }: DocumentToKeep): Promise<void> {
    const signal = new Cancellation();
    const end = (): void => signal.cancel(this.#ending.reason);
    this.#ending.onCancel(end);
    const { timeoutMs } = this.#options.settings;
    const timer = setTimeout(() => signal.cancel(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      await this.#options.store.put(key, bytes, { signal, keptUntilMs });
    } finally {
      clearTimeout(timer);
      this.#ending.offCancel(end);
    }
  }

  #end(pass: Pass, isGood: boolean, error?: unknown): void {
    const wasOpen = this.#breaker.isOpen;
    pass.end(isGood);
    if (wasOpen || !this.#breaker.isOpen) return;
    for (const document of this.#takeAllWaiting()) this.#drop(document, 'store_away', error);
    for (const wake of this.#wakes) wake();
  }

  #drop(document: DocumentToKeep, reason: DocumentDrop, error?: unknown): void {
    this.#bytes -= sizeOf(document);
    this.#options.onDropped(reason, error);
  }

  /** Ends early where the next try is the last chance, or none is made. */
  #pause(ms: number): Promise<void> {
    if (this.#ending.cancelled) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wakes.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms).unref();
      this.#wakes.add(done);
    });
  }
}

const sizeOf = ({ bytes }: DocumentToKeep): number => DOCUMENT_BYTES + bytes.length;

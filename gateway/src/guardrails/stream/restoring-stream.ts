/** A stream with the placeholders of its request replaced, wherever the stream splits them. */
import type { Restorable } from '../contract.ts';
import { EventQueue, type NewText } from './event-queue.ts';
import { EventSplitter, type StreamEvent } from './events.ts';
import { formatOf, readTexts, type StreamFormat, type TextProtocol, type TextUse } from './formats/index.ts';
import { insideJson, Restorer } from './restorer.ts';

type Reader = ReturnType<Restorer['reader']>;

const RESTORED: ReadonlySet<TextUse> = new Set(['checked', 'shown', 'arguments']);

export class RestoringStream {
  readonly #restorer: Restorer;
  readonly #format: StreamFormat;
  readonly #events = new EventSplitter();
  readonly #queue: EventQueue;
  readonly #readers = new Map<string, Reader>();

  constructor(protocol: TextProtocol, placeholders: Restorable) {
    this.#restorer = new Restorer(placeholders);
    this.#format = formatOf(protocol);
    this.#queue = new EventQueue(RESTORED, this.#format);
  }

  /** What can be sent now. Throws UPSTREAM_STREAM_BROKEN and UPSTREAM_TOO_LARGE. */
  push(bytes: Buffer): Buffer[] {
    for (const event of this.#events.push(bytes)) this.#add(event);
    return this.#queue.take();
  }

  /** The rest. */
  end(): Buffer[] {
    for (const event of this.#events.end()) this.#add(event);
    this.#format.end();
    this.#endReaders('all');
    return this.#queue.take();
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return this.#queue.heldBytes;
  }

  #add(event: StreamEvent): void {
    const texts = readTexts(this.#format, event);
    for (const added of this.#queue.add(event, texts)) {
      for (const release of this.#readerOf(added).push(added.text)) this.#queue.release(added.part, release);
      if (added.isAlone) this.#endReaders([added.part]);
    }
    if (texts.waits !== undefined) this.#endReaders(texts.waits);
    if (texts.ends.length > 0) this.#endReaders(texts.ends);
  }

  #readerOf({ part, use }: NewText): Reader {
    const known = this.#readers.get(part);
    if (known !== undefined) return known;
    const reader = this.#restorer.reader(use === 'arguments' ? insideJson : undefined);
    this.#readers.set(part, reader);
    return reader;
  }

  #endReaders(parts: readonly string[] | 'all'): void {
    for (const part of parts === 'all' ? [...this.#readers.keys()] : parts) {
      for (const release of this.#readers.get(part)?.end() ?? []) this.#queue.release(part, release);
      this.#readers.delete(part);
    }
  }
}

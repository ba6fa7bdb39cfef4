import { AppError } from '../../errors/index.ts';
import { type StreamEvent, writeEvent } from './events.ts';
import type { EventTexts, TextSlot, TextUse } from './formats/index.ts';
import { digestOf, PartText } from './part-text.ts';

/** A piece of text that may leave. */
export interface Release {
  /** Characters of the text as it came. */
  readonly length: number;
  /** Instead of them; undefined: they stay. */
  readonly text?: string;
}

/** New text of a part. */
export interface NewText {
  readonly part: string;
  readonly use: TextUse;
  readonly text: string;
  /** The part has no more. */
  readonly isAlone: boolean;
}

/** Parts that one answer may have. */
const MAX_PARTS = 100_000;
/** Texts of one event that nothing has said before. */
const MAX_NEW_TEXTS = 10_000;

interface QueuedEvent {
  readonly event: StreamEvent;
  readonly texts: EventTexts;
  /** Slots that say a part again. */
  readonly repeats: TextSlot[];
  /** Slots whose text has not been released. */
  open: number;
  isChanged: boolean;
}

interface QueuedSlot {
  readonly of: QueuedEvent;
  readonly slot: TextSlot;
  /** Not released yet. */
  rest: string;
  /** Released so far. */
  said: string;
}

interface Part {
  readonly waiting: QueuedSlot[];
  /** Where events may repeat it. */
  readonly told: PartText | undefined;
}

const isBlocked = ({ open, texts: { tails = [] } }: QueuedEvent): boolean =>
  open > 0 || tails.some(({ state }) => state === 'open');
const isChanged = (queued: QueuedEvent): boolean =>
  queued.isChanged || (queued.texts.tails ?? []).some(({ state }) => state === 'moved');

/** Holds the events of a stream, in their order, until the texts in them are released, and puts changed texts into them. */
export class EventQueue {
  readonly #uses: ReadonlySet<TextUse>;
  readonly #repeats: boolean;
  readonly #parts = new Map<string, Part>();
  #events: QueuedEvent[] = [];
  #heldBytes = 0;
  #keptBytes = 0;

  /** `uses`: the texts that are held; others leave with their event. `repeats`: whether events repeat whole parts. */
  constructor(uses: ReadonlySet<TextUse>, { repeats }: { readonly repeats: boolean }) {
    this.#uses = uses;
    this.#repeats = repeats;
  }

  /** Bytes of the events that are held, and of the changes that later events repeat. */
  get heldBytes(): number {
    return this.#heldBytes + this.#keptBytes;
  }

  /** Returns the new texts that `release` is awaited for. Throws UPSTREAM_STREAM_BROKEN when the answer has too many parts. */
  add(event: StreamEvent, texts: EventTexts): NewText[] {
    const queued: QueuedEvent = { event, texts, repeats: [], open: 0, isChanged: texts.isChanged ?? false };
    this.#events.push(queued);
    this.#heldBytes += event.raw.length;
    const added: NewText[] = [];
    for (const slot of texts.slots) {
      const { use, text } = slot;
      if (!this.#uses.has(use) || text === '') continue;
      const { part, isAlone, isRepeated } = this.#named(slot);
      if (isRepeated) {
        queued.repeats.push(part === slot.part ? slot : { ...slot, part });
        continue;
      }
      const { waiting, told } = this.#partOf(part, this.#repeats || slot.isWhole);
      waiting.push({ of: queued, slot, rest: text, said: '' });
      told?.add(text);
      queued.open += 1;
      added.push({ part, use, text, isAlone });
      if (added.length > MAX_NEW_TEXTS) {
        throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: `An event has more than ${MAX_NEW_TEXTS} texts` });
      }
    }
    return added;
  }

  /** The part of a slot: a whole that says something else than its pieces is a text of its own. */
  #named({ part, isWhole, text }: TextSlot): { part: string; isAlone: boolean; isRepeated: boolean } {
    const known = isWhole ? this.#parts.get(part) : undefined;
    if (known === undefined) return { part, isAlone: false, isRepeated: false };
    if (known.told?.is(text) === true) return { part, isAlone: false, isRepeated: true };
    const own = `${part} ${digestOf(text)}`;
    return { part: own, isAlone: true, isRepeated: this.#parts.has(own) };
  }

  /** Releases the next characters of a part. */
  release(name: string, { length, text }: Release): void {
    const part = this.#partOf(name);
    if (text !== undefined && length === 0) return;
    let left = length;
    let instead = text;
    while (left > 0) {
      const [slot] = part.waiting;
      if (slot === undefined) throw new Error('more text was released than the stream has');
      const taken = Math.min(left, slot.rest.length);
      const said = text === undefined ? slot.rest.slice(0, taken) : (instead ?? '');
      instead = '';
      slot.rest = slot.rest.slice(taken);
      slot.said += said;
      this.#keptBytes += part.told?.release(taken, text === undefined ? undefined : said) ?? 0;
      left -= taken;
      if (slot.rest === '') this.#finish(part);
    }
  }

  #finish(part: Part): void {
    const done = part.waiting.shift();
    if (done === undefined) return;
    done.of.open -= 1;
    if (done.said === done.slot.text) return;
    done.slot.write(done.said);
    done.of.isChanged = true;
  }

  /** The events that may leave, as bytes. */
  take(): Buffer[] {
    const blocked = this.#events.findIndex(isBlocked);
    if (blocked === 0) return [];
    const ready = blocked < 0 ? this.#events : this.#events.slice(0, blocked);
    this.#events = blocked < 0 ? [] : this.#events.slice(blocked);
    return ready.map((queued) => {
      this.#heldBytes -= queued.event.raw.length;
      this.#repeat(queued);
      return isChanged(queued) ? writeEvent(queued.event, queued.texts.data) : queued.event.raw;
    });
  }

  /** What repeats a part says what was released of it. */
  #repeat(queued: QueuedEvent): void {
    for (const slot of queued.repeats) {
      const said = this.#parts.get(slot.part)?.told?.said(slot.text) ?? slot.text;
      if (said === slot.text) continue;
      slot.write(said);
      queued.isChanged = true;
    }
  }

  #partOf(name: string, isRepeated = false): Part {
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    if (this.#parts.size >= MAX_PARTS) {
      throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: `The answer has more than ${MAX_PARTS} parts` });
    }
    const part: Part = { waiting: [], told: isRepeated ? new PartText() : undefined };
    this.#parts.set(name, part);
    return part;
  }
}

/**
 * The blocks of a streamed message, one after the other: each begins with the index that follows, and ends once, before the
 * next begins. Providers may mix the pieces of several tool calls: those of later blocks wait until the open one is whole.
 */
import type { JsonObject } from '../../../wire/contract.ts';
import type { Block } from './block.ts';

export interface BlockEvent extends JsonObject {
  readonly type: string;
}

/** Bounds of what a provider may make wait, or send as blocks of their own. */
const MAX_HELD_CHARS = 4 * 1024 * 1024;
const MAX_BLOCKS = 10_000;
/** Of a waiting piece beside its text. */
const PIECE_CHARS = 64;

interface Entry {
  readonly block: Block;
  /** Not sent yet. */
  deltas: JsonObject[];
  /** What they hold while they wait. */
  chars: number;
}

export class BlockQueue {
  readonly #waiting: Entry[] = [];
  /** The open one and those that wait. */
  readonly #entries = new Map<Block, Entry>();
  #open: Entry | undefined;
  #index = 0;
  #blocks = 0;
  #heldChars = 0;

  /** More is waiting, or more blocks were begun, than one message may have. */
  get isOverfull(): boolean {
    return this.#heldChars > MAX_HELD_CHARS || this.#blocks > MAX_BLOCKS;
  }

  /** The block that was added last. */
  get last(): Block | undefined {
    return (this.#waiting.at(-1) ?? this.#open)?.block;
  }

  add(block: Block): void {
    this.#blocks += 1;
    const entry: Entry = { block, deltas: [], chars: 0 };
    this.#waiting.push(entry);
    this.#entries.set(block, entry);
  }

  /** A piece of a block, of which `chars` characters are text. Pieces of blocks that have ended are left out. */
  push(block: Block, delta: JsonObject, chars: number): void {
    const entry = this.#entries.get(block);
    if (entry === undefined) return;
    entry.deltas.push(delta);
    if (entry === this.#open) return;
    entry.chars += chars + PIECE_CHARS;
    this.#heldChars += chars + PIECE_CHARS;
  }

  /** What can be sent by now. */
  advance(): readonly BlockEvent[] {
    const events: BlockEvent[] = [];
    for (;;) {
      if (this.#open !== undefined) {
        this.#flush(this.#open, events);
        if (this.#waiting.length === 0 || !this.#open.block.isWhole) return events;
        this.#close(this.#open, events);
      }
      if (this.#waiting[0]?.block.isReady !== true) return events;
      this.#begin(events);
    }
  }

  /** Everything that is left. */
  end(): readonly BlockEvent[] {
    const events: BlockEvent[] = [];
    for (;;) {
      if (this.#open !== undefined) {
        this.#flush(this.#open, events);
        this.#close(this.#open, events);
      }
      if (this.#waiting.length === 0) return events;
      this.#begin(events);
    }
  }

  #begin(events: BlockEvent[]): void {
    const entry = this.#waiting.shift();
    if (entry === undefined) return;
    this.#open = entry;
    this.#heldChars -= entry.chars;
    events.push({ type: 'content_block_start', index: this.#index, content_block: entry.block.begin() });
  }

  #flush(entry: Entry, events: BlockEvent[]): void {
    for (const delta of entry.deltas) events.push({ type: 'content_block_delta', index: this.#index, delta });
    entry.deltas = [];
  }

  #close({ block }: Entry, events: BlockEvent[]): void {
    events.push({ type: 'content_block_stop', index: this.#index });
    this.#entries.delete(block);
    this.#index += 1;
    this.#open = undefined;
  }
}

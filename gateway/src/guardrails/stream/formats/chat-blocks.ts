/** What is open of the content blocks of a streamed chat completion, which have no events that end them. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { type TextWithin, textsOfBlock } from '../../extract/index.ts';
import { indexIn, slotAt, type TextSlot, type Writable } from './format.ts';
import { type Ended, JsonReaders, joined, jsonSlots, NO_SLOTS, slotsWithin } from './within.ts';

/** Blocks of one stream, and of one event. */
const MAX_BLOCKS = 10_000;

type Of = Pick<TextSlot, 'part' | 'use'>;

interface OpenBlocks {
  readonly blocks: readonly string[];
  /** Parts of texts that come in pieces. */
  readonly pieces: readonly string[];
}

const NONE: OpenBlocks = { blocks: [], pieces: [] };

/** One per stream. */
export class ChatBlocks {
  readonly inputs = new JsonReaders();
  /** Types of blocks: only their first piece has it. */
  readonly #types = new Map<string, string>();
  /** By choice. */
  readonly #open = new Map<string, OpenBlocks>();
  /** Parts of the last chunk that come in pieces. */
  #pieces: string[] = [];

  /** What a provider has run itself, and citations. */
  textsOf(blocks: readonly Writable[], of: Of): Ended {
    this.#pieces = [];
    assertFewBlocks(blocks.length);
    return joined(blocks.map((block, place) => this.#textsOfBlock(block, nameOf(of.part, block, place), of)));
  }

  #textsOfBlock({ delta }: Writable, name: string, { use }: Of): Ended {
    if (!isObject(delta)) return NO_SLOTS;
    const { partial_json: input, ...given } = delta;
    this.#remember(name, given['type']);
    const type = this.#types.get(name);
    const whole = type === undefined ? given : { ...given, type };
    const texts = textsOfBlock(whole, []);
    const beside = slotsWithin(
      delta,
      texts.filter((text) => !isPiece(text)),
      { use, json: pathIn(name) },
    );
    const slots = texts.filter(isPiece).flatMap(({ path: [member] }) => {
      const part = `${name}.${member}`;
      this.#pieces.push(part);
      return slotAt(delta, String(member), { part, use });
    });
    const pieces = { slots, ends: [] };
    if (input === undefined) return joined([beside, pieces]);
    const json = { input: this.inputs.of(name), part: `${name}.input`, use };
    return joined([beside, pieces, jsonSlots(delta, 'partial_json', json)]);
  }

  #remember(name: string, type: unknown): void {
    if (typeof type !== 'string') return;
    if (!this.#types.has(name)) assertFewBlocks(this.#types.size + 1);
    this.#types.set(name, type);
  }

  /** Asked behind `textsOf`: the parts that end where a chunk of a choice has these blocks, or says something else. */
  endedBy(
    blocks: readonly Writable[],
    { part, isSaid }: { readonly part: string; readonly isSaid: boolean },
  ): string[] {
    if (blocks.length === 0 && !isSaid) return [];
    const open = this.#open.get(part) ?? NONE;
    const now = blocks.map((block, place) => nameOf(part, block, place));
    const pieces = this.#pieces;
    if (!this.#open.has(part)) assertFewBlocks(this.#open.size + 1);
    this.#open.set(part, { blocks: now.length === 0 ? open.blocks : now, pieces });
    return [...(now.length === 0 ? [] : without(open.blocks, now)), ...without(open.pieces, pieces)];
  }
}

function assertFewBlocks(count: number): void {
  if (count <= MAX_BLOCKS) return;
  throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: `The answer has more than ${MAX_BLOCKS} blocks` });
}

function without(names: readonly string[], others: readonly string[]): string[] {
  const left = new Set(others);
  return names.filter((name) => !left.has(name));
}

const nameOf = (part: string, block: Writable, place: number): string => `${part}.block.${indexIn(block, place)}`;

/** A text that is a member of the block may go on in the next chunk. */
const isPiece = ({ path, isJson }: TextWithin): boolean => path.length === 1 && !isJson;

export const pathIn =
  (name: string) =>
  (path: TextWithin['path']): string =>
    `${name}.${path.join('.')}`;

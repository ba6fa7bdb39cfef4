/** What is open of the content blocks of a streamed chat completion, which have no events that end them. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { type TextWithin, textsOfBlock } from '../../extract/index.ts';
import { indexIn, slotAt, type TextSlot, type Writable } from './format.ts';
import { type Ended, JsonReaders, joined, jsonSlots, NO_SLOTS, slotsWithin } from './within.ts';

/** Blocks of one stream whose texts come in pieces. */
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
  /** Types of the blocks that have texts in pieces: only the first piece has it. */
  readonly #types = new Map<string, string>();
  /** By choice. */
  readonly #open = new Map<string, OpenBlocks>();
  /** Parts of the last chunk that come in pieces. */
  #pieces: string[] = [];

  /** What a provider has run itself, and citations. */
  textsOf(blocks: readonly Writable[], of: Of): Ended {
    this.#pieces = [];
    return joined(blocks.map((block, place) => this.#textsOfBlock(block, nameOf(of.part, block, place), of)));
  }

  #textsOfBlock({ delta }: Writable, name: string, { use }: Of): Ended {
    if (!isObject(delta)) return NO_SLOTS;
    const { partial_json: input, ...given } = delta;
    const type = this.#types.get(name);
    const whole = given['type'] === undefined && type !== undefined ? { ...given, type } : given;
    const texts = textsOfBlock(whole, []);
    const beside = slotsWithin(
      delta,
      texts.filter((text) => !isPiece(text)),
      { use, json: pathIn(name) },
    );
    const slots = texts.filter(isPiece).flatMap(({ path: [member] }) => {
      const part = `${name}.${member}`;
      this.#remember(name, whole['type']);
      this.#pieces.push(part);
      return slotAt(delta, String(member), { part, use });
    });
    const pieces = { slots, ends: [] };
    if (input === undefined) return joined([beside, pieces]);
    const json = { input: this.inputs.of(name), part: `${name}.input`, use };
    return joined([beside, pieces, jsonSlots(delta, 'partial_json', json)]);
  }

  #remember(name: string, type: unknown): void {
    if (typeof type !== 'string' || this.#types.has(name)) return;
    if (this.#types.size >= MAX_BLOCKS) {
      throw new AppError('UPSTREAM_STREAM_BROKEN', {
        detail: `The answer has more than ${MAX_BLOCKS} results of tools`,
      });
    }
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
    this.#open.set(part, { blocks: now.length === 0 ? open.blocks : now, pieces });
    const others = now.length === 0 ? [] : open.blocks.filter((name) => !now.includes(name));
    return [...others, ...open.pieces.filter((name) => !pieces.includes(name))];
  }
}

const nameOf = (part: string, block: Writable, place: number): string => `${part}.block.${indexIn(block, place)}`;

/** A text that is a member of the block may go on in the next chunk. */
const isPiece = ({ path, isJson }: TextWithin): boolean => path.length === 1 && !isJson;

export const pathIn =
  (name: string) =>
  (path: TextWithin['path']): string =>
    `${name}.${path.join('.')}`;

/** Texts beside what a model says, in events: docs/behaviour/guardrails.md#which-texts. */
import { hash } from 'node:crypto';
import { AppError } from '../../../errors/index.ts';
import { encoded, type JsonPiece, JsonStrings, type Path, type TextWithin } from '../../extract/index.ts';
import type { TextSlot, Writable } from './format.ts';

/** Slots of an event, and the parts of them that end with it. */
export interface Ended {
  readonly slots: readonly TextSlot[];
  readonly ends: readonly string[];
  readonly waits?: readonly string[];
  /** The event was changed to be read. */
  readonly isChanged?: boolean;
}

export const NO_SLOTS: Ended = { slots: [], ends: [] };

export function joined(all: readonly Ended[]): Ended {
  const given = all.filter(
    ({ slots, ends, waits = [], isChanged }) => slots.length + ends.length + waits.length > 0 || isChanged === true,
  );
  if (given.length < 2) return given[0] ?? NO_SLOTS;
  return {
    slots: given.flatMap(({ slots }) => slots),
    ends: given.flatMap(({ ends }) => ends),
    waits: given.flatMap(({ waits = [] }) => waits),
    isChanged: given.some(({ isChanged }) => isChanged === true),
  };
}

/** Nothing follows in what holds the parts. */
export const closed = ({ ends, waits = [], ...rest }: Ended, part: string): Ended => ({
  ...rest,
  ends: [...ends, ...waits, part],
});

/** Texts that come whole. What says the same as an earlier one is a repetition of it: it is checked once. `json`: the part of a JSON text. */
export function slotsWithin(
  owner: Writable,
  texts: readonly TextWithin[],
  { use, json }: { readonly use: TextSlot['use']; json(path: Path): string },
): Ended {
  return joined(
    texts.map(({ text, path, isJson }) => {
      const { holder, name } = placeIn(owner, path);
      if (isJson) return jsonSlots(holder, name, { strings: new JsonStrings(), part: json(path), use, isWhole: true });
      const part = `${use}=${hash('sha256', text, 'base64')}`;
      const write = (next: string): void => {
        holder[name] = next;
      };
      return { slots: [{ part, use, isWhole: true, text, write }], ends: [], waits: [part] };
    }),
  );
}

/** Where the text at a path stands: it was found there. */
function placeIn(owner: Writable, path: Path): { readonly holder: Writable; readonly name: string } {
  let holder = owner;
  for (const step of path.slice(0, -1)) holder = holder[step] as Writable;
  return { holder, name: String(path.at(-1)) };
}

export interface JsonOptions extends Pick<TextSlot, 'part' | 'use' | 'isWhole'> {
  readonly strings: JsonStrings;
}

/** The strings of a JSON text, or of a piece of it: each is a part of its own, written as JSON has it. */
export function jsonSlots(owner: Writable, name: string, { strings, part, use, isWhole }: JsonOptions): Ended {
  const text = owner[name];
  if (typeof text !== 'string') return NO_SLOTS;
  const { pieces, ended, isMoved } = strings.push(text);
  const shown = new WrittenJson(isWhole ? [...pieces, { raw: strings.end(), string: 0 }] : pieces);
  const isChanged = isMoved && !isWhole;
  if (isChanged) owner[name] = shown;
  const slots = pieces.flatMap((piece): TextSlot[] => {
    const { said, string } = piece;
    if (said === undefined) return [];
    const write = (next: string): void => {
      piece.raw = encoded(next);
      owner[name] = shown;
    };
    return [{ part: `${part}.${string}`, use, isWhole, text: said, write }];
  });
  const found = { slots, ends: [], waits: ended.map((string) => `${part}.${string}`), isChanged };
  return strings.isComplete ? closed(found, part) : found;
}

/** Joined when the event is written: not once for each string. */
class WrittenJson {
  readonly #pieces: readonly JsonPiece[];

  constructor(pieces: readonly JsonPiece[]) {
    this.#pieces = pieces;
  }

  toJSON(): string {
    return this.#pieces.map(({ raw }) => raw).join('');
  }
}

/** JSON texts of one stream that come in pieces. */
const MAX_READERS = 10_000;

export class JsonReaders {
  readonly #strings = new Map<string, JsonStrings>();

  /** Undefined: it was not begun. */
  get(part: string): JsonStrings | undefined {
    return this.#strings.get(part);
  }

  /** The reader of the part, begun where there is none. Throws UPSTREAM_STREAM_BROKEN when too many are open. */
  of(part: string): JsonStrings {
    const known = this.#strings.get(part);
    if (known !== undefined) return known;
    if (this.#strings.size >= MAX_READERS) {
      throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: `The answer calls more than ${MAX_READERS} tools` });
    }
    const strings = new JsonStrings();
    this.#strings.set(part, strings);
    return strings;
  }

  end(part: string): void {
    this.#strings.delete(part);
  }
}

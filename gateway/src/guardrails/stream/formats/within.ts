/** Texts beside what a model says, in events: docs/behaviour/guardrails.md#which-texts. */
import { hash } from 'node:crypto';
import { AppError } from '../../../errors/index.ts';
import { encoded, type JsonPiece, JsonStrings, type Path, type TextWithin } from '../../extract/index.ts';
import { slotAt, type Tail, type TextSlot, type Writable } from './format.ts';

/** Slots of an event, and the parts of them that end with it. */
export interface Ended {
  readonly slots: readonly TextSlot[];
  readonly ends: readonly string[];
  readonly waits?: readonly string[];
  /** The event was changed to be read. */
  readonly isChanged?: boolean;
  readonly tails?: readonly Tail[];
}

export const NO_SLOTS: Ended = { slots: [], ends: [] };

export function joined(all: readonly Ended[]): Ended {
  const given = all.filter(
    ({ slots, ends, waits = [], tails = [], isChanged }) =>
      slots.length + ends.length + waits.length + tails.length > 0 || isChanged === true,
  );
  if (given.length < 2) return given[0] ?? NO_SLOTS;
  return {
    slots: given.flatMap(({ slots }) => slots),
    ends: given.flatMap(({ ends }) => ends),
    waits: given.flatMap(({ waits = [] }) => waits),
    isChanged: given.some(({ isChanged }) => isChanged === true),
    tails: given.flatMap(({ tails = [] }) => tails),
  };
}

/** Nothing follows in what holds the parts. */
export const closed = ({ ends, waits = [], ...rest }: Ended, part: string): Ended => ({
  ...rest,
  ends: [...ends, ...waits, part],
});

/** Texts that come whole. What says the same as an earlier one is a repetition of it: it is checked once. `json`: the part of a JSON text; `known`: of what has come in pieces. */
export function slotsWithin(
  owner: Writable,
  texts: readonly TextWithin[],
  {
    use,
    json,
    known,
  }: { readonly use: TextSlot['use']; json(path: Path): string; known?(path: Path): string | undefined },
): Ended {
  return joined(
    texts.map(({ text, path, isJson }) => {
      const { holder, name } = placeIn(owner, path);
      if (isJson) return jsonSlots(holder, name, { part: json(path), use });
      const part = known?.(path) ?? `${use}=${hash('sha256', text, 'base64')}`;
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

export interface JsonOptions extends Pick<TextSlot, 'part' | 'use'> {
  /** What it is a piece of; undefined: it is whole. */
  readonly input?: JsonInput;
}

/** The strings of a JSON text, or of a piece of it: each is a part of its own, written as JSON has it. */
export function jsonSlots(owner: Writable, name: string, { part, use, input }: JsonOptions): Ended {
  const text = owner[name];
  if (typeof text !== 'string') return NO_SLOTS;
  assertFewQuotes(text);
  if (input === undefined && isPlain(text)) return wholeSlot(owner, name, { part, use });
  const strings = input?.strings ?? new JsonStrings();
  const isChanged = input?.moveTail() ?? false;
  const { pieces, ended } = strings.push(text);
  const tail = { raw: strings.end(), string: 0 };
  const shown = new WrittenJson([...pieces, tail]);
  const show = (): void => {
    owner[name] = shown;
  };
  if (isChanged) show();
  const slots = pieces.flatMap((piece): TextSlot[] => {
    const { said, string } = piece;
    if (said === undefined) return [];
    const write = (next: string): void => {
      piece.raw = encoded(next);
      show();
    };
    return [{ part: `${part}.${string}`, use, isWhole: input === undefined, text: said, write }];
  });
  const move = (): void => {
    tail.raw = '';
    show();
  };
  if (input !== undefined) input.last = slots.at(-1)?.part ?? input.last;
  const tails = input === undefined || tail.raw === '' ? [] : [input.hold(move)];
  const found = { slots, ends: [], waits: ended.map((string) => `${part}.${string}`), isChanged, tails };
  return strings.isComplete ? closed(found, part) : found;
}

/** What has to be JSON, and is none with a string in it. */
function isPlain(text: string): boolean {
  if (text.includes('"') || text.trim() === '') return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

function wholeSlot(owner: Writable, name: string, { part, use }: Pick<TextSlot, 'part' | 'use'>): Ended {
  const slots = slotAt(owner, name, { part: `${part}.plain`, use, isWhole: true });
  return { slots, ends: [], waits: slots.map((slot) => slot.part) };
}

/** Of one event: pieces are made of all strings before any is checked. */
const MAX_QUOTES = 40_000;

function assertFewQuotes(text: string): void {
  if (text.length <= MAX_QUOTES) return;
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    count += 1;
    if (count > MAX_QUOTES) {
      throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: `An event has JSON with more than ${MAX_QUOTES} quotes` });
    }
  }
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

/** A JSON text that comes in pieces. */
export class JsonInput {
  readonly strings = new JsonStrings();
  /** The part of the last string: it may be cut off. */
  last: string | undefined;
  #tail: HeldTail | undefined;

  hold(move: () => void): Tail {
    this.#tail = new HeldTail(move);
    return this.#tail;
  }

  /** What the last piece ended with belongs to the next. False: it ended with no escape. */
  moveTail(): boolean {
    const tail = this.#tail;
    this.#tail = undefined;
    tail?.move();
    return tail !== undefined;
  }

  /** There is no next piece. */
  end(): void {
    this.#tail?.keep();
    this.#tail = undefined;
  }
}

class HeldTail implements Tail {
  state: Tail['state'] = 'open';
  readonly #move: () => void;

  constructor(move: () => void) {
    this.#move = move;
  }

  move(): void {
    this.state = 'moved';
    this.#move();
  }

  keep(): void {
    this.state = 'kept';
  }
}

/** JSON texts of one stream that come in pieces. */
const MAX_READERS = 10_000;

export class JsonReaders {
  readonly #inputs = new Map<string, JsonInput>();

  /** Undefined: it was not begun. */
  get(part: string): JsonInput | undefined {
    return this.#inputs.get(part);
  }

  /** That of the part, begun where there is none. Throws UPSTREAM_STREAM_BROKEN when too many are open. */
  of(part: string): JsonInput {
    const known = this.#inputs.get(part);
    if (known !== undefined) return known;
    if (this.#inputs.size >= MAX_READERS) {
      throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: `The answer calls more than ${MAX_READERS} tools` });
    }
    const input = new JsonInput();
    this.#inputs.set(part, input);
    return input;
  }

  /** Returns the parts that end with it. */
  end(part: string): readonly string[] {
    const input = this.#inputs.get(part);
    input?.end();
    this.#inputs.delete(part);
    return input?.last === undefined ? [] : [input.last];
  }

  endAll(): void {
    for (const input of this.#inputs.values()) input.end();
    this.#inputs.clear();
  }
}

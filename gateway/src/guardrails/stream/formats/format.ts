/** Where the events of a client's stream have the texts of the answer. */
import { isObject } from '@gatehouse/crds';

/** An object of an event, parsed for this purpose only: it may be changed. */
export type Writable = Record<string, unknown>;

/**
 * What a text is for. `checked`: checks look at it. `shown`: another text for the reader. `arguments`: a piece of the JSON text
 * with which a tool is called.
 */
export type TextUse = 'checked' | 'shown' | 'arguments';

/** A text in an event. */
export interface TextSlot {
  /** What it is a piece of: a choice, a content block or the call of a tool. The pieces of a part are joined in their order. */
  readonly part: string;
  readonly use: TextUse;
  /** All of the part, once more behind its pieces. */
  readonly isWhole: boolean;
  readonly text: string;
  /** Replaces the text in the event. */
  write(text: string): void;
}

/** The start of an escape at the end of a piece of JSON, which is written together with the rest of it. */
export interface Tail {
  /** `open`: the event waits for the next piece, which has the rest. `moved`: the next piece has it all. `kept`: it stays. */
  readonly state: 'open' | 'moved' | 'kept';
}

export interface EventTexts {
  /** The data of the event, which the slots write to. */
  readonly data: Writable;
  readonly slots: readonly TextSlot[];
  /** Parts that have no more text before other content of the answer. */
  readonly ends: readonly string[] | 'all';
  /** Parts that have no more text, and are checked together with those that follow: at the latest when another part ends. */
  readonly waits?: readonly string[];
  /** `data` is not what came, also where no slot was written to. */
  readonly isChanged?: boolean;
  /** `data` has been changed, too, where they have moved. */
  readonly tails?: readonly Tail[];
}

/** Of one stream. */
export interface StreamFormat {
  /** Whether events repeat whole parts that have come in pieces. */
  readonly repeats: boolean;
  read(data: Writable): EventTexts;
  /** Nothing more comes of what is open. */
  end(): void;
}

/** The objects of a list; other items and values are ignored. */
export const objectsIn = (value: unknown): readonly Writable[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Index of an item: its own `index`, else its position in the list. */
export const indexIn = (item: Writable, place: number): number =>
  typeof item['index'] === 'number' ? item['index'] : place;

/** The text under a name of an object, if there is one. */
export function slotAt(
  owner: Writable,
  name: string,
  of: Pick<TextSlot, 'part' | 'use'> & { readonly isWhole?: boolean },
): TextSlot[] {
  const text = owner[name];
  if (typeof text !== 'string') return [];
  return [
    {
      part: of.part,
      use: of.use,
      isWhole: of.isWhole ?? false,
      text,
      write: (next) => {
        owner[name] = next;
        forgetTokens(owner);
      },
    },
  ];
}

/** The tokens of a text that was replaced would tell it. */
export function forgetTokens(owner: Writable): void {
  if (owner['logprobs'] !== undefined) owner['logprobs'] = Array.isArray(owner['logprobs']) ? [] : null;
}

/** Placeholders such as [EMAIL_ADDRESS_1] of a text that is checked in pieces: two values never share one. */

export interface GivenPlaceholders {
  /** More text may follow at the end: what begins there may be longer than it seems. */
  readonly goesOn: boolean;
  /** The placeholder that a value has; undefined: none yet. */
  of(category: string, value: string): string | undefined;
  /** The last number of the category; 0: none. */
  last(category: string): number;
  give(category: string, value: string, given: NumberedPlaceholder): void;
}

export interface NumberedPlaceholder {
  readonly placeholder: string;
  readonly number: number;
}

/** Values that keep their placeholder; one that was forgotten gets a new one. */
const MAX_VALUES = 10_000;
const PLACEHOLDER = /\[\w{1,64}\]/g;

const keyOf = (category: string, value: string): string => `${category} ${value}`;

/** One per stream. What a check gives counts only when it has left: what it has seen may be a half. */
export class StreamPlaceholders {
  readonly #values = new Map<string, string>();
  readonly #last = new Map<string, number>();

  /** For one check. */
  draft({ goesOn }: Pick<GivenPlaceholders, 'goesOn'>): PlaceholderDraft {
    return new PlaceholderDraft(this.#values, this.#last, goesOn);
  }

  /** Keeps what the draft has given and the text contains. */
  keep(draft: PlaceholderDraft, text: string): void {
    if (draft.given.size === 0) return;
    const left = new Set(text.match(PLACEHOLDER));
    for (const [key, { category, placeholder, number }] of draft.given) {
      if (!left.has(placeholder)) continue;
      this.#values.set(key, placeholder);
      this.#last.set(category, Math.max(number, this.#last.get(category) ?? 0));
      const [oldest] = this.#values.keys();
      if (this.#values.size > MAX_VALUES && oldest !== undefined) this.#values.delete(oldest);
    }
  }
}

interface Draft extends NumberedPlaceholder {
  readonly category: string;
}

export class PlaceholderDraft implements GivenPlaceholders {
  readonly given = new Map<string, Draft>();
  readonly goesOn: boolean;
  readonly #values: ReadonlyMap<string, string>;
  readonly #last: Map<string, number>;

  constructor(values: ReadonlyMap<string, string>, last: ReadonlyMap<string, number>, goesOn: boolean) {
    this.goesOn = goesOn;
    this.#values = values;
    this.#last = new Map(last);
  }

  of(category: string, value: string): string | undefined {
    const key = keyOf(category, value);
    return this.#values.get(key) ?? this.given.get(key)?.placeholder;
  }

  last(category: string): number {
    return this.#last.get(category) ?? 0;
  }

  give(category: string, value: string, { placeholder, number }: NumberedPlaceholder): void {
    this.given.set(keyOf(category, value), { category, placeholder, number });
    this.#last.set(category, Math.max(number, this.last(category)));
  }
}

/** Objects under construction. Keys come from providers, so members are kept in maps until the end. */

/** Characters that may still be kept; below 0 the stream is too large. Shared by all drafts of a stream. */
export interface CharacterBudget {
  left: number;
}

/** What an item of a list costs beside its members, roughly. */
const ITEM_COST = 64;

export class Draft {
  readonly #members = new Map<string, unknown>();
  readonly #budget: CharacterBudget;

  constructor(budget: CharacterBudget) {
    this.#budget = budget;
  }

  get(key: string): unknown {
    return this.#members.get(key);
  }

  set(key: string, value: unknown): void {
    this.#budget.left -= costOf(value) + key.length - (this.#members.has(key) ? costOf(this.get(key)) + key.length : 0);
    this.#members.set(key, value);
  }

  /** For members that every event repeats: keeps the first value that is not blank. */
  setOnce(key: string, value: unknown): void {
    if (isBlank(this.get(key)) && value !== undefined) this.set(key, value);
  }

  /** Keeps the last value; null does not replace one. */
  setKnown(key: string, value: unknown): void {
    if (value !== null || !this.#members.has(key)) this.set(key, value);
  }

  /** Text is appended, plain values are replaced. A second object cannot be merged, so the stream cannot be rebuilt. */
  append(key: string, value: unknown): void {
    const known = this.get(key);
    if (typeof value === 'string' && typeof known === 'string') {
      this.#budget.left -= value.length;
      this.#members.set(key, known + value);
    } else if ((isComposite(value) && !isBlank(known)) || (isComposite(known) && !isBlank(value))) {
      this.giveUp();
    } else {
      this.setKnown(key, value);
    }
  }

  /** Lists are appended, other values are replaced. */
  concat(key: string, value: unknown): void {
    const known = this.get(key);
    if (!Array.isArray(value)) {
      this.setKnown(key, value);
    } else if (Array.isArray(known)) {
      this.#budget.left -= costOf(value);
      for (const item of value) known.push(item);
    } else {
      this.setKnown(key, [...value]);
    }
  }

  /** Marks the whole stream as not rebuildable. */
  giveUp(): void {
    this.#budget.left = Number.NEGATIVE_INFINITY;
  }

  /** Removes a member. */
  remove(key: string): unknown {
    const value = this.get(key);
    this.#members.delete(key);
    return value;
  }

  /** The object under this key, created if missing. */
  child(key: string): Draft {
    const known = this.get(key);
    if (known instanceof Draft) return known;
    const draft = new Draft(this.#budget);
    this.#members.set(key, draft);
    return draft;
  }

  /** The list of objects under this key, created if missing. */
  list(key: string): DraftList {
    const known = this.get(key);
    if (known instanceof DraftList) return known;
    const list = new DraftList(this.#budget);
    this.#members.set(key, list);
    return list;
  }

  toObject(): Record<string, unknown> {
    return Object.fromEntries(Array.from(this.#members, ([key, value]) => [key, finished(value)]));
  }
}

/** Objects by their index in the stream, which may have gaps. */
export class DraftList {
  readonly #items = new Map<number, Draft>();
  readonly #budget: CharacterBudget;

  constructor(budget: CharacterBudget) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#items.size;
  }

  /** The item, created if missing. */
  at(index: number): Draft {
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    this.#budget.left -= ITEM_COST;
    const draft = new Draft(this.#budget);
    this.#items.set(index, draft);
    return draft;
  }

  has(index: number): boolean {
    return this.#items.has(index);
  }

  every(holds: (item: Draft) => boolean): boolean {
    return this.#items.values().every(holds);
  }

  toArray(): Record<string, unknown>[] {
    return [...this.#items].sort(([a], [b]) => a - b).map(([, draft]) => draft.toObject());
  }
}

function finished(value: unknown): unknown {
  if (value instanceof Draft) return value.toObject();
  return value instanceof DraftList ? value.toArray() : value;
}

/** Some first events have an empty id, model or time. */
const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '' || value === 0;

const isComposite = (value: unknown): boolean => typeof value === 'object' && value !== null;

function costOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return isComposite(value) ? JSON.stringify(value).length : 8;
}

/** Items in the order of a text, kept while single items come and go. */
export class OrderedList<T> {
  readonly #orderOf: (item: T) => string;
  #items: T[] = [];
  #isSorted = true;
  /** Somebody reads the array: it is copied before the next change. */
  #isRead = false;

  /** `orderOf` is different for each two items. */
  constructor(orderOf: (item: T) => string) {
    this.#orderOf = orderOf;
  }

  /** Stays as it is when the list changes; the same array until then. */
  get items(): readonly T[] {
    this.#sort();
    this.#isRead = true;
    return this.#items;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    const items = this.#writable();
    const last = items.at(-1);
    if (last !== undefined && this.#orderOf(item) < this.#orderOf(last)) this.#isSorted = false;
    items.push(item);
  }

  remove(item: T): void {
    this.#sort();
    const at = this.#positionOf(item);
    if (at !== undefined) this.#writable().splice(at, 1);
  }

  /** Puts an item into the place of one with the same order. */
  replace(before: T, after: T): void {
    this.#sort();
    const at = this.#positionOf(before);
    if (at !== undefined) this.#writable()[at] = after;
  }

  #writable(): T[] {
    if (this.#isRead) this.#items = [...this.#items];
    this.#isRead = false;
    return this.#items;
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#writable().sort((a, b) => (this.#orderOf(a) < this.#orderOf(b) ? -1 : 1));
    this.#isSorted = true;
  }

  #positionOf(item: T): number | undefined {
    const order = this.#orderOf(item);
    let [from, to] = [0, this.#items.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const found = this.#items[middle];
      if (found !== undefined && this.#orderOf(found) < order) from = middle + 1;
      else to = middle;
    }
    const found = this.#items[from];
    return found !== undefined && this.#orderOf(found) === order ? from : undefined;
  }
}

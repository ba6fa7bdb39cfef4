/** An immutable map; maps derived from it share the base and hold only their differences. */
export class LayeredMap<V> {
  readonly #base: ReadonlyMap<string, V>;
  /** Undefined: the key was removed. */
  readonly #changes: ReadonlyMap<string, V | undefined>;

  constructor(base: ReadonlyMap<string, V> = new Map(), changes: ReadonlyMap<string, V | undefined> = new Map()) {
    this.#base = base;
    this.#changes = changes;
  }

  get(key: string): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#base.get(key);
  }

  /** The map with some keys set or, where undefined, removed. Cost: the number of changes since the base. */
  with(changes: ReadonlyMap<string, V | undefined>): LayeredMap<V> {
    if (changes.size === 0) return this;
    return new LayeredMap(this.#base, new Map([...this.#changes, ...changes]));
  }

  /** All values; the cost is the size of the map. */
  values(): readonly V[] {
    const names = new Set([...this.#base.keys(), ...this.#changes.keys()]);
    return [...names].map((name) => this.get(name)).filter((value) => value !== undefined);
  }

  /** The first entry whose value is the one; the cost is the size of the map. */
  find(isIt: (value: V) => boolean): readonly [key: string, value: V] | undefined {
    for (const [key, value] of this.#changes) if (value !== undefined && isIt(value)) return [key, value];
    for (const [key, value] of this.#base) if (!this.#changes.has(key) && isIt(value)) return [key, value];
    return undefined;
  }

  /** Keys that differ from the base. */
  get changed(): number {
    return this.#changes.size;
  }
}

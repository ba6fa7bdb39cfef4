/** Changes that a map carries on top of its base before both are merged: few beside the base, many beside an edit. */
const MAX_CHANGES = 2_000;

type Changes<V> = ReadonlyMap<string, V | undefined>;

/**
 * An immutable map that shares its content with the maps made from it: editing one of a hundred thousand objects costs a small
 * map, not another large one.
 */
export class LayeredMap<V> {
  readonly #base: ReadonlyMap<string, V>;
  /** Undefined marks a removed key. */
  readonly #changes: Changes<V>;
  readonly size: number;

  constructor(base: ReadonlyMap<string, V> = new Map(), changes: Changes<V> = new Map()) {
    this.#base = base;
    this.#changes = changes;
    let size = base.size;
    for (const [key, value] of changes) size += Number(value !== undefined) - Number(base.has(key));
    this.size = size;
  }

  get(key: string): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#base.get(key);
  }

  /** The map with some keys set or, where undefined, removed; this very map if there are no changes. */
  with(changes: Changes<V>): LayeredMap<V> {
    if (changes.size === 0) return this;
    const all = new Map(this.#changes);
    for (const [key, value] of changes) all.set(key, value);
    if (all.size <= MAX_CHANGES) return new LayeredMap(this.#base, all);
    const merged = new Map(this.#base);
    for (const [key, value] of all) {
      if (value === undefined) merged.delete(key);
      else merged.set(key, value);
    }
    return new LayeredMap(merged);
  }

  /** Keys under which the two maps differ; undefined where that needs a look at every key. */
  differingFrom(other: LayeredMap<V>): readonly string[] | undefined {
    if (other.#base !== this.#base) return undefined;
    const keys = new Set([...other.#changes.keys(), ...this.#changes.keys()]);
    return [...keys].filter((key) => other.get(key) !== this.get(key));
  }

  forEach(visit: (value: V, key: string) => void): void {
    for (const [key, value] of this.#base) if (!this.#changes.has(key)) visit(value, key);
    for (const [key, value] of this.#changes) if (value !== undefined) visit(value, key);
  }
}

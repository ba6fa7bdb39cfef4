/**
 * Equal parts of many objects, kept once: the status that a hundred thousand keys have in common, their scopes and limits, the
 * name of their namespace. Values are shared, so that nobody may change them.
 */
export interface Interner {
  /** The value, or one that was given before and has the same JSON. */
  value<T extends object>(value: T): T;
  text(text: string): string;
}

/** Longer values are seldom equal, and many of them would take memory here. */
const MAX_CHARACTERS = 4_096;

/** Remembers the `max` values and texts that were used last. */
export function createInterner(max: number): Interner {
  const values = createRecent<object>(max);
  const texts = createRecent<string>(max);
  return {
    value: <T extends object>(value: T): T => {
      const json = JSON.stringify(value);
      return json.length > MAX_CHARACTERS ? value : (values(json, value) as T); // the same JSON
    },
    text: (text) => (text.length > MAX_CHARACTERS ? text : texts(text, text)),
  };
}

function createRecent<V>(max: number): (key: string, value: V) => V {
  const recent = new Map<string, V>();
  return (key, value) => {
    const known = recent.get(key) ?? value;
    recent.delete(key);
    recent.set(key, known);
    const [oldest] = recent.size > max ? recent.keys() : [];
    if (oldest !== undefined) recent.delete(oldest);
    return known;
  };
}

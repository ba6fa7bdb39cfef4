import { mergeObjects } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Path, Place } from './places.ts';

const NOTHING: JsonObject = {};

/**
 * The body with other texts at the places; undefined and empty texts, and places without a text, stay. The same object when
 * nothing differs; what differs is copied along its path.
 */
export function withTexts(
  body: JsonObject,
  places: readonly Place[],
  texts: readonly (string | undefined)[],
): JsonObject {
  const changed: Record<string, unknown> = {};
  const copied = new Set<unknown>();
  let differs = false;
  for (const [i, { text, path }] of places.entries()) {
    const wanted = texts[i];
    if (path === undefined || wanted === undefined || wanted === '' || wanted === text) continue;
    const [member = ''] = path; // a name: bodies are objects
    if (!Object.hasOwn(changed, member)) changed[member] = body[member];
    put(changed, path, wanted, copied);
    differs = true;
  }
  return differs ? mergeObjects(NOTHING, body, changed) : body;
}

/** Below the root only copies are written to. */
function put(root: Record<string, unknown>, path: Path, text: string, copied: Set<unknown>): void {
  let node: Record<string | number, unknown> = root;
  for (const step of path.slice(0, -1)) {
    const child = node[step] as object; // the path was found in what is copied here
    const own = copied.has(child) ? child : copyOf(child);
    copied.add(own);
    node[step] = own;
    node = own as Record<string | number, unknown>; // as above
  }
  const last = path.at(-1);
  if (last !== undefined) node[last] = text;
}

const copyOf = (value: object): object => (Array.isArray(value) ? [...value] : { ...value });

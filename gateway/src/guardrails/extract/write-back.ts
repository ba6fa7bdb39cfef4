import { mergeObjects } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { encoded } from './json-strings.ts';
import type { Path, Place } from './place.ts';

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
  const inside = new Map<Path, Edit[]>();
  let differs = false;
  for (const [i, { text, path, inside: at, copies }] of places.entries()) {
    const wanted = texts[i];
    if (path === undefined || wanted === undefined || wanted === '' || wanted === text) continue;
    const [member = ''] = path; // a name: bodies are objects
    if (!Object.hasOwn(changed, member)) changed[member] = body[member];
    differs = true;
    if (copies !== undefined) putFirst(changed, copies, wanted, copied);
    if (at === undefined) put(changed, path, wanted, copied);
    else if (!inside.has(path)) inside.set(path, [{ ...at, text: wanted }]);
    else inside.get(path)?.push({ ...at, text: wanted });
  }
  for (const [path, edits] of inside) put(changed, path, edited(textAt(body, path), edits), copied);
  return differs ? mergeObjects(NOTHING, body, changed) : body;
}

/** The first path gets the text, the others none. */
function putFirst(root: Record<string, unknown>, paths: readonly Path[], text: string, copied: Set<unknown>): void {
  for (const [i, path] of paths.entries()) put(root, path, i === 0 ? text : '', copied);
}

/** Another part of a JSON text. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly isRaw?: boolean;
}

/** `edits`: in their order. */
function edited(json: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let last = 0;
  for (const { from, to, text, isRaw = false } of edits) {
    pieces.push(json.slice(last, from), isRaw ? text : encoded(text));
    last = to;
  }
  return pieces.join('') + json.slice(last);
}

function textAt(body: JsonObject, path: Path): string {
  let value: unknown = body;
  for (const step of path) value = (value as Record<string | number, unknown>)[step]; // the path was found in it
  return String(value);
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

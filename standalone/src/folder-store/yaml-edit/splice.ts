/** Splices of single fields, by the ranges that the parser gives. What comes out has to be checked: not all syntax is known here. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  stringify,
  type YAMLMap,
} from 'yaml';

export type FieldPath = readonly (string | number)[];

interface FieldEdit {
  readonly document: number;
  readonly path: FieldPath;
  /** Undefined takes the field away. */
  readonly value: unknown;
}

type Ranges = readonly [number, number];

/** The text with one field changed. Throws TypeError where it is not known how. */
export function spliceField(text: string, documents: readonly Document.Parsed[], edit: FieldEdit): string {
  const { map, step, rest, pair } = find(documents[edit.document]?.contents, edit.path);
  if (edit.value === undefined) {
    return pair === undefined || rest.length > 0 ? text : removePair(text, map, pair);
  }
  const value = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), edit.value);
  return pair === undefined ? addPair(text, map, { name: step, value }) : replaceValue(text, { map, pair, value });
}

/** The text without one item of a list. Throws TypeError where it is not known how. */
export function spliceItem(
  text: string,
  documents: readonly Document.Parsed[],
  { document, path }: Pick<FieldEdit, 'document' | 'path'>,
): string {
  const list = path.slice(0, -1).reduce<unknown>((node, step) => childOf(node, step), documents[document]?.contents);
  const index = path.at(-1);
  if (!isSeq(list) || list.flow === true || typeof index !== 'number' || list.items.length < 2) throw unknown();
  const [start] = rangeOf(list.items[index]);
  const dash = lineStart(text, text.lastIndexOf('-', start));
  const [nextStart] = index + 1 < list.items.length ? rangeOf(list.items[index + 1]) : [undefined];
  const end =
    nextStart === undefined ? lineEnd(text, rangeOf(list)[1]) : lineStart(text, text.lastIndexOf('-', nextStart));
  return text.slice(0, dash) + text.slice(end);
}

interface FoundField {
  readonly map: YAMLMap;
  readonly step: string;
  /** Steps below, which do not exist. */
  readonly rest: readonly string[];
  readonly pair: Pair | undefined;
}

/** The deepest map on the path, and the pair of its next step. */
function find(root: unknown, path: FieldPath): FoundField {
  let node: unknown = root;
  for (const [i, step] of path.entries()) {
    if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      continue;
    }
    if (!isMap(node)) throw unknown();
    const rest = path.slice(i + 1).map(String);
    const pair = pairOf(node, step);
    if (pair === undefined || rest.length === 0 || !(isMap(pair.value) || isSeq(pair.value))) {
      return { map: node, step: String(step), rest, pair };
    }
    node = pair.value;
  }
  throw unknown();
}

const unknown = (): TypeError => new TypeError('no splice for this syntax');

const pairOf = (map: YAMLMap, step: string | number): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));

const childOf = (node: unknown, step: string | number): unknown => {
  if (isSeq(node) && typeof step === 'number') return node.items[step];
  return isMap(node) ? pairOf(node, step)?.value : undefined;
};

function rangeOf(node: unknown): Ranges {
  if (!isNode(node) || node.range == null) throw unknown();
  return [node.range[0], node.range[1]];
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The start of the next line; an offset at the start of a line is one already. */
function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset);

/** Where the pair ends: after its value, or after its key where it has none. */
function endOf({ key, value }: Pair): number {
  const [, keyEnd] = rangeOf(key);
  const [start, end] = isNode(value) ? rangeOf(value) : [keyEnd, keyEnd];
  return start === end ? Math.max(keyEnd + 1, end) : end;
}

function removePair(text: string, map: YAMLMap, pair: Pair): string {
  if (map.items.length === 1) {
    const [start, end] = rangeOf(map);
    return splice(text, [start, trimmedEnd(text, start, end)], '{}');
  }
  const index = map.items.indexOf(pair);
  const [start] = rangeOf(pair.key);
  if (map.flow === true) {
    const next = map.items[index + 1];
    if (next !== undefined) return splice(text, [start, rangeOf(next.key)[0]], '');
    const before = map.items[index - 1];
    return before === undefined ? text : splice(text, [endOf(before), endOf(pair)], '');
  }
  const from = lineStart(text, start);
  if (text.slice(from, start).trim() !== '') throw unknown(); // the first pair of an item of a list
  return splice(text, [from, lineEnd(text, endOf(pair))], '');
}

/** Ranges of block collections may include the line break behind them. */
function trimmedEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}

interface NewPair {
  readonly name: string;
  readonly value: unknown;
}

function addPair(text: string, map: YAMLMap, { name, value }: NewPair): string {
  const last = map.items.at(-1);
  if (map.flow === true) {
    const written = `${flowKey(map, name)}: ${flow(value)}`;
    if (last !== undefined) return splice(text, [endOf(last), endOf(last)], `, ${written}`);
    const [start, end] = rangeOf(map);
    return splice(text, [start, end], `{ ${written} }`);
  }
  const [first] = map.items;
  if (first === undefined || last === undefined) throw unknown();
  const indent = ' '.repeat(columnOf(text, rangeOf(first.key)[0]));
  const at = lineEnd(text, endOf(last));
  const lines = indented(stringify({ [name]: value }, { lineWidth: 0 }), indent);
  return splice(text, [at, at], text[at - 1] === '\n' ? lines : `\n${lines.trimEnd()}`);
}

interface Replacement {
  readonly map: YAMLMap;
  readonly pair: Pair;
  readonly value: unknown;
}

function replaceValue(text: string, { map, pair, value }: Replacement): string {
  const old = pair.value;
  const [keyStart, keyEnd] = rangeOf(pair.key);
  if (!isNode(old) || isAlias(old)) return replacePair(text, { map, pair, value });
  const [start, end] = rangeOf(old);
  if (map.flow === true || (isCollection(old) && old.flow === true)) {
    return splice(text, start === end ? [keyEnd, end] : [start, end], start === end ? `: ${flow(value)}` : flow(value));
  }
  const scalar = scalarLike(old, value);
  if (scalar === undefined || start === end) return replacePair(text, { map, pair, value });
  const isBelow = text.slice(keyStart, start).includes('\n');
  return isBelow ? replacePair(text, { map, pair, value }) : splice(text, [start, end], scalar);
}

const isCollection = (node: Node): node is Node & { flow?: boolean } => isMap(node) || isSeq(node);

/** The value in the style of the old one, where both fit on the line of the key. */
function scalarLike(old: Node, value: unknown): string | undefined {
  if (!isScalar(old) || (typeof value === 'object' && value !== null)) return undefined;
  if (old.type === Scalar.BLOCK_FOLDED || old.type === Scalar.BLOCK_LITERAL) return undefined;
  const made = new Scalar(value);
  if (typeof value === 'string' && old.type !== undefined && old.type !== null) made.type = old.type;
  const written = stringify(made, { lineWidth: 0 }).trimEnd();
  return written.includes('\n') ? undefined : written;
}

/** Writes the pair anew, in a block map; a comment behind a value of one line stays behind it. */
function replacePair(text: string, { map, pair, value }: Replacement): string {
  const [start] = rangeOf(pair.key);
  if (map.flow === true) throw unknown();
  const indent = ' '.repeat(columnOf(text, start));
  const end = endOf(pair);
  const lines = indented(stringify({ [keyOf(pair)]: value }, { lineWidth: 0 }), indent).slice(indent.length);
  return splice(text, [start, start + text.slice(start, end).trimEnd().length], lines.trimEnd());
}

const keyOf = ({ key }: Pair): string => {
  if (!isScalar(key)) throw unknown();
  return String(key.value);
};

const splice = (text: string, [start, end]: Ranges, by: string): string => text.slice(0, start) + by + text.slice(end);

const indented = (text: string, indent: string): string => text.replace(/^(?=.)/gm, indent);

/** JSON is YAML in flow style. */
const flow = (value: unknown): string => JSON.stringify(value);

const PLAIN_KEY = /^[A-Za-z_][\w-]*$/;
const NOT_PLAIN: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Quoted where the other keys are. */
function flowKey(map: YAMLMap, name: string): string {
  const isQuoted = map.items.some(({ key }) => isScalar(key) && key.type === Scalar.QUOTE_DOUBLE);
  return !isQuoted && PLAIN_KEY.test(name) && !NOT_PLAIN.has(name.toLowerCase()) ? name : JSON.stringify(name);
}

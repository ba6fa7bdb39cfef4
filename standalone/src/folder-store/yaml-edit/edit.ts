/** Changes of single fields of an object in a YAML or JSON text. Whatever is not touched keeps its bytes. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';
import { Document, isMap, isSeq, parseAllDocuments, stringify } from 'yaml';
import { type FieldPath, spliceField, spliceItem } from './splice.ts';

/** Where an object is in a text. */
export interface ObjectPlace {
  /** Index of its document. */
  readonly document: number;
  /** Its path in the document: empty, or that of an item of a list. */
  readonly path: FieldPath;
}

/** A new value of a field; undefined takes the field away. */
export interface Edit {
  /** From the object. */
  readonly path: FieldPath;
  readonly value: unknown;
}

/** The text is not one that can be edited: it does not parse, or the object is not where it should be. */
export class UneditableText extends Error {
  override readonly name = 'UneditableText';
}

/**
 * The text with the edits applied, each by a splice of the bytes that it is about. What comes out is parsed: where it is not exactly
 * what was meant (anchors, exotic syntax), that document alone is written anew. Throws UneditableText.
 */
export function editObject(text: string, place: ObjectPlace, edits: readonly Edit[]): string {
  const wanted = valuesOf(text);
  const document = { value: wanted[place.document] };
  for (const { path, value } of edits) setField(document, ['value', ...place.path, ...path], separate(value));
  wanted[place.document] = document.value;
  const absolute = edits.map(({ path, value }) => ({ path: [...place.path, ...path], value }));
  const splice = (current: string): string =>
    absolute.reduce(
      (before, edit) => spliceField(before, parse(before), { ...edit, document: place.document }),
      current,
    );
  return firstThatHolds(wanted, [
    () => splice(text),
    () => rewriteDocument(text, place.document, absolute),
    () => replaceDocument(text, place.document, document.value),
  ]);
}

/** The text without the object; undefined: nothing is left of it. Throws UneditableText. */
export function removeObject(text: string, { document, path }: ObjectPlace): string | undefined {
  const wanted = valuesOf(text);
  const documents = parse(text);
  const last = path.at(-1);
  if (last === undefined) {
    const left = wanted.toSpliced(document, 1);
    if (left.every((value) => value === null)) return undefined;
    const [start, end] = extentOf(documents, document, text);
    return firstThatHolds(left, [() => text.slice(0, start) + text.slice(end)]);
  }
  const items = path.slice(0, -1).reduce<unknown>((node, step) => memberOf(node, step), wanted[document]);
  if (!Array.isArray(items) || typeof last !== 'number') throw new UneditableText('the object is no item of a list');
  items.splice(last, 1);
  if (items.length === 0 && wanted.every((value, i) => i === document || value === null) && path.length === 2) {
    return undefined;
  }
  return firstThatHolds(wanted, [
    () => spliceItem(text, documents, { document, path }),
    () => rewriteDocument(text, document, [{ path, value: undefined }]),
    () => replaceDocument(text, document, wanted[document]),
  ]);
}

const OPTIONS = { version: '1.2', uniqueKeys: true, prettyErrors: false } as const;

function parse(text: string): readonly Document.Parsed[] {
  const documents = [...parseAllDocuments(text, OPTIONS)];
  if (documents.some(({ errors }) => errors.length > 0)) throw new UneditableText('the file is not valid YAML');
  return documents;
}

const valuesOf = (text: string): unknown[] => parse(text).map((document) => separate(document.toJS()));

/** Values that aliases share, each on its own, without prototypes of others. */
function separate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(separate);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, separate(member)]));
}

function firstThatHolds(wanted: readonly unknown[], tries: readonly (() => string)[]): string {
  for (const attempt of tries) {
    const text = attempted(attempt);
    if (text !== undefined && holds(text, wanted)) return text;
  }
  throw new UneditableText('the file cannot be edited; change it by hand');
}

/** Syntax that a way of writing does not know makes it throw, as makes the library. */
function attempted(attempt: () => string): string | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

function holds(text: string, wanted: readonly unknown[]): boolean {
  try {
    return isDeepStrictEqual(valuesOf(text), wanted);
  } catch {
    return false; // it does not parse, and so is not what was meant
  }
}

/** Start and end of a document, its separator included. */
function extentOf(documents: readonly Document.Parsed[], index: number, text: string): readonly [number, number] {
  const start = index === 0 ? 0 : (documents[index]?.range[0] ?? 0);
  return [start, documents[index + 1]?.range[0] ?? text.length];
}

/** The document as the library writes it: comments stay, spacing may not. */
function rewriteDocument(text: string, index: number, edits: readonly Edit[]): string {
  const document = parse(text)[index];
  if (document === undefined) throw new UneditableText('the document is not there');
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
  }
  const alone = new Document();
  alone.contents = document.contents;
  return replaceContents(text, index, alone.toString({ lineWidth: 0 }));
}

const replaceDocument = (text: string, index: number, value: unknown): string =>
  replaceContents(text, index, stringify(value, { lineWidth: 0 }));

function replaceContents(text: string, index: number, content: string): string {
  const { contents } = parse(text)[index] ?? {};
  if (!(isMap(contents) || isSeq(contents)) || contents.range == null) {
    throw new UneditableText('the document holds no object');
  }
  const [start, , end] = contents.range;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return text.slice(0, lineStart) + content + text.slice(end);
}

/** Sets a member of plain data, and makes the maps on the way. */
function setField(root: unknown, path: FieldPath, value: unknown): void {
  const [step, ...rest] = path;
  if (step === undefined) return;
  if (rest.length === 0) {
    if (Array.isArray(root) && typeof step === 'number') root[step] = value;
    else if (isObject(root) && value === undefined) delete root[String(step)];
    else if (isObject(root)) root[String(step)] = value;
    return;
  }
  const next = memberOf(root, step);
  if (next !== undefined && next !== null) setField(next, rest, value);
  else if (value !== undefined && isObject(root)) {
    const made: Record<string, unknown> = {};
    root[String(step)] = made;
    setField(made, rest, value);
  }
}

function memberOf(node: unknown, step: string | number): unknown {
  if (Array.isArray(node)) return typeof step === 'number' ? node[step] : undefined;
  return isObject(node) && Object.hasOwn(node, step) ? node[step] : undefined;
}

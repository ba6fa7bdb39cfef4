/** Objects whose large members are parsed on first read, and written as the bytes they arrived in. */
import { parseJson } from '@gatehouse/crds';
import { type ToldNumbers, textWith } from './numbers.ts';
import type { JsonScan, MemberSpan } from './scan.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Members from this size on are parsed lazily. */
const LAZY_BYTES = 4 * 1024;

interface LazyMember {
  readonly bytes: Buffer;
  read(): unknown;
}

// Keyed by objects that never change, so entries stay valid as long as the object lives.
const lazyMembers = new WeakMap<object, ReadonlyMap<string, LazyMember>>();

/** Why a value cannot be read, and what is known of the member names in it. */
interface Reading {
  readonly broken: () => Error;
  readonly nameKind: JsonScan['nameKind'];
}

/** The object with members at these positions. Members whose values are not JSON throw `broken`, here or when read. */
export function lazyObject(bytes: Buffer, members: readonly MemberSpan[], reading: Reading): JsonObject {
  const object: Record<string, unknown> = {};
  const lazy = new Map<string, LazyMember>();
  for (const { name, start, end } of members) {
    const member = lazyMember(bytes.subarray(start, end), reading);
    if (end - start < LAZY_BYTES) define(object, name, { value: member.read(), writable: true });
    else {
      lazy.set(name, member);
      define(object, name, { get: member.read });
    }
  }
  if (lazy.size > 0) lazyMembers.set(object, lazy);
  return object;
}

function lazyMember(bytes: Buffer, reading: Reading): LazyMember {
  let known: { readonly value: unknown } | undefined;
  return {
    bytes,
    read: () => {
      known ??= { value: parse(bytes, reading) };
      return known.value;
    },
  };
}

function parse(bytes: Buffer, { broken, nameKind }: Reading): unknown {
  try {
    return parseJson(bytes.toString('utf8'), nameKind);
  } catch {
    throw broken();
  }
}

/** The names of lazy members, which are not to be read for a comparison with something small; undefined: there are none. */
export const largeMembers = (object: object): Pick<ReadonlySet<string>, 'has'> | undefined => lazyMembers.get(object);

/** A string as `mayHold` looks for it. */
export const quoted = (text: string): Buffer => Buffer.from(JSON.stringify(text));

/** What begins the escape of any letter; none of them has a shorter one. */
const ESCAPED_LETTER = Buffer.from('\\u00');

/**
 * False: none of the strings is in the member, neither as a name nor as a value. Lazy members are searched, not parsed;
 * the strings consist of ASCII letters, digits and underscores.
 */
export function mayHold(object: object, name: string, strings: readonly Buffer[]): boolean {
  const bytes = lazyMembers.get(object)?.get(name)?.bytes;
  return bytes === undefined || bytes.includes(ESCAPED_LETTER) || strings.some((text) => bytes.includes(text));
}

/** `{...under, ...object, ...over}` without reading lazy members. */
export function mergeObjects(under: JsonObject, object: JsonObject, over: JsonObject): JsonObject {
  const layers = [under, object, over];
  if (!layers.some((layer) => lazyMembers.has(layer))) return { ...under, ...object, ...over };
  const merged: Record<string, unknown> = {};
  const lazy = new Map<string, LazyMember>();
  for (const layer of layers) {
    const waiting = lazyMembers.get(layer);
    for (const name of Object.keys(layer)) {
      const member = waiting?.get(name);
      if (member === undefined) {
        lazy.delete(name);
        define(merged, name, { value: layer[name], writable: true });
      } else {
        lazy.set(name, member);
        define(merged, name, { get: member.read });
      }
    }
  }
  if (lazy.size > 0) lazyMembers.set(merged, lazy);
  return merged;
}

/** The JSON text of an object, with these numbers where they are still the same; lazy members are copied, not parsed. */
export function writeJson(object: object, numbers?: ToldNumbers): Buffer {
  const lazy = lazyMembers.get(object);
  if (lazy === undefined) return Buffer.from(textWith(object, numbers) ?? '');
  const pieces: Buffer[] = [];
  for (const name of Object.keys(object)) {
    const member = lazy.get(name);
    const bytes = member === undefined ? textOf(object, name, numbers) : member.bytes;
    if (bytes === undefined) continue;
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`), bytes);
  }
  pieces.push(Buffer.from(pieces.length === 0 ? '{}' : '}'));
  return Buffer.concat(pieces);
}

/** Undefined for what JSON leaves out. */
function textOf(object: object, name: string, numbers: ToldNumbers | undefined): Buffer | undefined {
  const text = textWith((object as JsonObject)[name], numbers?.get(name)); // its own key
  return text === undefined ? undefined : Buffer.from(text);
}

/** Sets an own member; plain assignment of a client's `__proto__` would set the prototype. */
function define(target: object, name: string, what: PropertyDescriptor): void {
  Object.defineProperty(target, name, { ...what, enumerable: true, configurable: true });
}

/** JSON Schema of function parameters, cut down to what Gemini accepts. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt } from '../json/json.ts';

const KEPT: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'default',
  'example',
  'items',
  'minItems',
  'maxItems',
  'enum',
  'properties',
  'propertyOrdering',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'anyOf',
]);

// References are expanded in place, so a small document can grow without bound: beyond these limits it is a plain object.
const MAX_NODES = 10_000;
const MAX_DEPTH = 64;
const OPAQUE: JsonObject = { type: 'object' };

/** The position of a node and its references. */
interface SchemaContext {
  readonly definitions: ReadonlyMap<string, JsonObject>;
  /** References being resolved around this node. */
  readonly open: readonly string[];
  readonly depth: number;
  readonly count: { nodes: number };
}

/** A schema without keywords Gemini refuses: references resolved, null folded into `nullable`. The input stays as it is. */
export function toGeminiSchema(schema: JsonObject): JsonObject {
  return clean(schema, { definitions: definitionsOf(schema), open: [], depth: 0, count: { nodes: 0 } });
}

function definitionsOf(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const definitions = new Map<string, JsonObject>();
  for (const group of ['definitions', '$defs']) {
    for (const [name, schema] of Object.entries(objectAt(root, group) ?? {})) {
      if (isObject(schema)) definitions.set(`#/${group}/${name}`, schema);
    }
  }
  return definitions;
}

function clean(node: JsonObject, around: SchemaContext): JsonObject {
  around.count.nodes += 1;
  if (around.depth > MAX_DEPTH || around.count.nodes > MAX_NODES) return OPAQUE;
  const place = { ...around, depth: around.depth + 1 };
  const resolved = resolve(node, place);
  if (resolved !== undefined) return clean(resolved.node, resolved.place);
  const single = mergeSingle(node);
  if (single !== undefined) return clean(single, place);
  const plain = foldValues(foldTypes(foldUnions(node)));
  return Object.fromEntries(
    Object.entries(plain)
      .filter(([key]) => KEPT.has(key))
      .map(([key, value]) => [key, cleanMember(key, value, place)])
      .filter(([, value]) => value !== undefined),
  );
}

/** `properties` holds names, so its keys are never read as keywords. */
function cleanMember(key: string, value: unknown, place: SchemaContext): unknown {
  const child = (schema: unknown): JsonObject => (isObject(schema) ? clean(schema, place) : {});
  if (key === 'properties') {
    if (!isObject(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, child(schema)]));
  }
  if (key === 'items') return isObject(value) ? child(value) : undefined;
  if (key === 'anyOf') return Array.isArray(value) ? value.map(child) : undefined;
  return value;
}

/** The target of a reference, overridden by its siblings; undefined when the node is not a reference. */
function resolve(node: JsonObject, place: SchemaContext): { node: JsonObject; place: SchemaContext } | undefined {
  const { $ref: reference, ...siblings } = node;
  if (typeof reference !== 'string') return undefined;
  const pointer = decodePointer(reference);
  if (pointer === '#' || place.open.includes(pointer)) return { node: { ...OPAQUE, ...siblings }, place };
  const target = place.definitions.get(pointer) ?? {};
  return { node: { ...target, ...siblings }, place: { ...place, open: [...place.open, pointer] } };
}

/** RFC 6901 inside a URI fragment: percent-encoding first, then `~1` and `~0`. */
function decodePointer(reference: string): string {
  let text = reference;
  try {
    text = decodeURIComponent(reference);
  } catch {
    // An unencoded percent sign: the text is used literally.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

const isNullSchema = (schema: unknown): boolean =>
  isObject(schema) && (schema['type'] === 'null' || ('const' in schema && schema['const'] === null));

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A union with one member besides null, or an `allOf` of one, is that member; the parent's own keywords win. */
function mergeSingle(node: JsonObject): JsonObject | undefined {
  const { anyOf, oneOf, allOf, ...rest } = node;
  const all = listOf(allOf);
  if (all.length === 1 && isObject(all[0])) {
    return { ...all[0], ...rest, ...(anyOf === undefined ? {} : { anyOf }), ...(oneOf === undefined ? {} : { oneOf }) };
  }
  const members = [...listOf(anyOf), ...listOf(oneOf)];
  const [only, ...others] = members.filter((member) => !isNullSchema(member));
  if (others.length > 0 || !isObject(only)) return undefined;
  return { ...only, ...rest, ...(members.length > 1 ? { nullable: true } : {}) };
}

/** `oneOf` becomes `anyOf`, null members become `nullable`. */
function foldUnions(node: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = node;
  const members = [...listOf(anyOf), ...listOf(oneOf)];
  if (members.length === 0) return rest;
  const named = members.filter((member) => !isNullSchema(member));
  return {
    ...rest,
    ...(named.length > 0 ? { anyOf: named } : {}),
    ...(named.length < members.length ? { nullable: true } : {}),
  };
}

/** A list of types is a union of single types, `null` among them is `nullable`. */
function foldTypes(node: JsonObject): JsonObject {
  const { type, ...rest } = node;
  if (!Array.isArray(type)) return node;
  const named = type.filter((name) => name !== 'null');
  const nullable = named.length < type.length ? { nullable: true } : {};
  if (named.length === 1) return { ...rest, type: named[0], ...nullable };
  if (named.length === 0 || rest['anyOf'] !== undefined) return { ...rest, ...nullable };
  return { ...rest, anyOf: named.map((name) => ({ type: name })), ...nullable };
}

/** One allowed value is an `enum` of one; a null among allowed values is `nullable`. */
function foldValues(node: JsonObject): JsonObject {
  const { const: value, enum: list, ...rest } = node;
  const values = 'const' in node ? [value] : list;
  if (!Array.isArray(values)) return rest;
  const named = values.filter((item) => item !== null);
  return {
    ...rest,
    ...(named.length > 0 ? { enum: named } : {}),
    ...(named.length < values.length ? { nullable: true } : {}),
  };
}

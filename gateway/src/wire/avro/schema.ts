/** The schema of a file. Source: Apache Avro specification, "Schema Declaration". */
import { isObject } from '@gatehouse/crds';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import type { JsonObject } from '../contract.ts';
import { textAt } from '../json/json.ts';
import { AvroProblem } from './problem.ts';

const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;
type Primitive = (typeof PRIMITIVES)[number];

export type AvroType =
  | { readonly kind: Primitive }
  /** Units: bytes. */
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly items: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[] };

export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
}

const JSON_LIMITS: JsonLimits = { depth: 64, nodes: 20_000, stringBytes: 64 * 1024 };
/** Longest `fixed`, in bytes. */
const MAX_FIXED = 1024 * 1024;
/** Of a name, a namespace, or a symbol: long ones are not joined, hashed or compared. */
const MAX_NAME_CHARACTERS = 256;
/** Of the whole schema. */
const MAX_NAMED_TYPES = 256;
const MAX_FIELDS = 1_000;

/** Logical types, orders, aliases and defaults do not change how bytes are read. Throws AvroProblem. */
export function parseSchema(text: Buffer): AvroType {
  return new SchemaReader().read(parsed(text), '');
}

function parsed(text: Buffer): unknown {
  try {
    return readJson(text, JSON_LIMITS, { repeated: false });
  } catch {
    throw new AvroProblem('its schema is no JSON, or too large');
  }
}

const unknownType = (): AvroProblem => new AvroProblem('its schema has a type that is not known');

class SchemaReader {
  readonly #named = new Map<string, AvroType>();
  #fields = 0;

  /** `space`: the namespace that names without one are in. */
  read(schema: unknown, space: string): AvroType {
    if (typeof schema === 'string') return this.#byName(schema, space);
    if (Array.isArray(schema)) return { kind: 'union', branches: schema.map((branch) => this.read(branch, space)) };
    if (!isObject(schema)) throw unknownType();
    const { type } = schema;
    if (type === 'array') return { kind: type, items: this.read(schema['items'], space) };
    if (type === 'map') return { kind: type, items: this.read(schema['values'], space) };
    if (type === 'record' || type === 'enum' || type === 'fixed') return this.#define(type, schema, space);
    return this.read(type, space);
  }

  #byName(name: string, space: string): AvroType {
    const primitive = PRIMITIVES.find((known) => known === name);
    if (primitive !== undefined) return { kind: primitive };
    checkName(name);
    const named = this.#named.get(fullName(name, space)) ?? this.#named.get(name);
    if (named === undefined) throw unknownType();
    return named;
  }

  #define(kind: 'record' | 'enum' | 'fixed', schema: JsonObject, outer: string): AvroType {
    const own = checkName(textAt(schema, 'name') ?? '');
    const name = fullName(own, checkName(textAt(schema, 'namespace') ?? outer));
    if (this.#named.has(name)) throw new AvroProblem('its schema defines a name twice');
    if (kind === 'enum') return this.#keep(name, { kind, symbols: textsOf(schema['symbols']) });
    if (kind === 'fixed') return this.#keep(name, { kind, size: sizeOf(schema['size']) });
    const fields: AvroField[] = [];
    // Known before its fields are read: they may name it.
    const record = this.#keep(name, { kind, fields });
    const space = name.slice(0, Math.max(name.lastIndexOf('.'), 0));
    for (const { name: field, type } of this.#fieldsOf(schema))
      fields.push({ name: field, type: this.read(type, space) });
    return record;
  }

  #fieldsOf(schema: JsonObject): readonly { readonly name: string; readonly type: unknown }[] {
    const list = listOf(schema['fields']);
    this.#fields += list.length;
    if (this.#fields > MAX_FIELDS) throw new AvroProblem(`its schema has more than ${MAX_FIELDS} fields`);
    const names = new Set<string>();
    return list.map((field) => {
      const own = isObject(field) ? textAt(field, 'name') : undefined;
      if (!isObject(field) || own === undefined || names.has(checkName(own))) {
        throw new AvroProblem('its schema has a field without a name of its own');
      }
      names.add(own);
      return { name: own, type: field['type'] };
    });
  }

  #keep(name: string, type: AvroType): AvroType {
    if (this.#named.size === MAX_NAMED_TYPES)
      throw new AvroProblem(`its schema names more than ${MAX_NAMED_TYPES} types`);
    this.#named.set(name, type);
    return type;
  }
}

function checkName(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  throw new AvroProblem(`its schema has a name of more than ${MAX_NAME_CHARACTERS} characters`);
}

const fullName = (name: string, space: string): string =>
  space === '' || name.includes('.') ? name : `${space}.${name}`;

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new AvroProblem('its schema has no list where there has to be one');
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).map((symbol) => {
    if (typeof symbol === 'string') return checkName(symbol);
    throw new AvroProblem('its schema has a symbol that is no text');
  });
}

function sizeOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FIXED) return value;
  throw new AvroProblem('its schema has a size that cannot be read');
}

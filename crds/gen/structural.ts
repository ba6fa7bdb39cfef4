/**
 * Converts zod schemas to the structural schemas of CustomResourceDefinitions. A schema without a structural form stops the build
 * with its path.
 */
import { RE2JS } from 're2js';
import { z } from 'zod';
import { type Rule, ruleRegistry } from '../src/schema/index.ts';

/** A node of a structural schema, `x-kubernetes-*` extensions included. */
export interface Structural {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  items?: Structural;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Structural>;
  required?: readonly string[];
  additionalProperties?: Structural;
  maxProperties?: number;
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-validations'?: readonly Validation[];
}

export interface Validation {
  readonly rule: string;
  readonly message: string;
  readonly reason?: string;
  readonly fieldPath?: string;
}

/** A rule with the path of its node: `spec.config.targets[]`; `[]` is any item. */
export interface RuleAtPath {
  readonly path: string;
  readonly rule: Rule;
}

export interface Conversion {
  readonly schema: Structural;
  readonly rules: readonly RuleAtPath[];
}

/** How often a recursive reference is written out before it turns opaque. */
export const UNROLLED_LEVELS = 2;

export interface ConversionOptions {
  readonly levels?: number;
  /**
   * Whether members of list items have their defaults. `kubectl apply` replaces lists of custom resources as a whole, so that it
   * would write an unchanged object again for each default in a list; whoever parses the object fills them in.
   */
  readonly defaultsInLists?: boolean;
}

interface Walk extends Required<ConversionOptions> {
  readonly path: string;
  readonly level: number;
  readonly rules: RuleAtPath[];
  /** Within the items of a list. */
  readonly inList: boolean;
  /** Members that identify the item of a list that this node is. */
  readonly keys: readonly string[];
}

/** Converts the schema at `path`. Throws with the path of a schema that has no structural form. */
export function toStructural(
  schema: z.ZodType,
  path: string,
  { levels = UNROLLED_LEVELS, defaultsInLists = false }: ConversionOptions = {},
): Conversion {
  const rules: RuleAtPath[] = [];
  const walk = { path, level: 0, levels, defaultsInLists, rules, inList: false, keys: [] };
  return { schema: convert(schema, walk), rules };
}

function refuse(here: Walk, problem: string): never {
  throw new Error(`${here.path}: ${problem}`);
}

function convert(schema: z.ZodType, here: Walk): Structural {
  const { inner, hasDefault, fallback } = unwrap(schema, here);
  const meta = { ...inner.meta(), ...schema.meta() };
  const rules = ruleRegistry.get(inner)?.rules ?? [];
  refuseUnexplained(inner, meta, rules.length > 0, here);
  const applied = rules.filter(({ into }) => into === undefined || here.level < here.levels);
  here.rules.push(...applied.map((rule) => ({ path: here.path, rule })));
  const node = convertBare(inner, meta, here);
  const validations = [
    ...applied.map(toValidation),
    ...immutability(meta),
    ...(node['x-kubernetes-validations'] ?? []),
  ];
  return {
    ...(meta.description === undefined ? {} : { description: meta.description }),
    ...node,
    ...(hasDefault && (!here.inList || here.defaultsInLists) ? { default: fallback } : {}),
    ...(validations.length === 0 ? {} : { 'x-kubernetes-validations': validations }),
  };
}

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly hasDefault: boolean;
  readonly fallback?: unknown;
}

function unwrap(schema: z.ZodType, here: Walk): Unwrapped {
  if (!(schema instanceof z.ZodDefault)) return { inner: schema, hasDefault: false };
  const inner = schema.unwrap() as z.ZodType;
  if (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional)
    refuse(here, 'a default around a default or optional');
  const fallback: unknown = schema.def.defaultValue;
  if (typeof fallback === 'object' && !Array.isArray(fallback)) refuse(here, 'a default that is an object');
  if (!inner.safeParse(fallback).success) refuse(here, 'a default the schema refuses');
  return { inner, hasDefault: true, fallback };
}

type Meta = z.GlobalMeta;

/** Checks that a schema cannot carry need a rule, a structural keyword, or the note that only the webhook runs them. */
function refuseUnexplained(schema: z.ZodType, meta: Meta, hasRules: boolean, here: Walk): void {
  const checks = (schema.def.checks ?? []).filter((check) => check._zod.def.check === 'custom').length;
  const explained = [
    hasRules,
    meta.maxProperties !== undefined,
    meta.format !== undefined,
    meta.webhookOnly !== undefined,
    meta.listType === 'set' || meta.listType === 'map',
  ].filter(Boolean).length;
  if (checks > explained) refuse(here, 'a refinement without a rule');
}

/** A rule as the API server takes it. */
export const toValidation = ({ cel, message, reason, at }: Rule): Validation => ({
  rule: cel,
  message,
  ...(reason === undefined ? {} : { reason }),
  ...(at === undefined ? {} : { fieldPath: `.${at}` }),
});

const immutability = ({ immutable }: Meta): Validation[] =>
  immutable === undefined ? [] : [{ rule: 'self == oldSelf', message: immutable, reason: 'FieldValueForbidden' }];

function convertBare(schema: z.ZodType, meta: Meta, here: Walk): Structural {
  if (meta.opaque === true) return convertOpaque(schema, meta);
  if (schema instanceof z.ZodObject) return convertObject(schema, here);
  if (schema instanceof z.ZodArray) return convertArray(schema, meta, here);
  if (schema instanceof z.ZodRecord) return convertMap(schema, meta, here);
  if (schema instanceof z.ZodUnion) return convertUnion(schema, here);
  return convertScalar(schema, here);
}

function convertOpaque(schema: z.ZodType, { maxProperties }: Meta): Structural {
  return {
    ...(schema instanceof z.ZodRecord ? { type: 'object' as const } : {}),
    ...(maxProperties === undefined ? {} : { maxProperties }),
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

function convertObject(schema: z.ZodObject, here: Walk): Structural {
  const catchall = schema.def.catchall;
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) refuse(here, 'an object that takes unknown members');
  const properties: Record<string, Structural> = {};
  const required: string[] = [];
  const frozen: Validation[] = [];
  for (const [name, member] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const optional = member instanceof z.ZodOptional;
    const inner = optional ? (member.unwrap() as z.ZodType) : member;
    const isKey = here.keys.includes(name); // the API server needs the keys of an item
    properties[name] = convert(inner, {
      ...here,
      path: `${here.path}.${name}`,
      inList: here.inList && !isKey,
      keys: [],
    });
    if (!optional && !(inner instanceof z.ZodDefault)) required.push(name);
    if (optional) frozen.push(...frozenPresence(name, inner.meta()));
  }
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties,
    ...(frozen.length === 0 ? {} : { 'x-kubernetes-validations': frozen }),
  };
}

/** A transition rule of a member does not run when the member comes or goes; its parent watches that. */
function frozenPresence(name: string, meta: Meta | undefined): Validation[] {
  if (meta?.immutable === undefined) return [];
  const rule = `has(self.${name}) == has(oldSelf.${name})`;
  return [{ rule, message: meta.immutable, reason: 'FieldValueForbidden', fieldPath: `.${name}` }];
}

function convertArray(schema: z.ZodArray, meta: Meta, here: Walk): Structural {
  const { listType, listMapKeys, recursive, recursiveMaxItems } = meta;
  if (listType === undefined) refuse(here, 'a list without a list type');
  const items = convertItems(schema, recursive === true, { ...here, inList: true, keys: listMapKeys ?? [] });
  if (listType === 'set' && !isScalar(items)) refuse(here, 'a set of anything but scalars');
  if (listType === 'map') refuseUnkeyed(items, listMapKeys ?? [], here);
  const { minItems, maxItems } = bounds(schema);
  const atMost = here.level > 0 ? (recursiveMaxItems ?? maxItems) : maxItems;
  return {
    type: 'array',
    items,
    ...(minItems === undefined ? {} : { minItems }),
    ...(atMost === undefined ? {} : { maxItems: atMost }),
    'x-kubernetes-list-type': listType,
    ...(listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': listMapKeys }),
  };
}

function convertItems(schema: z.ZodArray, isRecursive: boolean, here: Walk): Structural {
  const level = here.level + (isRecursive ? 1 : 0);
  if (level > here.levels && isRecursive) return OPAQUE_OBJECT;
  return convert(schema.element as z.ZodType, { ...here, path: `${here.path}[]`, level });
}

const isScalar = ({ type }: Structural): boolean => type !== undefined && type !== 'object' && type !== 'array';

const OPAQUE_OBJECT: Structural = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function refuseUnkeyed(items: Structural, keys: readonly string[], here: Walk): void {
  if (keys.length === 0) refuse(here, 'a map list without keys');
  for (const key of keys) {
    const member = items.properties?.[key];
    if (member === undefined) refuse(here, `a map list whose items have no ${key}`);
    if (!items.required?.includes(key) && member.default === undefined) {
      refuse(here, `the map key ${key} is neither required nor defaulted`);
    }
  }
}

function convertMap(schema: z.ZodRecord, { maxProperties }: Meta, here: Walk): Structural {
  const additionalProperties = convert(schema.valueType as z.ZodType, { ...here, path: `${here.path}.*` });
  if (additionalProperties.type !== 'string') refuse(here, 'a map to anything but text');
  return { type: 'object', additionalProperties, ...(maxProperties === undefined ? {} : { maxProperties }) };
}

/** The only union of structural schemas: an integer or a string. */
function convertUnion(schema: z.ZodUnion, here: Walk): Structural {
  const options = schema.options.map((option) => convert(option as z.ZodType, here));
  const number = options.find(({ type }) => type === 'integer');
  const text = options.find(({ type }) => type === 'string');
  if (options.length !== 2 || number === undefined || text === undefined) refuse(here, 'a union');
  const { pattern, maxLength } = text;
  return {
    ...(pattern === undefined ? {} : { pattern }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(number.minimum === undefined ? {} : { minimum: number.minimum }),
    'x-kubernetes-int-or-string': true,
  };
}

const SCALARS = [z.ZodString, z.ZodNumber, z.ZodNumberFormat, z.ZodBoolean, z.ZodEnum] as const;

/** Checks that z.toJSONSchema turns into keywords a structural schema has too. */
const KEYWORD_CHECKS: ReadonlySet<string> = new Set([
  'min_length',
  'max_length',
  'string_format',
  'greater_than',
  'less_than',
  'number_format',
  'custom',
]);

function convertScalar(schema: z.ZodType, here: Walk): Structural {
  if (!SCALARS.some((scalar) => schema instanceof scalar)) refuse(here, `a ${schema.type}`);
  for (const check of schema.def.checks ?? []) {
    if (!KEYWORD_CHECKS.has(check._zod.def.check)) refuse(here, `the check ${check._zod.def.check}`);
  }
  const { type, format, enum: values, pattern, ...rest } = bounds(schema);
  if (rest.allOf !== undefined) refuse(here, 'more than one pattern');
  if (pattern !== undefined) refuseNonRe2(pattern, here);
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === 'integer' ? { format: integerFormat(rest) } : {}),
    ...(format === 'date-time' ? { format } : {}),
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern }),
    ...pick(rest),
  };
}

interface Keywords extends Structural {
  readonly allOf?: unknown;
}

function bounds(schema: z.ZodType): Keywords {
  // The cast narrows JSON Schema to the keywords read here; unknown ones are refused by the callers or have no meaning.
  return z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' }) as Keywords;
}

const LARGEST_INT32 = 2 ** 31 - 1;

const integerFormat = ({ minimum = -Infinity, maximum = Infinity }: Keywords): string =>
  minimum >= -LARGEST_INT32 && maximum <= LARGEST_INT32 ? 'int32' : 'int64';

/** The bounds that say something: zod adds those of exact integers. */
function pick({ minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Keywords): Structural {
  return {
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(minimum === undefined || minimum === -Number.MAX_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
    ...(exclusiveMaximum === undefined ? {} : { exclusiveMaximum }),
  };
}

function refuseNonRe2(pattern: string, here: Walk): void {
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    refuse(here, `a pattern RE2 cannot run: ${error instanceof Error ? error.message : pattern}`);
  }
}

import { isObject } from '@gatehouse/crds';
import { type JsonObject, readCount, readList, readNumber, readObject, readString, readStrings } from '../json.ts';

// Bounds against schemas that describe endless or enormous values.
const MAX_NODES = 2_000;
const MAX_DEPTH = 32;
const MAX_ITEMS = 100;
const MAX_TEXT_CHARACTERS = 10_000;
const MAX_CHARACTERS = 1024 * 1024; // of all texts of a sample; those after it are empty
// From this depth on only what a schema requires is written, so that recursive schemas end.
const TERSE_DEPTH = 4;

interface SchemaPosition {
  readonly name: string;
  readonly depth: number;
}

interface SampleRun {
  readonly root: JsonObject;
  readonly text: string;
  nodesLeft: number;
  charactersLeft: number;
}

type Sampler = (schema: JsonObject, place: SchemaPosition, run: SampleRun) => unknown;

const SAMPLERS: ReadonlyMap<string, Sampler> = new Map<string, Sampler>([
  ['object', sampleMembers],
  ['array', sampleItems],
  ['string', sampleText],
  ['integer', (schema) => sampleNumber(schema, 1)],
  ['number', (schema) => sampleNumber(schema, undefined)],
  ['boolean', () => true],
  ['null', () => null],
]);

/**
 * A plausible value of a JSON Schema or of Gemini's dialect of it, always the same for the same schema and text.
 * `text` is what texts such as `query` are filled with. Not honoured: `pattern`, `not`, conditional keywords, remote references.
 */
export function sampleSchema(schema: unknown, text: string): unknown {
  const root = isObject(schema) ? schema : {};
  return sample(root, { name: '', depth: 0 }, { root, text, nodesLeft: MAX_NODES, charactersLeft: MAX_CHARACTERS });
}

function sample(schema: unknown, place: SchemaPosition, run: SampleRun): unknown {
  run.nodesLeft -= 1;
  if (!isObject(schema) || place.depth > MAX_DEPTH || run.nodesLeft < 0) return null;
  const whole = mergeAllOf(resolveReference(schema, run), run);
  if ('const' in whole) return whole['const'];
  const [given] = readList(whole, 'enum') ?? readList(whole, 'examples') ?? [];
  if (given !== undefined) return given;
  if (whole['default'] !== undefined) return whole['default'];
  const variants = readList(whole, 'anyOf') ?? readList(whole, 'oneOf');
  if (variants !== undefined && variants.length > 0) {
    return sample(chooseVariant(whole, variants, place.depth), { ...place, depth: place.depth + 1 }, run);
  }
  return SAMPLERS.get(typeOf(whole))?.(whole, place, run) ?? null;
}

function typeOf(schema: JsonObject): string {
  const types = readStrings(schema, 'type').map((type) => type.toLowerCase()); // Gemini writes STRING
  const named = types.find((type) => type !== 'null') ?? types[0];
  if (named !== undefined) return named;
  if ('items' in schema) return 'array';
  return 'properties' in schema ? 'object' : 'string';
}

/** The first variant that is not null, or null itself where the sample has to end; members beside anyOf also apply. */
function chooseVariant(schema: JsonObject, variants: readonly unknown[], depth: number): JsonObject {
  const { anyOf: _, oneOf: __, ...beside } = schema;
  const isNull = (variant: unknown): boolean => isObject(variant) && variant['type'] === 'null';
  const plain = variants.find((variant) => !isNull(variant));
  const chosen = depth >= TERSE_DEPTH ? (variants.find(isNull) ?? plain) : (plain ?? variants[0]);
  return { ...beside, ...(isObject(chosen) ? chosen : {}) };
}

function sampleMembers(schema: JsonObject, place: SchemaPosition, run: SampleRun): unknown {
  const properties = readObject(schema, 'properties') ?? {};
  const required = readStrings(schema, 'required');
  const names = place.depth < TERSE_DEPTH ? new Set([...Object.keys(properties), ...required]) : new Set(required);
  const depth = place.depth + 1;
  return Object.fromEntries(
    Array.from(names)
      .slice(0, MAX_NODES)
      .map((name) => [name, sample(ownMember(properties, name) ?? {}, { name, depth }, run)]),
  );
}

function sampleItems(schema: JsonObject, place: SchemaPosition, run: SampleRun): unknown {
  const prefix = readList(schema, 'prefixItems') ?? [];
  const least = Math.max(readCount(schema, 'minItems') ?? 0, prefix.length);
  const most = readCount(schema, 'maxItems') ?? MAX_ITEMS;
  const wished = place.depth < TERSE_DEPTH ? Math.max(least, 1) : least;
  const length = Math.min(wished, most, MAX_ITEMS);
  const below = { name: place.name, depth: place.depth + 1 };
  return Array.from({ length }, (_, index) => sample(prefix[index] ?? schema['items'] ?? {}, below, run));
}

function sampleNumber(schema: JsonObject, defaultStep: number | undefined): number {
  const step = readNumber(schema, 'multipleOf') || defaultStep;
  const above = readNumber(schema, 'exclusiveMinimum');
  const below = readNumber(schema, 'exclusiveMaximum');
  const low = readNumber(schema, 'minimum') ?? (above === undefined ? undefined : above + (step ?? 1));
  const high = readNumber(schema, 'maximum') ?? (below === undefined ? undefined : below - (step ?? 1));
  const wished = low !== undefined && high !== undefined ? (low + high) / 2 : (low ?? Math.min(high ?? 1, 1));
  if (step === undefined) return wished;
  const up = Math.ceil(wished / step) * step;
  return high !== undefined && up > high ? Math.floor(wished / step) * step : up;
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-01T12:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '12:00:00Z'],
  ['duration', 'PT1H'],
  ['email', 'ada@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000001'],
]);

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['city', 'Paris'],
  ['location', 'Paris'],
  ['country', 'France'],
  ['language', 'en'],
  ['currency', 'EUR'],
  ['unit', 'celsius'],
  ['name', 'Ada Lovelace'],
  ['email', 'ada@example.com'],
  ['url', 'https://example.com/'],
  ['date', '2026-01-01'],
  ['time', '12:00'],
]);

const REPEATS_USER = new Set(['answer', 'content', 'input', 'message', 'prompt', 'q', 'query', 'question', 'text']);

function sampleText(schema: JsonObject, { name }: SchemaPosition, run: SampleRun): string {
  const { text } = run;
  const format = FORMATS.get(readString(schema, 'format') ?? '');
  if (format !== undefined) return format;
  const key = name.toLowerCase();
  const plain = REPEATS_USER.has(key) && text !== '' ? text : (BY_NAME.get(key) ?? `mock ${name || 'text'}`);
  const least = Math.min(readCount(schema, 'minLength') ?? 0, MAX_TEXT_CHARACTERS);
  const room = Math.min(MAX_TEXT_CHARACTERS, run.charactersLeft);
  const most = Math.min(readCount(schema, 'maxLength') ?? room, room);
  const sampled = Array.from(plain.slice(0, 2 * most).padEnd(least, '.')).slice(0, most);
  run.charactersLeft -= sampled.length;
  return sampled.join(''); // JSON Schema counts code points
}

function resolveReference(schema: JsonObject, run: SampleRun): JsonObject {
  let resolved = schema;
  for (let hops = 0; hops < MAX_DEPTH; hops += 1) {
    const reference = readString(resolved, '$ref');
    if (reference === undefined) return resolved;
    const { $ref: _, ...siblings } = resolved;
    resolved = { ...lookUp(reference, run.root), ...siblings };
  }
  return {};
}

/** RFC 6901, within the document only. */
function lookUp(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith('#')) return {};
  let node: unknown = root;
  for (const segment of reference.slice(1).split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    node = isObject(node) ? ownMember(node, key) : undefined;
  }
  return isObject(node) ? node : {};
}

function mergeAllOf(schema: JsonObject, run: SampleRun): JsonObject {
  const { allOf: _, ...own } = schema;
  const parts = readList(schema, 'allOf');
  if (parts === undefined) return schema;
  const merged = [own, ...parts.slice(0, MAX_ITEMS)].filter(isObject).map((part) => resolveReference(part, run));
  return {
    ...Object.assign({}, ...merged),
    properties: Object.assign({}, ...merged.map((part) => readObject(part, 'properties') ?? {})),
    required: merged.flatMap((part) => readStrings(part, 'required')),
  };
}

function ownMember(from: JsonObject, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}

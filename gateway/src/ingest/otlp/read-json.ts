/** OTLP as JSON. Source: OpenTelemetry protocol specification, JSON Protobuf Encoding. */

import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { scalarText } from '../../lib/scalar-text.ts';
import {
  type Attributes,
  type AttributeValue,
  checkCount,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  MAX_ITEMS,
  MAX_VALUE_DEPTH,
  type OtlpSpan,
  once,
  placeOf,
  type SpanReader,
} from './span.ts';
import { MAX_PART_WORK, Work } from './work.ts';

type Json = Readonly<Record<string, unknown>>;

/** Readers of the spans. They, and this, throw PARAMETER_INVALID, which names the first member that has not the shape of an ExportTraceServiceRequest, and BODY_TOO_COMPLEX. */
export function readJsonSpans(given: unknown): readonly SpanReader[] {
  const readers: SpanReader[] = [];
  let scopes = 0;
  const resources = listAt(objectAt(given, 'the body'), 'resourceSpans', '');
  checkCount('resources', resources.length);
  objectsOf(resources, 'resourceSpans').forEach((resourceSpans, i) => {
    const path = `resourceSpans[${i}].`;
    const resource = once(() => resourceOf(resourceSpans, path));
    const scopeSpans = listAt(resourceSpans, 'scopeSpans', path);
    scopes += scopeSpans.length;
    checkCount('scopes', scopes);
    objectsOf(scopeSpans, `${path}scopeSpans`).forEach((scope, j) => {
      const at = `${path}scopeSpans[${j}].`;
      const spans = listAt(scope, 'spans', at);
      checkCount('spans', readers.length + spans.length);
      objectsOf(spans, `${at}spans`).forEach((span, k) => {
        readers.push(() => spanOf(span, resource(), placeOf(i, j, k)));
      });
    });
  });
  return readers;
}

function resourceOf({ resource }: Json, path: string): Attributes {
  return resource === undefined
    ? NONE
    : attributesOf(objectAt(resource, `${path}resource`), `${path}resource.`, new Work(MAX_PART_WORK));
}

const NONE: Attributes = new Map();

const invalid = (path: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param: path, detail: `Nothing was stored: ${path}: ${rule}` });

function objectAt(value: unknown, path: string): Json {
  if (!isObject(value)) throw invalid(path, 'expected an object');
  return value;
}

/** A list that may be absent. */
function listAt(owner: Json, name: string, path: string): readonly unknown[] {
  const list = owner[name] ?? [];
  if (!Array.isArray(list)) throw invalid(path + name, 'expected a list');
  return list;
}

const objectsOf = (list: readonly unknown[], path: string): readonly Json[] =>
  list.map((item, i) => objectAt(item, `${path}[${i}]`));

function textAt(owner: Json, name: string, path: string): string {
  const value = owner[name] ?? '';
  if (typeof value !== 'string') throw invalid(`${path}.${name}`, 'expected a text');
  return value;
}

function spanOf(span: Json, resource: Attributes, place: string): OtlpSpan {
  const { status } = span;
  const work = new Work(MAX_PART_WORK);
  const code = status === undefined || status === null ? 0 : objectAt(status, `${place}.status`)['code'];
  return {
    place,
    traceId: textAt(span, 'traceId', place).toLowerCase(),
    spanId: textAt(span, 'spanId', place).toLowerCase(),
    parentSpanId: textAt(span, 'parentSpanId', place).toLowerCase(),
    name: textAt(span, 'name', place),
    startMs: msAt(span, 'startTimeUnixNano', place),
    endMs: msAt(span, 'endTimeUnixNano', place),
    attributes: attributesOf(span, `${place}.`, work),
    events: objectsOf(listAt(span, 'events', `${place}.`).slice(0, MAX_EVENTS), `${place}.events`).map((event, i) => {
      const path = `${place}.events[${i}]`;
      return { name: textAt(event, 'name', path), attributes: attributesOf(event, `${path}.`, work) };
    }),
    failed: code === 2 || code === 'STATUS_CODE_ERROR',
    resource,
  };
}

/** 64-bit numbers are texts of digits; some senders write numbers. */
function msAt(owner: Json, name: string, path: string): number {
  const value = owner[name] ?? 0;
  if (typeof value === 'number' && value >= 0) return value / 1_000_000;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(BigInt(value) / 1_000n) / 1_000;
  throw invalid(`${path}.${name}`, 'is a number of nanoseconds');
}

function attributesOf(owner: Json, path: string, work: Work): Attributes {
  const out = new Map<string, AttributeValue>();
  const pairs = listAt(owner, 'attributes', path).slice(0, MAX_ATTRIBUTES);
  objectsOf(pairs, `${path}attributes`).forEach((pair, i) => {
    const at = `${path}attributes[${i}]`;
    const { value } = pair;
    out.set(
      textAt(pair, 'key', at),
      value === undefined ? null : anyValue(objectAt(value, `${at}.value`), MAX_VALUE_DEPTH, work),
    );
  });
  return out;
}

/** A value that is none of the known kinds is null. */
function anyValue(any: Json, depth: number, work: Work): AttributeValue {
  work.take();
  if (depth === 0) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = any;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (intValue !== undefined) return numberOf(intValue);
  if (doubleValue !== undefined) return numberOf(doubleValue);
  if (isObject(arrayValue)) return valuesOf(arrayValue).map((item) => anyValue(item, depth - 1, work));
  if (isObject(kvlistValue)) {
    const pairs = valuesOf(kvlistValue);
    return Object.fromEntries(
      pairs.map(({ key, value }) => [scalarText(key), isObject(value) ? anyValue(value, depth - 1, work) : null]),
    );
  }
  return typeof bytesValue === 'string' ? bytesValue : null;
}

const valuesOf = ({ values }: Json): readonly Json[] =>
  Array.isArray(values) ? values.slice(0, MAX_ITEMS).filter(isObject) : [];

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

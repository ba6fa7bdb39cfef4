import { isObject } from '@gatehouse/crds';

/** Members whose values never reach a log, at any depth. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'apiKey',
  'api_key',
  'authorization',
  'secret',
  'token',
  'password',
  'credential',
  'fields',
]);
const CENSOR = '[redacted]';
/** Levels that are searched; deeper values are replaced. */
const MAX_DEPTH = 8;

type LogRecord = Record<string, unknown>;

/** The record without secrets; the same object when there is none in it, the common case. */
export function withoutSecrets(record: LogRecord): LogRecord {
  return cleanObject(record, MAX_DEPTH);
}

function cleanObject(record: LogRecord, depth: number): LogRecord {
  let copy: LogRecord | undefined;
  for (const name in record) {
    const value = record[name];
    const clean = SECRET_MEMBERS.has(name) ? CENSOR : cleanValue(value, depth);
    if (clean === value) continue;
    copy ??= Object.assign(Object.create(null) as LogRecord, record); // names may come from clients, `__proto__` too
    copy[name] = clean;
  }
  return copy ?? record;
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value; // errors have a serializer
  if (depth === 0) return CENSOR;
  if (Array.isArray(value)) return cleanList(value, depth - 1);
  return isObject(value) ? cleanObject(value, depth - 1) : value;
}

function cleanList(list: readonly unknown[], depth: number): readonly unknown[] {
  const clean = list.map((value) => cleanValue(value, depth));
  return clean.some((value, at) => value !== list[at]) ? clean : list;
}

import { isObject } from '@gatehouse/crds';
import { largeMembers } from '../../lib/json/index.ts';
import type { BodyHook, Call, JsonObject, RequestTable } from '../contract.ts';

/** What happens to one client parameter. */
interface Rule {
  readonly drop: boolean;
  readonly min: number;
  readonly max: number;
  /** The new path of the value; undefined: unchanged. */
  readonly path: readonly string[] | undefined;
}

interface Injection {
  readonly key: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

interface CompiledTable {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly injections: readonly Injection[];
  readonly only: ReadonlySet<string> | undefined;
  readonly hooks: readonly BodyHook[];
}

/** Means "whatever the provider's default is". */
export const DEFAULT_VALUE = 'gw-default';

// A memo of a pure function: tables are constants of the program, so there are as many entries as tables.
const compiledTables = new WeakMap<RequestTable, CompiledTable>();

/**
 * The client's parameters as the upstream wants them; the same object when nothing changes, so that the client's bytes can
 * be sent. Hooks run first and need the call.
 */
export function shapeBody(table: RequestTable, params: JsonObject, call?: Call): JsonObject {
  const compiled = compileTable(table);
  let body = params;
  if (call !== undefined) for (const hook of compiled.hooks) body = hook(body, call);
  return needsChange(compiled, body) ? applyTable(compiled, body) : body;
}

/** The parameters without those whose value is left to the provider; the same object when there are none. */
export function withoutPlaceholders(params: JsonObject): JsonObject {
  const entries = Object.entries(params);
  const kept = entries.filter(([, value]) => value !== DEFAULT_VALUE);
  return kept.length === entries.length ? params : Object.fromEntries(kept);
}

function compileTable(table: RequestTable): CompiledTable {
  const known = compiledTables.get(table);
  if (known !== undefined) return known;
  const { rename = {}, drop = [], clamp = {}, inject = {}, only, hooks = [] } = table;
  const names = new Set([...Object.keys(rename), ...drop, ...Object.keys(clamp)]);
  const compiled: CompiledTable = {
    rules: new Map(
      [...names].map((name) => [
        name,
        {
          drop: drop.includes(name),
          min: clamp[name]?.min ?? Number.NEGATIVE_INFINITY,
          max: clamp[name]?.max ?? Number.POSITIVE_INFINITY,
          path: rename[name]?.split('.'),
        },
      ]),
    ),
    injections: Object.entries(inject).map(([key, value]) => ({ key, path: (rename[key] ?? key).split('.'), value })),
    only: only === undefined ? undefined : new Set(only),
    hooks,
  };
  compiledTables.set(table, compiled);
  return compiled;
}

/** Most bodies need no change: this check is all they cost. */
function needsChange(table: CompiledTable, body: JsonObject): boolean {
  const large = largeMembers(body);
  for (const key in body) {
    const value = large?.has(key) ? undefined : body[key];
    if (value === DEFAULT_VALUE || table.only?.has(key) === false) return true;
    const rule = table.rules.get(key);
    if (rule === undefined) continue;
    if (rule.drop || rule.path !== undefined) return true;
    if (typeof value === 'number' && (value < rule.min || value > rule.max)) return true;
  }
  return table.injections.some(({ key }) => !large?.has(key) && body[key] === undefined);
}

function applyTable(table: CompiledTable, body: JsonObject): JsonObject {
  const out: Record<string, unknown> = {};
  const moved: (readonly [path: readonly string[], value: unknown])[] = [];
  for (const [key, given] of Object.entries(body)) {
    if (isLeftOut(table, key, given)) continue;
    const rule = table.rules.get(key);
    const value = typeof given === 'number' && rule !== undefined ? clamped(given, rule) : given;
    if (rule?.path === undefined) define(out, key, value);
    else moved.push([rule.path, value]);
  }
  for (const [path, value] of moved) fill(out, path, value);
  for (const { key, path, value } of table.injections) {
    const given = body[key];
    if (given === undefined || given === DEFAULT_VALUE) fill(out, path, value);
  }
  return out;
}

const isLeftOut = (table: CompiledTable, key: string, value: unknown): boolean =>
  value === DEFAULT_VALUE || table.rules.get(key)?.drop === true || table.only?.has(key) === false;

const clamped = (value: number, { min, max }: Rule): number => Math.min(Math.max(value, min), max);

/** Sets an own member; plain assignment of a client's `__proto__` would set the prototype. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true });
  else target[key] = value;
}

/** Sets a nested member unless it has a value: one that the client sent under the upstream's name wins. */
function fill(out: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let place = out;
  for (const key of path.slice(0, -1)) {
    const below = place[key];
    // Copied, because the object may belong to the client's body, which other targets see too.
    const next = isObject(below) ? { ...below } : {};
    place[key] = next;
    place = next;
  }
  const last = path.at(-1) ?? '';
  if (place[last] === undefined || place[last] === null) place[last] = value;
}

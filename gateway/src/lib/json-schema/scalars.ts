/** Keywords that look at one value alone. */
import { isObject } from '@gatehouse/crds';
import { compileRegex } from '../regex.ts';
import type { Steps } from '../steps.ts';
import { canonical, canonicalNow, isScalar } from './canonical.ts';
import { isMultipleOf } from './decimals.ts';
import { FORMATS } from './formats.ts';
import type { Plain, Stepwise } from './node.ts';
import { type Frame, fail, WorkEnded } from './run.ts';

type MakePlain = (operand: unknown) => Plain;

const numbers =
  (holds: (value: number, limit: number) => boolean, message: string): MakePlain =>
  (operand) => {
    const limit = Number(operand);
    return (value, frame) => typeof value !== 'number' || holds(value, limit) || fail(frame, `${message} ${limit}`);
  };

type SizeOf = (value: unknown, frame: Frame) => number | undefined;

/** Of what has a size: undefined for other types. */
const sizes =
  (sizeOf: SizeOf, isLeast: boolean, what: string): MakePlain =>
  (operand) => {
    const limit = Number(operand);
    const message = `must have at ${isLeast ? 'least' : 'most'} ${limit} ${what}`;
    return (value, frame) => {
      const size = sizeOf(value, frame);
      return size === undefined || (isLeast ? size >= limit : size <= limit) || fail(frame, message);
    };
  };

const charactersOf: SizeOf = (value, { work }) => {
  if (typeof value !== 'string') return undefined;
  work.spend(value.length >> 3);
  return countOf(value);
};

const itemsOf: SizeOf = (value) => (Array.isArray(value) ? value.length : undefined);

const membersOf: SizeOf = (value, { work }) => {
  if (!isObject(value)) return undefined;
  const { length } = Object.keys(value);
  work.spend(length);
  return length;
};

/** Code points, as the standard counts characters. */
function countOf(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}

export const PLAIN: ReadonlyMap<string, MakePlain> = new Map<string, MakePlain>([
  ['type', typeOf],
  ['maximum', numbers((value, limit) => value <= limit, 'must be at most')],
  ['exclusiveMaximum', numbers((value, limit) => value < limit, 'must be below')],
  ['minimum', numbers((value, limit) => value >= limit, 'must be at least')],
  ['exclusiveMinimum', numbers((value, limit) => value > limit, 'must be above')],
  ['multipleOf', multipleOf],
  ['maxLength', sizes(charactersOf, false, 'characters')],
  ['minLength', sizes(charactersOf, true, 'characters')],
  ['maxItems', sizes(itemsOf, false, 'items')],
  ['minItems', sizes(itemsOf, true, 'items')],
  ['maxProperties', sizes(membersOf, false, 'members')],
  ['minProperties', sizes(membersOf, true, 'members')],
  ['required', required],
  ['dependentRequired', dependentRequired],
  ['format', format],
]);

function typeOf(operand: unknown): Plain {
  const types = new Set([operand].flat());
  const message = `must be of type ${[...types].join(' or ')}`;
  return (value, frame) => {
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    return types.has(type) || (types.has('integer') && Number.isInteger(value)) || fail(frame, message);
  };
}

/** What exact division costs at most, in units. */
const DIVISION_UNITS = 200;

function multipleOf(operand: unknown): Plain {
  const unit = Number(operand);
  return (value, frame) => {
    if (typeof value !== 'number') return true;
    frame.work.spend(DIVISION_UNITS);
    return isMultipleOf(value, unit) || fail(frame, `must be a multiple of ${unit}`);
  };
}

function required(operand: unknown): Plain {
  const names = operand as readonly string[]; // as the index has checked
  return (value, frame) => !isObject(value) || hasAll(value, names, frame);
}

function hasAll(value: Readonly<Record<string, unknown>>, names: readonly string[], frame: Frame): boolean {
  frame.work.spend(names.length);
  const missing = names.find((name) => !Object.hasOwn(value, name));
  return missing === undefined || fail(frame, `must have the member ${missing}`);
}

function dependentRequired(operand: unknown): Plain {
  const rules = Object.entries(operand as Readonly<Record<string, readonly string[]>>); // as the index has checked
  return (value, frame) =>
    !isObject(value) || rules.every(([name, names]) => !Object.hasOwn(value, name) || hasAll(value, names, frame));
}

/** Formats that are not known here are annotations, as the standard has all of them. */
function format(operand: unknown): Plain {
  const is = FORMATS.get(String(operand));
  if (is === undefined) return () => true;
  return (value, frame) => {
    if (typeof value !== 'string') return true;
    frame.work.spend(value.length >> 3);
    return is(value) || fail(frame, `must have the format ${operand}`);
  };
}

/** One of some values: scalars are looked up, others as texts. */
export function oneOfValues(values: readonly unknown[], message: string): { plain: Plain } | { stepwise: Stepwise } {
  const scalars = new Set(values.filter(isScalar));
  const others = new Set(values.filter((value) => !isScalar(value)).map(canonicalNow));
  if (others.size === 0) return { plain: (value, frame) => scalars.has(value) || fail(frame, message) };
  return {
    *stepwise(value, frame) {
      const isKnown = isScalar(value) ? scalars.has(value) : others.has(yield* canonical(value, frame.work));
      return isKnown || fail(frame, message);
    },
  };
}

export function* hasUniqueItems(value: unknown, frame: Frame): Steps<boolean> {
  if (!Array.isArray(value)) return true;
  const scalars = new Set<unknown>();
  const others = new Set<string>();
  for (const item of value) {
    if (frame.work.spend(2)) yield;
    const isAlone = isScalar(item);
    const size = scalars.size + others.size;
    if (isAlone) scalars.add(item);
    else others.add(yield* canonical(item, frame.work));
    if (scalars.size + others.size === size) return fail(frame, 'must not have an item twice');
  }
  return true;
}

/** A pattern of a user, searched anywhere in a text. */
export function compilePattern(rule: string): (text: string, frame: Frame) => Steps<boolean> {
  const pattern = compileRegex(rule);
  return function* (text, { work }) {
    if (work.spend(PATTERN_UNITS)) yield;
    const tested = pattern.test(text, work.regex);
    const verdict = tested instanceof Promise ? yield tested : tested;
    if (verdict === 'exhausted') throw new WorkEnded();
    return verdict === true;
  };
}

export function matchesPattern(operand: unknown): Stepwise {
  const occursIn = compilePattern(String(operand));
  return function* (value, frame) {
    if (typeof value !== 'string' || (yield* occursIn(value, frame))) return true;
    return fail(frame, 'must match the pattern');
  };
}

/** What a search costs besides its characters, in units. */
const PATTERN_UNITS = 10;

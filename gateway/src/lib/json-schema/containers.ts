/** Keywords that apply schemas to the members of objects and the items of lists. */
import { isObject } from '@gatehouse/crds';
import type { SchemaObject } from '@gatehouse/crds/json-schema';
import type { Steps } from '../steps.ts';
import { applied, tried } from './combine.ts';
import { ALWAYS, type Compiler, type LateNode, type Stepwise } from './node.ts';
import { below, type Frame, fail, isEnough } from './run.ts';
import { compilePattern } from './scalars.ts';

interface Members {
  readonly named: ReadonlyMap<string, LateNode>;
  readonly patterns: readonly { readonly occursIn: ReturnType<typeof compilePattern>; readonly node: LateNode }[];
  readonly others: LateNode | undefined;
}

/** `properties`, `patternProperties` and `additionalProperties`, which depends on them. */
export function members(schema: SchemaObject, compiler: Compiler): Stepwise {
  const entries = (name: string) =>
    Object.entries(Object(schema[name] ?? {})).map(([key, below]) => [key, compiler.node(below)] as const);
  const rules: Members = {
    named: new Map(entries('properties')),
    patterns: entries('patternProperties').map(([rule, node]) => ({ occursIn: compilePattern(rule), node })),
    others: schema['additionalProperties'] === undefined ? undefined : compiler.node(schema['additionalProperties']),
  };
  return function* (value, frame) {
    if (!isObject(value)) return true;
    let holds = true;
    for (const name of Object.keys(value)) {
      if (frame.work.spend(1)) yield;
      if (!concerns(rules, name)) continue;
      holds = (yield* member(name, value[name], { rules, frame })) && holds;
      if (!holds && isEnough(frame)) return false;
    }
    return holds;
  };
}

const concerns = ({ named, patterns, others }: Members, name: string): boolean =>
  patterns.length > 0 || others !== undefined || named.has(name);

/** What a member costs besides the schemas for it, in units. */
const MEMBER_UNITS = 8;

interface MemberOptions {
  readonly rules: Members;
  readonly frame: Frame;
}

function* member(name: string, value: unknown, { rules, frame }: MemberOptions): Steps<boolean> {
  if (frame.work.spend(MEMBER_UNITS)) yield;
  const inner = below(frame, name);
  const named = rules.named.get(name);
  let isKnown = named !== undefined;
  let holds = named === undefined || (yield* applied(named, value, inner));
  for (const { occursIn, node } of rules.patterns) {
    if (!(yield* occursIn(name, frame))) continue;
    isKnown = true;
    holds = (yield* applied(node, value, inner)) && holds;
  }
  if (!isKnown && rules.others !== undefined) {
    isKnown = true;
    holds = (yield* applied(rules.others, value, inner)) && holds;
  }
  if (isKnown) frame.evaluated?.names.add(name);
  return holds;
}

export function propertyNames(operand: unknown, compiler: Compiler): Stepwise {
  const node = compiler.node(operand);
  return function* (value, frame) {
    if (!isObject(value)) return true;
    for (const name of Object.keys(value)) {
      if (!(yield* applied(node, name, below(frame, name)))) return false;
    }
    return true;
  };
}

export function unevaluatedProperties(operand: unknown, compiler: Compiler): Stepwise {
  const node = compiler.node(operand);
  return function* (value, frame) {
    const { evaluated } = frame;
    if (!isObject(value) || evaluated === undefined || evaluated.allNames) return true;
    for (const name of Object.keys(value)) {
      if (frame.work.spend(1)) yield;
      if (!evaluated.names.has(name) && !(yield* applied(node, value[name], below(frame, name)))) return false;
    }
    evaluated.allNames = true;
    return true;
  };
}

/** `prefixItems` and `items`, which is for those behind them. */
export function items(schema: SchemaObject, compiler: Compiler): Stepwise {
  const first = [schema['prefixItems'] ?? []].flat().map((one) => compiler.node(one));
  const rest = schema['items'] === undefined ? undefined : compiler.node(schema['items']);
  return function* (value, frame) {
    if (!Array.isArray(value)) return true;
    const end = rest === undefined ? Math.min(first.length, value.length) : value.length;
    let holds = true;
    for (let i = 0; i < end && (holds || !isEnough(frame)); i += 1) {
      holds = (yield* applied(first[i] ?? rest ?? NO_RULE, value[i], below(frame, i))) && holds;
    }
    if (frame.evaluated !== undefined) frame.evaluated.firstItems = Math.max(frame.evaluated.firstItems, end);
    return holds;
  };
}

const NO_RULE: LateNode = () => ALWAYS;

/** `contains` with its two bounds. */
export function contains(schema: SchemaObject, compiler: Compiler): Stepwise {
  const node = compiler.node(schema['contains']);
  const least = Number(schema['minContains'] ?? 1);
  const most = Number(schema['maxContains'] ?? Number.POSITIVE_INFINITY);
  return function* (value, frame) {
    if (!Array.isArray(value)) return true;
    let count = 0;
    for (const [i, item] of value.entries()) {
      if (!(yield* tried(node, item, below(frame, i)))) continue;
      frame.evaluated?.items.add(i);
      count += 1;
      if (count > most) return fail(frame, `must have at most ${most} items that match contains`);
      if (count >= least && most === Number.POSITIVE_INFINITY && frame.evaluated === undefined) return true;
    }
    return count >= least || fail(frame, `must have at least ${least} items that match contains`);
  };
}

export function unevaluatedItems(operand: unknown, compiler: Compiler): Stepwise {
  const node = compiler.node(operand);
  return function* (value, frame) {
    const { evaluated } = frame;
    if (!Array.isArray(value) || evaluated === undefined) return true;
    for (let i = evaluated.firstItems; i < value.length; i += 1) {
      if (frame.work.spend(1)) yield;
      if (!evaluated.items.has(i) && !(yield* applied(node, value[i], below(frame, i)))) return false;
    }
    evaluated.firstItems = value.length;
    return true;
  };
}

/** Keywords that apply other schemas to the same value. */
import { isObject } from '@gatehouse/crds';
import type { SchemaNode } from '@gatehouse/crds/json-schema';
import type { Steps } from '../steps.ts';
import { type Compiler, evaluate, keep, type LateNode, type Stepwise } from './node.ts';
import { apart, type Frame, fail, isEnough } from './run.ts';

type MakeStepwise = (operand: unknown, compiler: Compiler) => Stepwise;

const nodesOf = (operand: unknown, compiler: Compiler): LateNode[] =>
  [operand].flat().map((schema) => compiler.node(schema));

/** Whether the schema holds apart from the others; what it has looked at then counts. */
export function* tried(node: LateNode, value: unknown, outer: Frame): Steps<boolean> {
  const frame = apart(outer);
  const result = evaluate(node(), value, frame);
  const holds = typeof result === 'boolean' ? result : yield* result;
  if (holds) keep(frame, outer);
  return holds;
}

export function* applied(node: LateNode, value: unknown, frame: Frame): Steps<boolean> {
  const result = evaluate(node(), value, frame);
  return typeof result === 'boolean' ? result : yield* result;
}

export const COMBINING: ReadonlyMap<string, MakeStepwise> = new Map<string, MakeStepwise>([
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', negation],
  ['dependentSchemas', dependentSchemas],
]);

function allOf(operand: unknown, compiler: Compiler): Stepwise {
  const nodes = nodesOf(operand, compiler);
  return function* (value, frame) {
    let holds = true;
    for (const node of nodes) {
      holds = (yield* applied(node, value, frame)) && holds;
      if (!holds && isEnough(frame)) return false;
    }
    return holds;
  };
}

function anyOf(operand: unknown, compiler: Compiler): Stepwise {
  const nodes = nodesOf(operand, compiler);
  return function* (value, frame) {
    let holds = false;
    for (const node of nodes) {
      holds = (yield* tried(node, value, frame)) || holds;
      // All that hold count for what has been looked at.
      if (holds && frame.evaluated === undefined) return true;
    }
    return holds || fail(frame, 'must match at least one schema of anyOf');
  };
}

function oneOf(operand: unknown, compiler: Compiler): Stepwise {
  const nodes = nodesOf(operand, compiler);
  return function* (value, frame) {
    let count = 0;
    for (const node of nodes) {
      if (yield* tried(node, value, frame)) count += 1;
      if (count > 1) return fail(frame, 'must match only one schema of oneOf');
    }
    return count === 1 || fail(frame, 'must match one schema of oneOf');
  };
}

function negation(operand: unknown, compiler: Compiler): Stepwise {
  const node = compiler.node(operand);
  return function* (value, frame) {
    return (yield* tried(node, value, { ...frame, evaluated: undefined }))
      ? fail(frame, 'must not match the schema of not')
      : true;
  };
}

function dependentSchemas(operand: unknown, compiler: Compiler): Stepwise {
  const nodes = Object.entries(Object(operand)).map(([name, schema]) => [name, compiler.node(schema)] as const);
  return function* (value, frame) {
    if (!isObject(value)) return true;
    let holds = true;
    for (const [name, node] of nodes) {
      if (Object.hasOwn(value, name)) holds = (yield* applied(node, value, frame)) && holds;
    }
    return holds;
  };
}

/** `if` with its two branches; without either of them what it looks at still counts. */
export function conditional(schema: Readonly<Record<string, unknown>>, compiler: Compiler): Stepwise {
  const condition = compiler.node(schema['if']);
  const [onTrue, onFalse] = [schema['then'], schema['else']].map((branch) =>
    branch === undefined ? undefined : compiler.node(branch),
  );
  return function* (value, frame) {
    const branch = (yield* tried(condition, value, frame)) ? onTrue : onFalse;
    return branch === undefined || (yield* applied(branch, value, frame));
  };
}

export function reference(target: unknown, compiler: Compiler): Stepwise {
  const node = compiler.node(target);
  return (value, frame) => applied(node, value, frame);
}

/** The outermost resource on the way here that has the anchor says what it means. */
export function dynamicReference(
  { schema, anchor }: NonNullable<SchemaNode['dynamicRef']>,
  compiler: Compiler,
): Stepwise {
  const initial = compiler.node(schema);
  if (anchor === undefined) return (value, frame) => applied(initial, value, frame);
  return (value, frame) => {
    let found: unknown;
    for (let scope = frame.scope; scope !== undefined; scope = scope.outer) {
      found = scope.resource.dynamicAnchors.get(anchor) ?? found;
    }
    frame.work.spend(frame.depth);
    return applied(found === undefined ? initial : compiler.node(found), value, frame);
  };
}

/** A schema that is ready to be evaluated. */
import type { SchemaResource } from '@gatehouse/crds/json-schema';
import type { Steps } from '../steps.ts';
import { Evaluated, type Frame, fail, isEnough, WorkEnded } from './run.ts';

/** A keyword that needs no other schema and little work. */
export type Plain = (value: unknown, frame: Frame) => boolean;
export type Stepwise = (value: unknown, frame: Frame) => Steps<boolean>;

export interface Node {
  /** Undefined for `true` and `false`. */
  readonly resource: SchemaResource | undefined;
  readonly plain: readonly Plain[];
  /** In their order: those that look at what others have evaluated come last. */
  readonly stepwise: readonly Stepwise[];
  /** It looks at what its keywords have evaluated. */
  readonly looksBack: boolean;
}

/** Keywords of one schema, and the schemas that it leads to. */
export interface Compiler {
  /** The same node for the same schema, which may be in the making. */
  node(schema: unknown): LateNode;
}

/** Schemas may contain themselves. */
export type LateNode = () => Node;

/** What the evaluation of one schema costs at least, in units. */
const NODE_UNITS = 16;
/** Schemas inside each other, references included: bounds the stack. */
const MAX_DEPTH = 500;

/** Synchronous for schemas without others in them. */
export function evaluate(node: Node, value: unknown, frame: Frame): boolean | Steps<boolean> {
  if (node.stepwise.length > 0) return inSteps(node, value, frame);
  return frame.work.spend(NODE_UNITS) ? inSteps(node, value, frame) : holdsPlain(node, value, frame);
}

function holdsPlain({ plain }: Node, value: unknown, frame: Frame): boolean {
  let holds = true;
  for (const check of plain) {
    if (check(value, frame)) continue;
    if (isEnough(frame)) return false;
    holds = false;
  }
  return holds;
}

function* inSteps(node: Node, value: unknown, outer: Frame): Steps<boolean> {
  if (outer.depth >= MAX_DEPTH) throw new WorkEnded();
  if (outer.work.spend(NODE_UNITS)) yield;
  const frame = enter(node, outer);
  let holds = holdsPlain(node, value, frame);
  for (const check of node.stepwise) {
    if (!holds && isEnough(frame)) return false;
    holds = (yield* check(value, frame)) && holds;
  }
  if (holds && node.looksBack) keep(frame, outer);
  return holds;
}

function enter({ resource, looksBack }: Node, frame: Frame): Frame {
  const moves = resource !== undefined && resource !== frame.scope?.resource;
  return {
    ...frame,
    depth: frame.depth + 1,
    scope: moves ? { resource, outer: frame.scope } : frame.scope,
    evaluated: looksBack ? new Evaluated() : frame.evaluated,
  };
}

/** What a schema that was evaluated apart has looked at counts for its place. */
export function keep({ evaluated }: Frame, outer: Frame): void {
  if (evaluated === undefined || outer.evaluated === undefined) return;
  outer.work.spend(evaluated.units);
  outer.evaluated.add(evaluated);
}

export const ALWAYS: Node = { resource: undefined, plain: [], stepwise: [], looksBack: false };
export const NEVER: Node = {
  resource: undefined,
  plain: [(_, frame) => fail(frame, 'nothing is allowed here')],
  stepwise: [],
  looksBack: false,
};

/** Parameter shaping of a target: defaults, then overrides, then drops; docs/behaviour/routing.md#shaping-of-parameters. */
import { isObject } from '@gatehouse/crds';
import type { DropStep } from '@gatehouse/crds/config';
import { mergeObjects } from '../lib/json/index.ts';
import type { JsonObject } from '../wire/contract.ts';

export interface ParamShape {
  readonly defaults: JsonObject;
  readonly overrides: JsonObject;
  readonly drops: readonly (readonly DropStep[])[];
}

export const NO_SHAPE: ParamShape = { defaults: {}, overrides: {}, drops: [] };

/** Whether a shape has any effect. */
export function isShaping(shape: ParamShape): boolean {
  return shape.drops.length > 0 || !isEmpty(shape.defaults) || !isEmpty(shape.overrides);
}

/**
 * The shaped parameters; the same object when the shape has no effect. The input is never changed. `merged`: an override of such a
 * parameter replaces its members one by one, where both are objects.
 */
export function shapeParams(params: JsonObject, shape: ParamShape, merged: readonly string[] = []): JsonObject {
  if (!isShaping(shape)) return params;
  let shaped: JsonObject = mergeObjects(shape.defaults, params, withMembers(params, shape.overrides, merged));
  for (const steps of shape.drops) shaped = drop(shaped, steps, 0) as JsonObject;
  return shaped;
}

function withMembers(params: JsonObject, overrides: JsonObject, merged: readonly string[]): JsonObject {
  let said = overrides;
  for (const name of merged) {
    const [given, override] = [params[name], overrides[name]];
    if (isObject(given) && isObject(override)) said = { ...said, [name]: { ...given, ...override } };
  }
  return said;
}

/** A copy without the path, sharing everything else. */
function drop(value: unknown, steps: readonly DropStep[], at: number): unknown {
  const step = steps[at];
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const last = at === steps.length - 1;
  if (step.kind === 'member') {
    if (Array.isArray(value) || !Object.hasOwn(value, step.name)) return value;
    const { [step.name]: member, ...rest } = value as Record<string, unknown>;
    return last ? rest : { ...rest, [step.name]: drop(member, steps, at + 1) };
  }
  if (!Array.isArray(value)) return value;
  if (step.kind === 'each') return last ? [] : value.map((item) => drop(item, steps, at + 1));
  if (step.index >= value.length) return value;
  return last ? value.toSpliced(step.index, 1) : value.with(step.index, drop(value[step.index], steps, at + 1));
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

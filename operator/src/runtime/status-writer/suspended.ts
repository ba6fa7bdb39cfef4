import { isObject } from '@gatehouse/crds';
import { type ConditionDraft, POSITIVE_CONDITIONS, toCondition } from '@gatehouse/crds/conditions';
import type { KubeObject } from '../client/index.ts';
import { conditionOf } from './conditions.ts';

/** Whether `spec.suspend` is true. */
export const isSuspended = (object: KubeObject): boolean =>
  'spec' in object && isObject(object.spec) && object.spec['suspend'] === true;

/**
 * The conditions of a suspended object: those of the last run, each with the generation it was about, and a `Ready` with the
 * same status and the message. The generation counts as observed: nothing is left to do for it.
 */
export function suspendedStatus(
  object: KubeObject,
  message: string,
): { readonly conditions: readonly ConditionDraft[]; readonly observedGeneration: number } {
  const { generation = 0 } = object.metadata;
  const fresh = (type: ConditionDraft['type']): ConditionDraft => ({
    ...toCondition(type, 'Unknown', { reason: 'Pending', message }),
    observedGeneration: generation,
  });
  const stalled = lastOf(object, 'Stalled');
  return {
    conditions: [
      ...POSITIVE_CONDITIONS.map((type) => lastOf(object, type) ?? fresh(type)),
      { ...(lastOf(object, 'Ready') ?? fresh('Ready')), message, observedGeneration: generation },
      ...(stalled === undefined ? [] : [stalled]),
    ],
    observedGeneration: generation,
  };
}

function lastOf(object: KubeObject, type: ConditionDraft['type']): ConditionDraft | undefined {
  const condition = conditionOf(object, type);
  if (condition === undefined) return undefined;
  const { lastTransitionTime: _, ...draft } = condition;
  return draft as ConditionDraft; // a condition type of the operator, so that one of its controllers has written it
}

import { isObject } from '@gatehouse/crds';
import type { KubeObject } from '../client/index.ts';

/** A condition as in any Kind of Kubernetes. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly lastTransitionTime: string;
}

/** The status of an object, whatever its Kind. */
export function statusOf(object: KubeObject): Readonly<Record<string, unknown>> {
  return 'status' in object && isObject(object.status) ? object.status : {};
}

/** A condition of an object as it was when the object was read. */
export function conditionOf(object: KubeObject, type: string): ObservedCondition | undefined {
  return conditionsIn(statusOf(object)).find((condition) => condition.type === type);
}

export function conditionsIn(status: Readonly<Record<string, unknown>>): readonly ObservedCondition[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? conditions.filter(isCondition) : [];
}

const isCondition = (value: unknown): value is ObservedCondition =>
  isObject(value) &&
  typeof value['type'] === 'string' &&
  typeof value['status'] === 'string' &&
  typeof value['reason'] === 'string' &&
  typeof value['lastTransitionTime'] === 'string';

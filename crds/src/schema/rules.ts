/** Rules between fields, for zod and for the API server. */
import { z } from 'zod';

type FieldReason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';

/**
 * A rule that both zod and the API server enforce: the server runs `cel`, everything else runs `holds`. `valid` and
 * `invalid` are complete samples of the node on which both sides must agree (engineering section 6).
 */
export interface Rule<T = never> {
  readonly cel: string;
  readonly message: string;
  /** Path of the member the message is about, relative to the node, e.g. `targets`. */
  readonly at?: string;
  /** What the API server answers; `FieldValueInvalid` when absent. */
  readonly reason?: FieldReason;
  /** The member whose items the rule reads: where a CRD has that member opaque, the rule is left to the webhook. */
  readonly into?: string;
  readonly holds: (value: T) => boolean;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

/** The rules of a schema node, for the generators and for the test that holds zod and CEL against each other. */
export const ruleRegistry = z.registry<{ readonly rules: readonly Rule[] }>();

/** Attaches rules to a node: all broken ones are reported, each at its own path. */
export function withRules<T extends z.ZodType>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  const checked = schema.superRefine((value, context) => {
    for (const { holds, message, at } of rules) {
      if (!holds(value as z.output<T>)) {
        context.addIssue({ code: 'custom', message, path: at === undefined ? [] : at.split('.') });
      }
    }
  });
  return withCelRules(checked, rules);
}

/** Attaches rules for the API server alone: on our side a check over the whole document says the same. */
export function withCelRules<T extends z.ZodType>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  ruleRegistry.add(schema, { rules: rules as readonly Rule[] });
  return schema;
}

/** Rules between fields, for zod and for the API server. */
import { z } from 'zod';

type FieldReason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';

/**
 * A rule that both zod and the API server enforce: the server runs `cel`, zod runs `holds`. `valid` and `invalid` are complete
 * samples of the node; a test checks that both sides agree on them.
 */
export interface Rule<T = never> {
  readonly cel: string;
  readonly message: string;
  /** Path of the member the message is about, relative to the node, e.g. `targets`. */
  readonly at?: string;
  /** The reason in the answer of the API server; `FieldValueInvalid` when absent. */
  readonly reason?: FieldReason;
  /** The member whose items the rule reads: where that member is opaque in a CRD, only the webhook checks the rule. */
  readonly into?: string;
  readonly holds: (value: T) => boolean;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

/** The rules of a schema node, for the generators and for the test that compares zod and CEL. */
export const ruleRegistry = z.registry<{ readonly rules: readonly Rule[] }>();

/** Attaches rules to a node: every broken rule is reported, at its own path. */
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

/** Attaches rules for the API server alone: a check over the whole document covers them elsewhere. */
export function withCelRules<T extends z.ZodType>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  ruleRegistry.add(schema, { rules: rules as readonly Rule[] });
  return schema;
}

import type { FeedbackSpec } from '@gatehouse/crds/guardrails';
import type { CompiledHook } from './compiled-hook.ts';
import type { RanCheck } from './run-check.ts';

/** A score for the trace, with the names of the checks that led to it. */
export interface Feedback {
  readonly value: number;
  readonly weight: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Of the branch that was taken; null where none is configured. Errors never count as failures here. */
export function feedbackOf(
  { onSuccess, onFail }: Pick<CompiledHook, 'onSuccess' | 'onFail'>,
  checks: readonly RanCheck[],
): Feedback | null {
  if (onSuccess === undefined && onFail === undefined) return null;
  const isGood = checks.every(({ answer: { verdict, error } }) => verdict || error !== undefined);
  const chosen: FeedbackSpec | undefined = isGood ? onSuccess : onFail;
  if (chosen === undefined) return null;
  const named = (is: (answer: RanCheck['answer']) => boolean): string =>
    checks
      .filter(({ answer }) => is(answer))
      .map(({ check }) => check.entry.id)
      .join(', ');
  return {
    value: chosen.value,
    weight: chosen.weight,
    metadata: {
      ...chosen.metadata,
      successfulChecks: named(({ verdict }) => verdict),
      failedChecks: named(({ verdict, error }) => !verdict && error === undefined),
      erroredChecks: named(({ verdict, error }) => !verdict && error !== undefined),
    },
  };
}

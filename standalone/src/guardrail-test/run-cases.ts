import type { GuardrailTestCase } from '@gatehouse/crds/guardrails';
import { createOfflineHooks } from '@gatehouse/gateway';
import type { Hooks } from './hooks.ts';

export interface CheckOutcome {
  readonly hook: string;
  readonly id: string;
  readonly verdict: boolean;
  readonly error?: { readonly name: string; readonly message: string };
}

export interface CaseOutcome {
  /** From 1. */
  readonly number: number;
  readonly name?: string | undefined;
  readonly phase: GuardrailTestCase['phase'];
  readonly expected?: GuardrailTestCase['expected'];
  readonly verdict: 'pass' | 'fail';
  /** Whether a request would be stopped. */
  readonly denied: boolean;
  /** Whether verdict or text differ from what is expected. */
  readonly differs: boolean;
  readonly checks: readonly CheckOutcome[];
  readonly text: string;
  /** What the guardrail makes of the text; absent: it stays. */
  readonly changedText?: string | undefined;
  readonly expectedText?: string | undefined;
}

/** Runs the hooks of its phase on each case. */
export async function runCases(cases: readonly GuardrailTestCase[], hooks: Hooks): Promise<readonly CaseOutcome[]> {
  const run = createOfflineHooks(hooks);
  const outcomes: CaseOutcome[] = [];
  for (const [i, one] of cases.entries()) {
    const { text, phase, name, expected, expectedText, model, metadata, request } = one;
    const result = await run({ phase, text, metadata, request: model === '' ? request : { model, ...request } });
    const verdict = result.verdict ? 'pass' : 'fail';
    const isOtherVerdict = expected !== undefined && expected !== verdict;
    outcomes.push({
      number: i + 1,
      name,
      phase,
      expected,
      verdict,
      denied: result.denied,
      differs: isOtherVerdict || (expectedText !== undefined && expectedText !== result.text),
      checks: result.hooks.flatMap(({ id: hook, checks }) =>
        checks.map(({ id, verdict, error }) => ({ hook, id, verdict, ...(error === undefined ? {} : { error }) })),
      ),
      text,
      changedText: result.text === text ? undefined : result.text,
      expectedText,
    });
  }
  return outcomes;
}

/** Checks of a request before it is built for the provider. */
import type { AppError } from '../../errors/index.ts';
import { untilCancelled } from '../../lib/cancellation.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { AttemptInput, AttemptPorts } from './ports.ts';
import { type Prepared, prepare } from './prepare/index.ts';

export type InputVerdict =
  | { readonly kind: 'pass' }
  /** Instead of `prepared.params`, for later checks and the provider; only a JSON body has parameters to replace. */
  | { readonly kind: 'replace'; readonly params: JsonObject }
  /** The error is the outcome of the target: its row says whether a fallback may go on. */
  | { readonly kind: 'deny'; readonly error: AppError };

/** Looks at the prepared call of one target; `prepared.params` are in the format of the client and shaped for the target. */
export type InputCheck = (prepared: Prepared) => InputVerdict | Promise<InputVerdict>;

/** Runs the checks in order; synchronous where they are. Throws the error of the check that denies. */
export function guard(
  ports: AttemptPorts,
  prepared: Prepared,
  checks: readonly InputCheck[] = ports.inputChecks,
): Prepared | Promise<Prepared> {
  let current = prepared;
  for (const [index, check] of checks.entries()) {
    const checked = current;
    const verdict = check(checked);
    if (verdict instanceof Promise) {
      const rest = checks.slice(index + 1);
      const { signal } = prepared.input.exchange;
      return untilCancelled(verdict, signal).then((settled) => guard(ports, apply(ports, checked, settled), rest));
    }
    current = apply(ports, checked, verdict);
  }
  return current;
}

function apply(ports: AttemptPorts, prepared: Prepared, verdict: InputVerdict): Prepared {
  switch (verdict.kind) {
    case 'pass':
      return prepared;
    case 'deny':
      throw verdict.error;
    case 'replace':
      return prepare(ports, prepared.input, prepared.leaf, replaceable(prepared.input, verdict.params));
  }
}

function replaceable({ resolution }: AttemptInput, params: JsonObject): JsonObject {
  if (resolution.body.kind === 'json') return params;
  throw new Error('an input check replaced the parameters of a body that is not JSON'); // otherwise the body would pass unchanged
}

/** Checks of a request before it is built for the provider. */
import type { AppError } from '../../errors/index.ts';
import { untilCancelled } from '../../lib/cancellation.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { AttemptPorts } from './ports.ts';
import { mayBeAdded, type Prepared, prepare } from './prepare/index.ts';

export type InputVerdict =
  | { readonly kind: 'pass' }
  /**
   * Instead of `prepared.params`, for later checks and the provider; only a JSON body has parameters to replace. `headers` go to the
   * provider; an empty one removes that of the client.
   */
  | {
      readonly kind: 'replace';
      readonly params: JsonObject;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
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
      return prepare(ports, prepared.input, prepared.leaf, {
        params: replaceable(prepared, verdict.params),
        forwarded: withHeaders(prepared.forwarded, verdict.headers),
        guards: prepared.guards,
        resolution: prepared.resolution,
        prompt: prepared.prompt,
      });
  }
}

function withHeaders(
  forwarded: Prepared['forwarded'],
  headers: Readonly<Record<string, string>> = {},
): Prepared['forwarded'] {
  const out = { ...forwarded };
  for (const [name, value] of Object.entries(headers)) {
    if (value === '') delete out[name];
    else if (mayBeAdded(name)) out[name] = value;
  }
  return out;
}

function replaceable({ input, params: own }: Prepared, params: JsonObject): JsonObject {
  if (input.resolution.body.kind === 'json' || params === own) return params;
  throw new Error('an input check replaced the parameters of a body that is not JSON'); // otherwise the body would pass unchanged
}

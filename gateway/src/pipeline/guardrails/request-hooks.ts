/** The hooks of a request, once per target: docs/behaviour/guardrails.md#outcomes. */
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { andThen, type Deferred } from '../../lib/deferred.ts';
import type { Leaf } from '../../routing/index.ts';
import type { InputCheck, InputVerdict, Prepared } from '../attempt/index.ts';
import type { AttemptInput } from '../attempt/ports.ts';
import { actingHooks } from './acting-hooks.ts';
import type { GuardrailPorts } from './ports.ts';
import { runPhase } from './run-phase.ts';
import { TargetGuards } from './target-guards.ts';
import { GuardrailTrail } from './trail.ts';

const PASS: InputVerdict = { kind: 'pass' };

/** Undefined: the target has no hooks. Throws CONFIG_INVALID where they are too many, and NEEDS_FLEET. */
export function openGuards(
  { regexTurn }: Pick<GuardrailPorts, 'regexTurn'>,
  input: AttemptInput,
  leaf: Leaf,
): TargetGuards | undefined {
  const hooks = actingHooks(input, leaf);
  if (hooks === undefined) return undefined;
  input.log.guardrails ??= new GuardrailTrail(regexTurn);
  return new TargetGuards({ hooks, trail: input.log.guardrails, target: leaf.path });
}

/** Denies the call, or changes its parameters and headers. */
export function createRequestHooks(ports: GuardrailPorts): InputCheck {
  return (prepared) => {
    const { guards } = prepared;
    if (guards === undefined) return PASS;
    guards.prepared = prepared;
    return guards.hooks.input.length === 0 ? PASS : checkRequest(ports, prepared, guards);
  };
}

function checkRequest(ports: GuardrailPorts, prepared: Prepared, guards: TargetGuards): Deferred<InputVerdict> {
  const { signal } = prepared.input.exchange;
  const { hooks, trail } = guards;
  const running = runPhase(ports, prepared, { hooks: hooks.input, trail, signal, response: undefined });
  return andThen(running, (result) => {
    guards.checkedInput(result, () => openUntilEnd(ports, prepared));
    if (result.denied !== undefined) return { kind: 'deny', error: guards.refuse(result.denied, prepared) };
    // What a hook makes of the empty object that stands for another body is nothing that could be sent.
    const body = prepared.input.resolution.body.kind === 'json' ? result.body : undefined;
    if (body === undefined && result.headers === undefined) return PASS;
    return { kind: 'replace', params: body ?? prepared.params, headers: result.headers };
  });
}

/** The account of a request is cleared for each try, and when a stream begins. */
function openUntilEnd(ports: Pick<GuardrailPorts, 'openMemory'>, { input }: Prepared): ByteAccount {
  const account = ports.openMemory();
  input.exchange.atEnd(() => account.close());
  return account;
}

/** What the guardrails of one request said, and what they share. */
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import type { CompiledHook, HookOwner, RanHook } from '../../guardrails/index.ts';
import { REQUEST_UNITS, type RegexWork } from '../../lib/regex.ts';
import type { GuardrailFacts, GuardrailVerdicts } from '../../record/index.ts';

/** Hooks and checks of one request that are recorded. */
const MAX_HOOKS = 256;
const MAX_CHECKS = 1_024;
/** Longest id or name that is recorded, in characters: those of inline hooks come from clients. */
const MAX_CHARS = 128;
/** What the hooks of one phase may work, in units: all of a request together below two seconds. */
const PHASE_UNITS: Readonly<Record<HookOwner, number>> = {
  organisation: (3 * REQUEST_UNITS) / 8,
  workspace: (3 * REQUEST_UNITS) / 8,
  config: REQUEST_UNITS / 4,
};

/** What guardrails have said about a request so far. */
export interface GuardrailLog {
  /** Undefined: none has looked at it. */
  guardrails?: GuardrailTrail;
}

/** Where hooks have run. */
export interface RanPhase {
  readonly phase: CheckPhase;
  /** Path of the target. */
  readonly target: string;
}

export class GuardrailTrail implements GuardrailVerdicts {
  readonly #verdicts: GuardrailFacts[] = [];
  #checks = 0;
  readonly #work: Readonly<Record<CheckPhase, Map<HookOwner, RegexWork>>> = { input: new Map(), output: new Map() };
  /** Resolves when long work may run for another slice of time. */
  readonly nextSlice: () => Promise<void>;

  constructor(nextSlice: () => Promise<void>) {
    this.nextSlice = nextSlice;
  }

  /** A costly request leaves the checks of its answer what they need, and nobody's hooks use up what others have. */
  workOf({ owner }: Pick<CompiledHook, 'owner'>, phase: CheckPhase): RegexWork {
    const known = this.#work[phase].get(owner);
    if (known !== undefined) return known;
    const work = { left: PHASE_UNITS[owner], nextSlice: this.nextSlice };
    this.#work[phase].set(owner, work);
    return work;
  }

  add(ran: readonly RanHook[], where: RanPhase): void {
    for (const hook of ran) {
      if (this.#verdicts.length >= MAX_HOOKS || this.#checks + hook.result.checks.length > MAX_CHECKS) return;
      this.#checks += hook.result.checks.length;
      this.#verdicts.push(guardrailFacts(hook, where));
    }
  }

  verdicts(): readonly GuardrailFacts[] {
    return this.#verdicts;
  }
}

/** The entry of a hook in the record of its request. */
export function guardrailFacts({ hook, result, durationsMs }: RanHook, { phase, target }: RanPhase): GuardrailFacts {
  const { id, type, verdict, transformed, feedback, execution_time: durationMs } = result;
  return {
    target: cut(target),
    id: cut(id),
    type,
    phase,
    verdict,
    denied: result.deny && !hook.async,
    mode: hook.mode,
    async: hook.async,
    transformed,
    startedAtMs: Date.parse(result.created_at) - durationMs,
    durationMs,
    feedback: feedback === null ? undefined : { value: feedback.value, weight: feedback.weight },
    checks: result.checks.map((check, i) => ({
      id: check.id,
      verdict: check.verdict,
      error: check.error && cut(check.error.name),
      transformed: check.transformed,
      durationMs: durationsMs?.[i] ?? check.execution_time,
    })),
  };
}

const cut = (text: string): string => text.slice(0, MAX_CHARS);

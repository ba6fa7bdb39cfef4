/** What the guardrails of one request said, and what they share. */
import { randomUUID } from 'node:crypto';
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
  readonly #ran: { readonly hook: RanHook; readonly where: RanPhase }[] = [];
  #checks = 0;
  /** What is left to each owner of hooks. */
  readonly #units: Readonly<Record<CheckPhase, Record<HookOwner, number>>> = {
    input: { ...PHASE_UNITS },
    output: { ...PHASE_UNITS },
  };
  /** Resolves when long work may run for another slice of time. */
  readonly nextSlice: () => Promise<void>;

  constructor(nextSlice: () => Promise<void>) {
    this.nextSlice = nextSlice;
  }

  /**
   * The work that one run of hooks may do: for a target, a try or a window half of what is left, so that those after it have some;
   * all of it where nothing comes after it. A costly request leaves the checks of its answer what they need.
   */
  openWork(phase: CheckPhase, { isOnly }: { readonly isOnly: boolean }): RunWork {
    return new RunWork(this.#units[phase], { part: isOnly ? 1 : 1 / 2, nextSlice: this.nextSlice });
  }

  add(ran: readonly RanHook[], where: RanPhase): void {
    for (const hook of ran) {
      if (this.#ran.length >= MAX_HOOKS || this.#checks + hook.checks.length > MAX_CHECKS) return;
      this.#checks += hook.checks.length;
      this.#ran.push({ hook, where });
    }
  }

  verdicts(): readonly GuardrailFacts[] {
    return this.#ran.map(({ hook, where }) => guardrailFacts(hook, where));
  }
}

interface OpenWork {
  readonly owner: HookOwner;
  readonly work: RegexWork;
  readonly given: number;
}

/** Nobody's hooks use up what those of others have. */
export class RunWork {
  readonly #units: Record<HookOwner, number>;
  readonly #part: number;
  readonly #nextSlice: () => Promise<void>;
  /** One for each owner. */
  #open: OpenWork[] = [];

  constructor(
    units: Record<HookOwner, number>,
    { part, nextSlice }: { readonly part: number; readonly nextSlice: () => Promise<void> },
  ) {
    this.#units = units;
    this.#part = part;
    this.#nextSlice = nextSlice;
  }

  of({ owner }: Pick<CompiledHook, 'owner'>): RegexWork {
    for (const known of this.#open) if (known.owner === owner) return known.work;
    const given = Math.floor(this.#units[owner] * this.#part);
    const work = { left: given, nextSlice: this.#nextSlice };
    this.#open.push({ owner, work, given });
    return work;
  }

  /** What was not used is left to other runs; a check that nobody waits for any longer ends soon. */
  close(): void {
    for (const { owner, work, given } of this.#open) {
      this.#units[owner] -= given - work.left;
      work.left = 0;
    }
    this.#open = [];
  }
}

/** The entry of a hook in the record of its request. */
export function guardrailFacts(ran: RanHook, { phase, target }: RanPhase): GuardrailFacts {
  const { hook, verdict, transformed, feedback, createdAtMs } = ran;
  const durationMs = Math.round(ran.durationMs);
  return {
    target: cut(target),
    id: cut(hook.id),
    versionId: hook.versionId && cut(hook.versionId),
    type: hook.type,
    phase,
    verdict,
    denied: ran.deny && !hook.async,
    mode: hook.mode,
    async: hook.async,
    transformed,
    startedAtMs: createdAtMs - durationMs,
    durationMs,
    feedback: feedback === null ? undefined : { ...feedback, id: isKept(feedback.value) ? randomUUID() : undefined },
    checks: ran.checks.map(checkFacts),
  };
}

/** Configs of requests may have others than whole numbers. */
const isKept = (value: number): boolean => Math.round(value) !== 0;

const checkFacts = ({ check, answer, durationMs }: RanHook['checks'][number]): GuardrailFacts['checks'][number] => ({
  id: check.entry.id,
  verdict: answer.verdict,
  error: answer.error && cut(answer.error.name),
  transformed: answer.transformed !== undefined,
  durationMs,
});

const cut = (text: string): string => (text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text);

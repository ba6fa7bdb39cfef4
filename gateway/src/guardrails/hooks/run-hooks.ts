/** The hooks of one phase: docs/behaviour/guardrails.md#order. */
import { andThen, type Deferred } from '../../lib/deferred.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Restorable } from '../contract.ts';
import { type CompiledHook, isDefault, type ToolsFor } from './compiled-hook.ts';
import { PhaseRun, runTogether } from './phase-run.ts';
import { withoutQuotes } from './quotes.ts';
import { type HookResult, hookResult, merged, type RanHook } from './run-hook.ts';
import { Subject, type SubjectFacts } from './subject.ts';
import { withoutCopies } from './without-copies.ts';
import { withoutLogprobs } from './without-logprobs.ts';
import { withoutSeals } from './without-seals.ts';
import { WorkTurn } from './work-turn.ts';

/** Why a call or an answer is stopped. */
export interface Denial {
  readonly hook: CompiledHook;
  /** The text of the guardrail; undefined: it has none. */
  readonly message: string | undefined;
  /** It is answered with status 200. */
  readonly isSoft: boolean;
}

/** What the hooks of a phase came to. */
export interface HookPhaseResult {
  /**
   * In the order of the hooks, as `hook_results` shows them: of an answer that is denied or changed, nothing that quotes it. Made
   * when they are asked for.
   */
  readonly results: readonly HookResult[];
  /** The same with what records need. */
  readonly ran: readonly RanHook[];
  readonly denied: Denial | undefined;
  /** Whether a hook failed, denying or not. */
  readonly failed: boolean;
  /** The changed body of the phase; undefined: it is as it was, or denied. */
  readonly body: JsonObject | undefined;
  /** Added to the request for the provider. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly restore: Restorable | undefined;
}

/**
 * Runs hooks that act. Of a request: all at once, on the same body. Of an answer: those that apply by default, then those of configs on
 * what they have left, unless they deny. Never rejects.
 */
export function runHooks(
  hooks: readonly CompiledHook[],
  facts: SubjectFacts,
  toolsFor: ToolsFor,
): Deferred<HookPhaseResult> {
  const subject = new Subject(facts);
  const run = new PhaseRun(hooks, subject, toolsFor);
  const running = facts.phase === 'input' ? run.run(() => true) : runOnAnswer(run, subject);
  return andThen(running, () => {
    const isChanged = run.subject !== subject;
    const body = isChanged && !run.isDenied ? run.subject.body : undefined;
    const isHidden = facts.phase === 'output' && (isChanged || run.isDenied);
    return new PhaseResult(run.ran, { body, isHidden });
  });
}

function runOnAnswer(run: PhaseRun, before: Subject): Deferred<void> {
  return andThen(run.run(isDefault), () => {
    hideChanged(run, before);
    if (run.isDenied) return undefined;
    return andThen(run.run(isOfConfig), () => hideChanged(run, before));
  });
}

const isOfConfig = (hook: CompiledHook): boolean => !isDefault(hook);

/** Probabilities of tokens, and copies beside the content, tell what stood in a text before it was changed; signatures hold for that. */
function hideChanged(run: PhaseRun, { body: before }: Subject): void {
  const { body } = run.subject;
  if (body === undefined || body === before) return;
  const given = before ?? {};
  const hidden = withoutSeals(withoutCopies(withoutLogprobs(body), given), given);
  if (hidden !== body) run.subject = run.subject.withBody(hidden);
}

/** Runs hooks that only watch: those that run after the answer, and those in monitor mode. Never rejects. */
export const watchHooks = (
  hooks: readonly CompiledHook[],
  facts: SubjectFacts,
  toolsFor: ToolsFor,
): Deferred<readonly RanHook[]> =>
  runTogether(
    hooks.map((hook) => ({ hook })),
    new Subject(facts),
    { toolsFor, turn: new WorkTurn() },
  );

/** One that is no answer wins over one that is. */
function denialOf(ran: readonly RanHook[]): Denial | undefined {
  const chosen = ran.find(({ deny, isSoft }) => deny && !isSoft) ?? ran.find(({ deny }) => deny);
  return chosen && { hook: chosen.hook, message: chosen.hook.message, isSoft: chosen.isSoft };
}

interface Outcome extends Pick<HookPhaseResult, 'body'> {
  /** The client does not get what was checked. */
  readonly isHidden: boolean;
}

class PhaseResult implements HookPhaseResult {
  readonly ran: readonly RanHook[];
  readonly denied: Denial | undefined;
  readonly body: JsonObject | undefined;
  readonly #isHidden: boolean;
  #results: readonly HookResult[] | undefined;

  constructor(ran: readonly RanHook[], { body, isHidden }: Outcome) {
    this.ran = ran;
    this.denied = denialOf(ran);
    this.body = body;
    this.#isHidden = isHidden;
  }

  get results(): readonly HookResult[] {
    this.#results ??= this.ran.map((one) => (this.#isHidden ? withoutQuotes(one) : hookResult(one)));
    return this.#results;
  }

  get failed(): boolean {
    return this.ran.some(({ verdict }) => !verdict);
  }

  get headers(): HookPhaseResult['headers'] {
    if (this.ran.every(({ headers }) => headers === undefined)) return undefined;
    const all = this.ran.flatMap(({ headers }) => (headers === undefined ? [] : Object.entries(headers)));
    return all.length === 0 ? undefined : Object.fromEntries(all);
  }

  get restore(): Restorable | undefined {
    let all: Restorable | undefined;
    for (const { restore } of this.ran) all = merged(all, restore);
    return all;
  }
}

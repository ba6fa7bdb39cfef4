/** The runs of the hooks of one phase: docs/behaviour/guardrails.md#order. */
import { andThen, type Deferred } from '../../lib/deferred.ts';
import { type CompiledHook, isDefault, type ToolsFor } from './compiled-hook.ts';
import type { PhaseTools } from './run-check.ts';
import { merged, type RanHook, runHook } from './run-hook.ts';
import type { Subject } from './subject.ts';
import { startAll, WorkTurn } from './work-turn.ts';

/** Longest time of hooks that run together, in ms, unless a check may take longer. */
const PHASE_MS = 30_000;
/** How often hooks that apply by default are shown what has become of the body. */
const MAX_ROUNDS = 2;

interface Turn {
  readonly hook: CompiledHook;
  /** Position in the hooks of the phase. */
  readonly at: number;
}

export class PhaseRun {
  readonly #hooks: readonly CompiledHook[];
  readonly #toolsFor: ToolsFor;
  readonly #ran: (RanHook | undefined)[];
  readonly #turn = new WorkTurn();
  #subject: Subject;
  #isDenied = false;

  constructor(hooks: readonly CompiledHook[], subject: Subject, toolsFor: ToolsFor) {
    this.#hooks = hooks;
    this.#toolsFor = toolsFor;
    this.#ran = new Array(hooks.length).fill(undefined);
    this.#subject = subject;
  }

  /** Those that have run, in the order of the hooks. */
  get ran(): readonly RanHook[] {
    return this.#ran.filter(hasRun);
  }

  get isDenied(): boolean {
    return this.#isDenied;
  }

  /** As the hooks have left it so far. */
  get subject(): Subject {
    return this.#subject;
  }

  set subject(subject: Subject) {
    this.#subject = subject;
  }

  /** Runs these hooks; what they change is shown to the hooks that apply by default. Never rejects. */
  run(isMeant: (hook: CompiledHook) => boolean): Deferred<void> {
    const meant: Turn[] = [];
    for (const [at, hook] of this.#hooks.entries()) if (isMeant(hook)) meant.push({ hook, at });
    return meant.length === 0 ? undefined : this.#rounds(meant, MAX_ROUNDS);
  }

  /** `left`: rounds that may follow. */
  #rounds(turns: readonly Turn[], left: number): Deferred<void> {
    const shown = this.#subject;
    return andThen(this.#pass(turns), () => {
      if (left === 0 || this.#isDenied || this.#subject === shown) return undefined;
      return this.#rounds(this.#outdated(), left - 1);
    });
  }

  /** Runs hooks beside each other, and applies what they change in their order. */
  #pass(turns: readonly Turn[]): Deferred<void> {
    const before = this.#subject;
    return andThen(this.#together(turns, before), (ran) => {
      this.#isDenied = ran.some(denies);
      return andThen(this.#settle(turns, ran, before), () => {
        this.#isDenied ||= this.#ran.some((one) => one !== undefined && denies(one));
      });
    });
  }

  #settle(turns: readonly Turn[], ran: readonly RanHook[], before: Subject): Deferred<void> {
    for (const [i, one] of ran.entries()) {
      const turn = turns[i];
      if (turn === undefined) return;
      const changes = one.subject !== before && !this.#isDenied;
      if (changes && this.#subject !== before) {
        return andThen(this.#runAgain(turn), (again) => {
          this.#keep(turn, instead(one, again), changes);
          return this.#settle(turns.slice(i + 1), ran.slice(i + 1), before);
        });
      }
      this.#keep(turn, one, changes);
    }
  }

  #keep({ at }: Turn, settled: RanHook, changes: boolean): void {
    if (changes) this.#subject = settled.subject;
    this.#ran[at] = also(this.#ran[at], settled);
  }

  #runAgain(turn: Turn): Deferred<RanHook> {
    return andThen(this.#together([turn], this.#subject), ([again]) => {
      if (again === undefined) throw new Error('a hook that runs has a result');
      return again;
    });
  }

  #together(turns: readonly Turn[], subject: Subject): Deferred<readonly RanHook[]> {
    return runTogether(turns, subject, { toolsFor: this.#toolsFor, turn: this.#turn });
  }

  /** Hooks that apply by default and have not seen the body as it is now. What they add themselves they do not add again. */
  #outdated(): readonly Turn[] {
    return this.#hooks.flatMap((hook, at) => {
      const last = this.#ran[at];
      if (last === undefined || !isDefault(hook) || last.subject === this.#subject) return [];
      const checks = hook.checks.filter(({ entry }) => entry.adds !== true);
      return checks.length === 0 ? [] : [{ hook: { ...hook, checks }, at }];
    });
  }
}

const hasRun = (one: RanHook | undefined): one is RanHook => one !== undefined;

const denies = ({ deny }: RanHook): boolean => deny;

/** Hooks on the same subject, with time of their own: what ran before must not leave them none. Never rejects. */
export function runTogether(
  turns: readonly Pick<Turn, 'hook'>[],
  subject: Subject,
  { toolsFor, turn }: { readonly toolsFor: ToolsFor; readonly turn: WorkTurn },
): Deferred<readonly RanHook[]> {
  const [first] = turns;
  if (first === undefined) return [];
  const endsMs = endOf(turns);
  return startAll(turns, {
    turn,
    tools: toolsFor(first.hook),
    start: ({ hook }) => runAlone(hook, subject, { tools: toolsFor(hook), endsMs, turn }),
  });
}

function endOf(turns: readonly Pick<Turn, 'hook'>[]): number {
  let longest = PHASE_MS;
  for (const { hook } of turns) for (const { timeoutMs = 0 } of hook.checks) longest = Math.max(longest, timeoutMs);
  return performance.now() + longest;
}

/** What breaks in a hook is no failure of others. */
function runAlone(hook: CompiledHook, subject: Subject, phase: PhaseTools): Deferred<RanHook> {
  try {
    const running = runHook(hook, subject, phase);
    return running instanceof Promise ? running.catch(() => brokenHook(hook, subject, phase)) : running;
  } catch {
    return brokenHook(hook, subject, phase);
  }
}

function brokenHook(hook: CompiledHook, subject: Subject, { tools }: PhaseTools): RanHook {
  const verdict = !hook.checks.some(({ failOnError }) => failOnError);
  return {
    hook,
    verdict,
    deny: hook.deny && !verdict,
    transformed: false,
    checks: [],
    feedback: null,
    durationMs: 0,
    createdAtMs: tools.now(),
    isSoft: hook.softDeny200,
    subject,
    headers: undefined,
    restore: undefined,
  };
}

/** A hook that has run on a body which was changed meanwhile: it failed when it failed once. */
function instead(first: RanHook, again: RanHook): RanHook {
  if (first.verdict) return again;
  const { subject, headers, restore } = again;
  return { ...first, subject, headers, restore };
}

/** A hook that has run again on what became of the body: what it changed before stays, and it failed when it failed once. */
function also(before: RanHook | undefined, again: RanHook): RanHook {
  if (before === undefined) return again;
  const isOld = !before.verdict || (before.transformed && again.verdict);
  return {
    ...(isOld ? before : again),
    hook: before.hook,
    transformed: before.transformed || again.transformed,
    subject: again.subject,
    headers: again.headers === undefined ? before.headers : { ...before.headers, ...again.headers },
    restore: merged(before.restore, again.restore),
  };
}

/** The hooks of one phase: docs/behaviour/guardrails.md#order. */
import type { JsonObject } from '../../wire/contract.ts';
import type { CheckTools, Restorable } from '../contract.ts';
import type { CompiledHook } from './compiled-hook.ts';
import type { PhaseTools } from './run-check.ts';
import { type HookResult, merged, type RanHook, runHook } from './run-hook.ts';
import { Subject, type SubjectFacts } from './subject.ts';

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
  /** In the order of the hooks, as `hook_results` shows them. */
  readonly results: readonly HookResult[];
  /** The same with what records need. */
  readonly ran: readonly RanHook[];
  readonly denied: Denial | undefined;
  /** Whether a hook failed, denying or not. */
  readonly failed: boolean;
  /** The changed body of the phase; undefined: it is as it was. */
  readonly body: JsonObject | undefined;
  /** Added to the request for the provider. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly restore: Restorable | undefined;
}

/** The tools of the checks of a hook: which hosts they may call differs. */
export type ToolsFor = (hook: CompiledHook) => CheckTools;

/** Longest time of the hooks of a phase, in ms, unless a check may take longer. */
const PHASE_MS = 30_000;

/**
 * Runs hooks that act: all at once, on the same body. What a hook changes is then applied in their order; a hook that changes a body
 * which another one has changed before, and a default hook, run again on what has become of it. Never rejects.
 */
export async function runHooks(
  hooks: readonly CompiledHook[],
  facts: SubjectFacts,
  toolsFor: ToolsFor,
): Promise<HookPhaseResult> {
  const subject = new Subject(facts);
  const endsMs = endOf(hooks);
  const run = (hook: CompiledHook, on: Subject): Promise<RanHook> =>
    runAlone(hook, on, { tools: toolsFor(hook), endsMs });
  const first = await Promise.all(hooks.map((hook) => run(hook, subject)));
  const denied = denialOf(first);
  if (denied !== undefined) return phaseResult(first, { denied, subject, body: undefined });
  const ran: RanHook[] = [];
  let current = subject;
  for (const one of first) {
    const changes = one.subject !== subject;
    const again = current !== subject && (changes || one.hook.isDefault);
    const settled = again ? both(one, await run(one.hook, current)) : one;
    ran.push(settled);
    if (again || changes) current = settled.subject;
  }
  const body = current === subject ? undefined : current.body;
  return phaseResult(ran, { denied: denialOf(ran), subject, body });
}

/** Runs hooks that only watch: those that run after the answer, and those in monitor mode. Never rejects. */
export function watchHooks(
  hooks: readonly CompiledHook[],
  facts: SubjectFacts,
  toolsFor: ToolsFor,
): Promise<readonly RanHook[]> {
  const subject = new Subject(facts);
  const endsMs = endOf(hooks);
  return Promise.all(hooks.map((hook) => runAlone(hook, subject, { tools: toolsFor(hook), endsMs })));
}

function endOf(hooks: readonly CompiledHook[]): number {
  const longest = hooks.reduce(
    (max, { checks }) => checks.reduce((most, { timeoutMs = 0 }) => Math.max(most, timeoutMs), max),
    PHASE_MS,
  );
  return performance.now() + longest;
}

/** What breaks in a hook is no failure of others. */
async function runAlone(hook: CompiledHook, subject: Subject, phase: PhaseTools): Promise<RanHook> {
  try {
    return await runHook(hook, subject, phase);
  } catch {
    const verdict = !hook.checks.some(({ failOnError }) => failOnError);
    const result: HookResult = {
      verdict,
      id: hook.id,
      transformed: false,
      checks: [],
      feedback: null,
      execution_time: 0,
      async: hook.async,
      type: hook.type,
      created_at: new Date(phase.tools.now()).toISOString(),
      deny: hook.deny && !verdict,
    };
    return { hook, result, isSoft: hook.softDeny200, subject, headers: undefined, restore: undefined };
  }
}

/** A hook that has run twice: it failed when it failed once. */
function both(first: RanHook, again: RanHook): RanHook {
  if (first.result.verdict) return again;
  const { subject, headers, restore } = again;
  return { ...first, subject, headers, restore };
}

/** One that is no answer wins over one that is. */
function denialOf(ran: readonly RanHook[]): Denial | undefined {
  const denying = ran.filter(({ result }) => result.deny);
  const chosen = denying.find(({ isSoft }) => !isSoft) ?? denying[0];
  return chosen && { hook: chosen.hook, message: chosen.hook.message, isSoft: chosen.isSoft };
}

interface Outcome extends Pick<HookPhaseResult, 'denied' | 'body'> {
  readonly subject: Subject;
}

function phaseResult(ran: readonly RanHook[], { denied, body }: Outcome): HookPhaseResult {
  return {
    results: ran.map(({ result }) => result),
    ran,
    denied,
    failed: ran.some(({ result }) => !result.verdict),
    body,
    headers: headersOf(ran),
    restore: ran.reduce<Restorable | undefined>((all, { restore }) => merged(all, restore), undefined),
  };
}

function headersOf(ran: readonly RanHook[]): HookPhaseResult['headers'] {
  const all = ran.flatMap(({ headers }) => (headers === undefined ? [] : Object.entries(headers)));
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** One hook: its checks beside each other or one after another. */
import { isoTime } from '../../lib/clock.ts';
import type { Deferred } from '../../lib/deferred.ts';
import type { Restorable, Transformed } from '../contract.ts';
import type { CompiledHook } from './compiled-hook.ts';
import { type Feedback, feedbackOf } from './feedback.ts';
import { type CheckResult, checkResult, type PhaseTools, passes, type RanCheck, runCheck } from './run-check.ts';
import type { Subject } from './subject.ts';
import { startAll } from './work-turn.ts';

/** A hook that has run, as `hook_results` shows it. */
export interface HookResult {
  readonly verdict: boolean;
  readonly id: string;
  readonly transformed: boolean;
  readonly checks: readonly CheckResult[];
  readonly feedback: Feedback | null;
  /** In ms. */
  readonly execution_time: number;
  readonly async: boolean;
  readonly type: CompiledHook['type'];
  readonly created_at: string;
  /** Whether it denies: it is set to, and it failed. */
  readonly deny: boolean;
}

/** What a hook came to. What results show is made of it where they are shown. */
export interface RanHook extends Changes {
  readonly hook: CompiledHook;
  readonly verdict: boolean;
  /** Whether it denies: it is set to, and it failed. */
  readonly deny: boolean;
  readonly transformed: boolean;
  /** Empty where they could not be run. */
  readonly checks: readonly RanCheck[];
  readonly feedback: Feedback | null;
  readonly durationMs: number;
  /** Unix time at its end, in ms. */
  readonly createdAtMs: number;
  /** Whether all failed checks ask for a denial that is an answer. */
  readonly isSoft: boolean;
}

/** What the checks of a hook change, together. */
interface Changes {
  /** The subject as the hook leaves it. */
  readonly subject: Subject;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly restore: Restorable | undefined;
}

/** Never rejects. */
export function runHook(hook: CompiledHook, subject: Subject, phase: PhaseTools): Deferred<RanHook> {
  const run = { subject, phase, startedMs: performance.now() };
  if (hook.sequential) return oneByOne(hook, run);
  const { tools, turn } = phase;
  const running = startAll(hook.checks, { tools, turn, start: (check) => runCheck(check, subject, phase) });
  return running instanceof Promise
    ? running.then((checks) => together(hook, checks, run))
    : together(hook, running, run);
}

interface Run {
  readonly subject: Subject;
  readonly phase: PhaseTools;
  readonly startedMs: number;
}

function ranHook(
  hook: CompiledHook,
  { checks, changes }: { readonly checks: readonly RanCheck[]; readonly changes: Changes },
  { phase, startedMs }: Run,
): RanHook {
  const verdict = checks.every(passes);
  const { subject, headers, restore } = changes;
  return {
    hook,
    verdict,
    deny: hook.deny && !verdict,
    transformed: checks.some(isTransformed),
    checks,
    feedback: feedbackOf(hook, checks),
    durationMs: performance.now() - startedMs,
    createdAtMs: phase.tools.now(),
    isSoft: hook.softDeny200 || (!verdict && failsSoftly(checks)),
    subject,
    headers,
    restore,
  };
}

const isTransformed = ({ answer }: RanCheck): boolean => answer.transformed !== undefined;

const failsSoftly = (checks: readonly RanCheck[]): boolean =>
  checks.every((ran) => ran.check.softDeny200 || passes(ran));

/** As `hook_results` shows it. */
export function hookResult(ran: RanHook, resultOf: (check: RanCheck) => CheckResult = checkResult): HookResult {
  const { hook, verdict, transformed, feedback, deny } = ran;
  return {
    verdict,
    id: hook.id,
    transformed,
    checks: ran.checks.map((check) => resultOf(check)),
    feedback,
    execution_time: Math.round(ran.durationMs),
    async: hook.async,
    type: hook.type,
    created_at: isoTime(ran.createdAtMs),
    deny,
  };
}

/** Each check sees what the one before made of the body. */
function oneByOne(hook: CompiledHook, run: Run): Deferred<RanHook> {
  const { phase } = run;
  const checks: RanCheck[] = [];
  let changes = unchanged(run.subject);
  const add = (ran: RanCheck): void => {
    checks.push(ran);
    changes = apply(ran, changes);
  };
  const goOn = (isRested: boolean): Deferred<RanHook> => {
    let rested = isRested;
    for (let i = checks.length; i < hook.checks.length; i += 1) {
      const pause = rested ? undefined : phase.turn.pause(phase.tools);
      if (pause !== undefined) return pause.then(() => goOn(true));
      rested = false;
      const check = hook.checks[i];
      const running = check && runCheck(check, changes.subject, phase);
      if (running instanceof Promise) return running.then(add).then(() => goOn(false));
      if (running !== undefined) add(running);
    }
    return ranHook(hook, { checks, changes }, run);
  };
  return goOn(false);
}

/** Every check sees the same; of several that change the body the last one wins. */
function together(hook: CompiledHook, checks: readonly RanCheck[], run: Run): RanHook {
  let changes = unchanged(run.subject);
  if (checks.some(isTransformed)) {
    const last = checks.findLast(
      ({ answer: { transformed } }) => transformed !== undefined && transformed.kind !== 'headers',
    );
    if (last !== undefined) changes = apply(last, changes);
    for (const ran of checks) if (ran.answer.transformed?.kind === 'headers') changes = apply(ran, changes);
  }
  return ranHook(hook, { checks, changes }, run);
}

const unchanged = (subject: Subject): Changes => ({ subject, headers: undefined, restore: undefined });

const apply = ({ answer: { transformed } }: RanCheck, changes: Changes): Changes =>
  transformed === undefined ? changes : { ...changes, ...changeOf(transformed, changes) };

function changeOf(transformed: Transformed, { subject, headers, restore }: Changes): Partial<Changes> {
  switch (transformed.kind) {
    case 'parts':
      return { subject: subject.withParts(transformed.parts), restore: merged(restore, transformed.restore) };
    case 'body':
      return { subject: subject.withBody(transformed.body) };
    case 'headers':
      return { headers: { ...headers, ...transformed.headers } };
  }
}

export function merged(one: Restorable | undefined, other: Restorable | undefined): Restorable | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new Map([...one, ...other]);
}

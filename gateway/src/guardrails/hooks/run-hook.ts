/** One hook: its checks beside each other or one after another. */
import { isoTime } from '../../lib/clock.ts';
import { andThen, type Deferred } from '../../lib/deferred.ts';
import type { Restorable, Transformed } from '../contract.ts';
import type { CompiledHook, HookCheck } from './compiled-hook.ts';
import { type Feedback, feedbackOf } from './feedback.ts';
import { type CheckResult, type PhaseTools, passes, type RanCheck, runCheck } from './run-check.ts';
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

export interface RanHook {
  readonly hook: CompiledHook;
  readonly result: HookResult;
  /** Unix time of `created_at`, in ms. */
  readonly createdAtMs: number;
  /** Of its checks; absent: they did not run. */
  readonly durationsMs?: readonly number[];
  /** Whether all failed checks ask for a denial that is an answer. */
  readonly isSoft: boolean;
  /** The subject as the hook leaves it. */
  readonly subject: Subject;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly restore: Restorable | undefined;
}

/** What the checks of a hook change, together. */
interface Changes {
  readonly subject: Subject;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly restore: Restorable | undefined;
}

/** Never rejects. */
export function runHook(hook: CompiledHook, subject: Subject, phase: PhaseTools): Deferred<RanHook> {
  const startedMs = performance.now();
  const running = hook.sequential ? oneByOne(hook, subject, phase) : together(hook, subject, phase);
  return andThen(running, (ran) => ranHook(hook, ran, { phase, startedMs }));
}

interface RanChecks {
  readonly checks: readonly RanCheck[];
  readonly changes: Changes;
}

interface Run {
  readonly phase: PhaseTools;
  readonly startedMs: number;
}

function ranHook(hook: CompiledHook, { checks, changes }: RanChecks, { phase, startedMs }: Run): RanHook {
  const results = checks.map(({ result }) => result);
  const verdict = results.every(passes);
  const createdAtMs = phase.tools.now();
  return {
    hook,
    isSoft: hook.softDeny200 || (!verdict && failsSoftly(checks)),
    ...changes,
    createdAtMs,
    durationsMs: checks.map(({ durationMs }) => durationMs),
    result: {
      verdict,
      id: hook.id,
      transformed: results.some(({ transformed }) => transformed),
      checks: results,
      feedback: feedbackOf(hook, results),
      execution_time: Math.round(performance.now() - startedMs),
      async: hook.async,
      type: hook.type,
      created_at: isoTime(createdAtMs),
      deny: hook.deny && !verdict,
    },
  };
}

const failsSoftly = (checks: readonly RanCheck[]): boolean =>
  checks.every(({ check, result }) => check.softDeny200 || passes(result));

/** Each check sees what the one before made of the body. */
function oneByOne(hook: CompiledHook, subject: Subject, phase: PhaseTools): Deferred<RanChecks> {
  const before: RanChecks = { checks: [], changes: { subject, headers: undefined, restore: undefined } };
  return hook.checks.reduce<Deferred<RanChecks>>(
    (running, check) =>
      andThen(running, ({ checks, changes }) =>
        andThen(runInTurn(check, changes.subject, phase), (ran) => ({
          checks: [...checks, ran],
          changes: apply(ran, changes),
        })),
      ),
    before,
  );
}

const runInTurn = (check: HookCheck, subject: Subject, phase: PhaseTools): Deferred<RanCheck> =>
  andThen(phase.turn.pause(phase.tools), () => runCheck(check, subject, phase));

/** Every check sees the same; of several that change the body the last one wins. */
function together(hook: CompiledHook, subject: Subject, phase: PhaseTools): Deferred<RanChecks> {
  const { tools, turn } = phase;
  const starts = hook.checks.map((check) => ({ tools, start: () => runCheck(check, subject, phase) }));
  return andThen(startAll(starts, turn), (checks) => {
    const last = checks.findLast(({ transformed }) => transformed !== undefined && transformed.kind !== 'headers');
    const unchanged: Changes = { subject, headers: undefined, restore: undefined };
    const changed = last === undefined ? unchanged : apply(last, unchanged);
    const withHeaders = checks.filter(({ transformed }) => transformed?.kind === 'headers');
    return { checks, changes: withHeaders.reduce((changes, ran) => apply(ran, changes), changed) };
  });
}

const apply = ({ transformed }: RanCheck, changes: Changes): Changes =>
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

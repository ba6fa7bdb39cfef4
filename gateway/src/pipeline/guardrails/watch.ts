/** Hooks that run after the answer, asynchronous ones and those in mode monitor: docs/behaviour/guardrails.md#after-the-answer. */
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import { type CompiledHook, isDefault, watchHooks } from '../../guardrails/index.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import type { GuardrailFacts, TraceContext, WatchedGuardrails } from '../../record/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Prepared } from '../attempt/index.ts';
import { callerFacts } from '../caller-facts.ts';
import { bytesOf } from '../exchange.ts';
import { textScrubberOf } from '../target-secrets.ts';
import type { ActingHooks } from './acting-hooks.ts';
import type { GuardrailPorts } from './ports.ts';
import { subjectFacts, type ToolParts, toolsOf } from './run-phase.ts';
import type { TargetGuards } from './target-guards.ts';
import { GuardrailTrail, guardrailFacts } from './trail.ts';
import { type ChosenBy, type WatchOwner, WatchRoom } from './watch-room.ts';

export interface WatchOptions {
  readonly ports: Omit<GuardrailPorts, 'watch'>;
  /** Takes what hooks of one request came to; those that its config chose are told of apart. */
  onEnd(watched: WatchedGuardrails): void;
  /** Hooks of a request do not run: too many run already, or there is no memory. */
  onDropped(owner: WatchOwner): void;
  readonly room?: WatchRoom;
}

export interface GuardrailWatch {
  /** Runs the hooks of a request whose answer has been sent. Never throws. */
  start(guards: TargetGuards, trace: TraceContext): void;
  /** Ends those that run; nothing is told of them. */
  close(): void;
}

export function createGuardrailWatch({
  ports,
  onEnd,
  onDropped,
  room = new WatchRoom(),
}: WatchOptions): GuardrailWatch {
  const running = new Set<Cancellation>();
  const run = async (watched: Watched, trace: TraceContext): Promise<void> => {
    const memory = ports.openMemory();
    const cancellation = new Cancellation();
    running.add(cancellation);
    try {
      if (!memory.take(watched.bytes)) {
        onDropped(watched.owner);
        return;
      }
      const guardrails = await watch(ports, watched, { memory, signal: cancellation });
      if (!cancellation.cancelled) onEnd({ trace, ...askedBy(watched.prepared), guardrails });
    } finally {
      running.delete(cancellation);
      room.give(watched.owner);
      memory.close();
    }
  };
  return {
    start: (guards, trace) => {
      for (const watched of watchedOf(guards, ports)) {
        if (room.take(watched.owner)) run(watched, trace).catch(() => onDropped(watched.owner));
        else onDropped(watched.owner);
      }
    },
    close: () => {
      for (const cancellation of running) cancellation.cancel(new Error('the gateway ends'));
    },
  };
}

function askedBy({
  input: { caller, exchange },
  resolved: { target },
}: Prepared): Omit<WatchedGuardrails, 'trace' | 'guardrails'> {
  return {
    caller: callerFacts(caller),
    headers: () => exchange.request.headers(),
    textScrubber: () => textScrubberOf(target),
  };
}

/** What hooks of one request look at. */
interface Watched {
  readonly owner: WatchOwner;
  readonly hooks: Pick<ActingHooks, 'watchedInput' | 'watchedOutput'>;
  readonly target: string;
  /** As the target shaped it, before hooks changed it. */
  readonly prepared: Prepared;
  /** The call that was answered, and its answer before anything was restored. */
  readonly answered: Answered | undefined;
  readonly bytes: number;
}

interface Answered {
  readonly prepared: Prepared;
  readonly answer: JsonObject;
}

/** The hooks that the config of the request chose, and all others. */
function watchedOf(guards: TargetGuards, { json }: Pick<GuardrailPorts, 'json'>): readonly Watched[] {
  const { prepared, answeredCall, target, hooks } = guards;
  if (prepared === undefined) return [];
  const { caller, resolution } = prepared.input;
  const size = bytesOf(resolution.body) ?? 0;
  const watchedOutput = guards.isWithheld ? hooks.watchedOutput.filter(isDefault) : hooks.watchedOutput;
  const answer = watchedOutput.length === 0 ? undefined : guards.wholeAnswer(json);
  const answered = answer && answeredCall && { prepared: answeredCall, answer };
  const looked = { target, prepared, answered, bytes: size + guards.answerBytes };
  const workspace = caller.workspace.name;
  return CHOSEN_BY.flatMap((chosenBy) => {
    const isOf = (hook: CompiledHook): boolean =>
      (isDefault(hook) || resolution.plan.owner !== 'client' ? 'resource' : 'request') === chosenBy;
    const own = { watchedInput: hooks.watchedInput.filter(isOf), watchedOutput: watchedOutput.filter(isOf) };
    const isEmpty = own.watchedInput.length + own.watchedOutput.length === 0;
    return isEmpty ? [] : [{ ...looked, owner: { workspace, chosenBy }, hooks: own }];
  });
}

const CHOSEN_BY: readonly ChosenBy[] = ['resource', 'request'];

async function watch(
  ports: Omit<GuardrailPorts, 'watch'>,
  { hooks, target, prepared, answered }: Watched,
  given: Pick<ToolParts, 'memory' | 'signal'>,
): Promise<readonly GuardrailFacts[]> {
  const trail = new GuardrailTrail(ports.regexTurn);
  const workIn = (phase: CheckPhase) => trail.openWork(phase, { isOnly: true });
  const input = await watchHooks(
    hooks.watchedInput,
    subjectFacts(prepared, undefined),
    toolsOf(ports, prepared, { ...given, work: workIn('input') }),
  );
  const output =
    answered === undefined
      ? []
      : await watchHooks(
          hooks.watchedOutput,
          subjectFacts(answered.prepared, answered.answer),
          toolsOf(ports, answered.prepared, { ...given, work: workIn('output') }),
        );
  return [
    ...input.map((ran) => guardrailFacts(ran, { phase: 'input', target })),
    ...output.map((ran) => guardrailFacts(ran, { phase: 'output', target })),
  ];
}

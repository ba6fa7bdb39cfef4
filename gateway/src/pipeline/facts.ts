/** What a request has come to so far, and the facts that its record is made of. */
import { type Capture, NO_GUARDRAILS, NO_VERDICTS } from '../record/index.ts';
import type { PlanNode } from '../routing/index.ts';
import { type AttemptInput, type AttemptOutcome, answeringFacts, spentFacts } from './attempt/index.ts';
import { callerFacts } from './caller-facts.ts';
import { type AttemptFacts, bytesOf, type Caller, type PipelineFacts, type RequestBody } from './exchange.ts';
import type { GuardrailLog } from './guardrails/index.ts';
import type { LimitLog } from './limits/index.ts';
import type { PromptUse } from './resolve/index.ts';

/** What is known of a request so far, for its record. */
export interface Progress extends LimitLog, GuardrailLog {
  caller?: Caller;
  body?: RequestBody;
  captured?: Capture | undefined;
  input?: AttemptInput;
}

export function factsOf(outcome: AttemptOutcome | undefined, progress: Progress): PipelineFacts {
  const { caller, input, limits, guardrails, steps, times, captured = input?.captured } = progress;
  const resolution = input?.resolution;
  const plan = resolution?.plan;
  const attempts = input === undefined ? [] : attemptsOf(input, outcome);
  return {
    error: outcome?.error,
    caller: caller && callerFacts(caller),
    metadata: resolution?.metadata ?? {},
    user: resolution?.params['user'],
    requestBytes: resolution && bytesOf(resolution.body),
    times,
    route: {
      prompt: promptName(resolution?.prompt?.use),
      config: plan?.slug,
      configVersion: plan?.version,
      configGeneration: plan?.generation,
      mode: plan && modeOf(plan.root),
      optionPath: outcome?.leaf.path,
    },
    decisions: {
      cache: outcome?.cacheStatus,
      retries: outcome?.retries,
      attemptsExhausted: input?.calls.exhausted ?? false,
      limits: limits ?? NO_VERDICTS,
      guardrails: NO_GUARDRAILS,
      steps: steps?.facts,
    },
    attempts,
    answeredBy: outcome && input && attempts[input.tried.indexOf(outcome)],
    stream: outcome?.stream ?? false,
    settlement: outcome?.hold,
    counted: outcome?.counted,
    guardrails,
    captured,
  };
}

const promptName = (use: PromptUse | undefined): string | undefined => use && `${use.slug}@${use.version}`;

const attemptsOf = ({ tried, exchange }: AttemptInput, outcome: AttemptOutcome | undefined): readonly AttemptFacts[] =>
  tried.map((each) => (each === outcome ? answeringFacts(each, exchange) : spentFacts(each, exchange)));

const modeOf = (root: PlanNode): string => (root.kind === 'leaf' ? 'single' : root.mode);

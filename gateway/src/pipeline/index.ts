/** A request from authentication to the answer: `serve` has the steps in their order; docs/behaviour/requests.md. */
import { type AppError, toAppError } from '../errors/index.ts';
import { REQUEST_UNITS } from '../lib/regex.ts';
import type { Concurrency, Limiter } from '../limits/index.ts';
import { NO_VERDICTS } from '../record/index.ts';
import { type PlanNode, walkPlan } from '../routing/index.ts';
import type { StickySessions } from '../store/index.ts';
import { admit, holdConcurrencySlot } from './admit.ts';
import { type AttemptOutcome, type AttemptPorts, attemptFacts, attemptTarget } from './attempt/index.ts';
import { authorize } from './authorize.ts';
import { type CallBudget, createCallBudget } from './call-budget.ts';
import { callerFacts } from './caller-facts.ts';
import { type CircuitBreakerPort, NO_OPEN_CIRCUITS, openCircuits, recordCircuit } from './circuit-breakers.ts';
import { renderErrorFor } from './error-answer.ts';
import {
  type Answer,
  type AttemptFacts,
  type Caller,
  type Exchange,
  type PipelineFacts,
  type RequestBody,
  uploadOf,
} from './exchange.ts';
import { identify } from './identify.ts';
import type { Resolution, Resolver } from './resolve/index.ts';
import { stickyChoice } from './sticky-session.ts';
import { refuseLoop } from './via.ts';

export { ADAPTERS, type Adapter, createAdapters } from './adapters/index.ts';
export { type AnswerCheck, type AttemptPorts, checkOverload, type InputCheck } from './attempt/index.ts';
export type { CircuitBreakerPort } from './circuit-breakers.ts';
export type * from './exchange.ts';
export {
  type BodyKind,
  errorFormatOf,
  OPERATIONS,
  type Operation,
  type OperationId,
  ROUTES,
  type Route,
} from './operations/index.ts';
export { createResolver } from './resolve/index.ts';
export { traceOf } from './trace.ts';

export interface PipelinePorts {
  readonly limiter: Limiter;
  /** Of the requests of one key. */
  readonly concurrency: Concurrency;
  readonly resolver: Resolver;
  readonly attempts: AttemptPorts;
  readonly sessions: StickySessions;
  readonly breakers: CircuitBreakerPort;
  /** Resolves when the regular expressions of a request may run for another slice of time. */
  regexTurn(): Promise<void>;
  /** Calls to providers that one request may cause, over all targets and retries. */
  readonly maxCalls: number;
  /** The SidecarProfile of requests without a key; undefined: they are refused. */
  readonly sidecarProfile: string | undefined;
  /** Uniform in [0, 1). */
  random(): number;
  now(): number;
}

export interface Pipeline {
  /** Never rejects. */
  handle(exchange: Exchange): Promise<Answer>;
}

/** What is known of a request so far, for its record. */
interface Progress {
  caller?: Caller;
  resolution?: Resolution;
  attempts: Attempted[];
  calls?: CallBudget;
}

interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly facts: AttemptFacts;
}

export function createPipeline(ports: PipelinePorts): Pipeline {
  return {
    handle: async (exchange) => {
      const progress: Progress = { attempts: [] };
      try {
        return await serve(ports, exchange, progress);
      } catch (error) {
        return failure(exchange, toAppError(error), progress);
      }
    },
  };
}

async function serve(ports: PipelinePorts, exchange: Exchange, progress: Progress): Promise<Answer> {
  exchange.request.checkLength(exchange.operation.bodies);
  refuseLoop(exchange.request, ports.attempts.gatewayName);
  const caller = identify(exchange.request, exchange.snapshot, ports.sidecarProfile);
  progress.caller = caller;
  authorize(caller, exchange.operation);
  const held = holdConcurrencySlot(caller, exchange, ports);
  if (held instanceof Promise) await held;
  const admitted = admit(caller, exchange.request, ports);
  if (admitted instanceof Promise) await admitted;
  const resolution = await ports.resolver.resolve(exchange, caller);
  progress.resolution = resolution;
  const calls = createCallBudget(ports.maxCalls);
  progress.calls = calls;
  const input = { exchange, caller, resolution, calls };
  const local = exchange.operation.answerLocally?.(input);
  if (local !== undefined) {
    return {
      status: 200,
      headers: local.headers,
      body: { kind: 'bytes', bytes: local.bytes },
      facts: factsOf(undefined, progress),
      store: undefined,
    };
  }
  return toAnswer(await route(ports, input, progress), progress);
}

interface Input {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly resolution: Resolution;
  readonly calls: CallBudget;
}

async function route(ports: PipelinePorts, input: Input, progress: Progress): Promise<AttemptOutcome> {
  const { exchange, resolution, calls } = input;
  const { plan, metadata, params, body } = resolution;
  const work = { left: REQUEST_UNITS, nextSlice: ports.regexTurn };
  return walkPlan<AttemptOutcome>(plan.root, {
    facts: () => ({ metadata, params, pathname: exchange.request.path, work }),
    random: ports.random,
    open: plan.hasBreaker ? await openCircuits(ports.breakers, input, ports.now()) : NO_OPEN_CIRCUITS,
    stick: (sticky, branch, draw) => stickyChoice(ports.sessions, { sticky, branch, input }, draw),
    attempt: async (leaf) => {
      const outcome = await attemptTarget(ports.attempts, input, leaf);
      // A target that fails without a call counts too: trying thousands of them is work.
      if (outcome.calls === 0 && outcome.cacheStatus !== 'HIT') calls.take();
      progress.attempts.push({ outcome, facts: attemptFacts(outcome) });
      recordCircuit(ports.breakers, input, outcome);
      return outcome;
    },
    repeatable: () => (uploadOf(body)?.source.replayable ?? true) && calls.allowsMore(),
    abandon: (outcome) => {
      exchange.memory.clear();
      if (outcome.body.kind === 'stream') outcome.body.upstream.discard();
    },
  });
}

function toAnswer(outcome: AttemptOutcome, progress: Progress): Answer {
  const { status, headers, body, leaf, provider, retries, cacheStatus } = outcome;
  headers['x-gw-last-used-option-index'] = leaf.path;
  headers['x-gw-retry-attempt-count'] = String(retries);
  if (provider !== undefined) headers['x-gw-provider'] = provider;
  if (cacheStatus !== undefined) headers['x-gw-cache-status'] = cacheStatus;
  const upload = progress.resolution === undefined ? undefined : uploadOf(progress.resolution.body);
  if (progress.calls?.exhausted) headers['x-gw-attempts-exhausted'] = 'true';
  if (upload?.source.replayable === false) headers['x-gw-body-replayable'] = 'false';
  return { status, headers, body, facts: factsOf(outcome, progress), store: outcome.store };
}

function failure(exchange: Exchange, error: AppError, progress: Progress): Answer {
  const { status, headers, body } = renderErrorFor(error, exchange);
  const facts = { ...factsOf(undefined, progress), error };
  return { status, headers: { ...headers }, body: { kind: 'bytes', bytes: body }, facts, store: undefined };
}

function factsOf(outcome: AttemptOutcome | undefined, progress: Progress): PipelineFacts {
  const { caller, resolution, attempts, calls } = progress;
  const { plan, metadata = {}, body } = resolution ?? {};
  return {
    error: outcome?.error,
    caller: caller && callerFacts(caller),
    metadata,
    requestBytes: body === undefined ? undefined : bytesOf(body),
    route: { config: plan?.slug, mode: plan && modeOf(plan.root), optionPath: outcome?.leaf.path },
    decisions: {
      cache: outcome?.cacheStatus,
      retries: outcome?.retries,
      attemptsExhausted: calls?.exhausted ?? false,
      limits: NO_VERDICTS,
      guardrails: NO_VERDICTS,
    },
    attempts: attempts.map(({ facts }) => facts),
    answeredBy: outcome && attempts.find((attempt) => attempt.outcome === outcome)?.facts,
    stream: outcome?.stream ?? false,
  };
}

const modeOf = (root: PlanNode): string => (root.kind === 'leaf' ? 'single' : root.mode);

function bytesOf(body: RequestBody): number | undefined {
  switch (body.kind) {
    case 'none':
      return 0;
    case 'json':
      return body.bytes.length;
    case 'form':
    case 'binary':
      return body.source.bytes;
  }
}

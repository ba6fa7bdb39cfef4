/** A request from authentication to the answer: `serve` has the steps in their order; docs/behaviour/requests.md. */

import type { Budgets } from '../budgets/index.ts';
import { type AppError, toAppError } from '../errors/index.ts';
import type { TokenCheck } from '../identity/index.ts';
import { REQUEST_UNITS } from '../lib/regex.ts';
import type { Concurrency, Limiter } from '../limits/index.ts';
import { NOTHING_COUNTED, StepLog } from '../record/index.ts';
import { type Leaf, type QueryFacts, type RouteContext, type StickyPlan, walkPlan } from '../routing/index.ts';
import type { StickySessions } from '../store/index.ts';
import { createAccountModels } from './account-models.ts';
import { nameAnswerer, providerIdOf } from './answer-names.ts';
import {
  type AttemptInput,
  type AttemptOutcome,
  type AttemptPorts,
  attemptTarget,
  modelOf,
  spentFacts,
} from './attempt/index.ts';
import { authorize, authorizeUpstream } from './authorize.ts';
import { CallBudget } from './call-budget.ts';
import { type CapturePorts, captureAnswer, captureRequest, openCapture } from './capture.ts';
import { type CircuitBreakerPort, NO_OPEN_CIRCUITS, openCircuits, recordCircuit } from './circuit-breakers.ts';
import { holdConcurrencySlot } from './concurrency.ts';
import { enterDoor, leaveDoor } from './doors/index.ts';
import { renderErrorFor } from './error-answer.ts';
import { type Answer, type Caller, type Exchange, type HeaderMap, type RequestBody, uploadOf } from './exchange.ts';
import { factsOf, type Progress } from './facts.ts';
import { type FleetPort, fleetFor, passOn, refuseWithheldGuardrails } from './forward.ts';
import { softAnswer } from './guardrails/index.ts';
import { identify } from './identify.ts';
import { admit } from './limits/index.ts';
import { sayingWhere, tellingOf } from './lookup.ts';
import {
  errorFormatOf,
  type Ingest,
  type LocalAnswer,
  type LocalPorts,
  type OwnResources,
} from './operations/index.ts';
import { readAs, readBody } from './read-body.ts';
import { findFormModel, promptOf, type Resolver } from './resolve/index.ts';
import { stickyChoice } from './sticky-session.ts';
import { refuseUnservedHeaders } from './unserved-headers.ts';
import { addUsageHeaders } from './usage-headers.ts';
import { refuseLoop } from './via.ts';

export { ADAPTERS, type Adapter, createAdapters } from './adapters/index.ts';
export { createAskModel } from './ask-model.ts';
export { type AnswerCheck, type AttemptPorts, createOverloadCheck, type InputCheck } from './attempt/index.ts';
export { scrubberOf } from './attempt/map/index.ts';
export { callerFacts } from './caller-facts.ts';
export { bodiesKept, type CapturePorts } from './capture.ts';
export type { CircuitBreakerPort } from './circuit-breakers.ts';
export { createEmbedPrompt } from './embed-prompt.ts';
export type * from './exchange.ts';
export { findKey, type KeyLookup } from './gateway-key.ts';
export {
  createAnswerHooks,
  createGuardrailWatch,
  createRequestHooks,
  type GuardrailPorts,
} from './guardrails/index.ts';
export { callerOfKey } from './identify.ts';
export { chargeSpent } from './limits/index.ts';
export {
  type BodyKind,
  errorFormatOf,
  type Ingest,
  type IngestCall,
  type LocalAnswer,
  OPERATIONS,
  type Operation,
  type OperationId,
  type OwnResourceCall,
  type OwnResources,
  type ResolvedRequest,
  ROUTES,
  type Route,
} from './operations/index.ts';
export { planRow, type RowPlan, type RowTarget } from './plan-row.ts';
export { createResolver } from './resolve/index.ts';
export { textScrubberOf } from './target-secrets.ts';
export { type SpanRules, traceOf } from './trace.ts';

export interface PipelinePorts {
  readonly limiter: Limiter;
  readonly budgets: Budgets;
  /** Of the requests of one key. */
  readonly concurrency: Concurrency;
  readonly ownResources: OwnResources;
  readonly ingest: Ingest;
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
  readonly tokens: TokenCheck;
  /** Undefined: there is no request log that keeps bodies. */
  readonly capture: CapturePorts | undefined;
  /** Whether there is a log of rows now: they tell how long parts of a request took. */
  keepsRows(): boolean;
  /** On a sidecar: the way to the fleet. */
  readonly fleet: FleetPort | undefined;
  /** Uniform in [0, 1). */
  random(): number;
  now(): number;
}

export interface Pipeline {
  /** Never rejects. */
  handle(exchange: Exchange): Promise<Answer>;
}

export function createPipeline(ports: PipelinePorts): Pipeline {
  const { attempts, now } = ports;
  const own = { ...ports, accountModels: createAccountModels({ attempts, now }) };
  const isCapturing = ports.capture !== undefined;
  return { handle: (exchange) => (isCapturing ? captured(own, exchange) : serve(own, exchange)) };
}

function beginProgress({ trace }: Exchange, { keepsRows }: PipelinePorts): Progress {
  const progress: Progress = {};
  if (trace.span?.sampled === true) progress.steps = new StepLog();
  if (keepsRows()) progress.times = {};
  return progress;
}

const captured = async (ports: PipelinePorts & LocalPorts, exchange: Exchange): Promise<Answer> =>
  captureAnswer(await serve(ports, exchange), exchange);

async function serve(ports: PipelinePorts & LocalPorts, exchange: Exchange): Promise<Answer> {
  const { request, operation } = exchange;
  const progress = beginProgress(exchange, ports);
  try {
    request.checkLength(operation.bodies);
    refuseLoop(request, ports.attempts.gatewayName);
    const identified = callerFor(exchange, ports);
    const caller = identified instanceof Promise ? await identified : identified;
    progress.caller = caller;
    progress.captured = openCapture(ports.capture, exchange, caller);
    authorize(caller, operation);
    const held = holdConcurrencySlot(caller, exchange, ports);
    if (held instanceof Promise) await held;
    const admitted = admitFirst(caller, exchange, ports, progress);
    if (admitted instanceof Promise) await admitted;
    refuseUnservedHeaders(request);
    const given = await readBody(exchange, progress.times);
    progress.body = given;
    captureRequest(progress.captured, given);
    const asked = operation.readAs === undefined ? given : await readAs(exchange, given, ports.attempts.json);
    const { body, leave } = openDoor(ports, exchange, asked);
    const found = findFormModel(body, exchange, caller);
    if (found instanceof Promise) await found;
    const prompted = promptOf(exchange, caller, body);
    const called = prompted?.exchange ?? exchange;
    const resolution = ports.resolver.resolve(called, caller, prompted?.body ?? body, prompted);
    const input = {
      exchange: called,
      caller,
      resolution,
      calls: new CallBudget(ports.maxCalls),
      tried: [],
      log: progress,
      captured: progress.captured,
    };
    progress.input = input;
    const answered = operation.answerLocally?.(input, ports);
    const local = answered instanceof Promise ? await answered : answered;
    const fleet = local === undefined ? fleetOf(ports, input) : undefined;
    // The fleet counts what goes there.
    if (ports.fleet !== undefined && fleet === undefined) await admit(caller, request, ports, progress);
    if (local !== undefined) return leave(localAnswer(local, progress));
    authorizeUpstream(caller, operation);
    if (fleet !== undefined)
      return await passOn(
        asGiven(input, given),
        { ...fleet, gatewayName: ports.attempts.gatewayName },
        { ...factsOf(undefined, progress), isPassedOn: true },
      );
    refuseWithheldGuardrails(input);
    const { plan } = resolution;
    const open = plan.hasBreaker ? await openCircuits(ports.breakers, input, ports.now()) : NO_OPEN_CIRCUITS;
    const outcome = await walkPlan(plan.root, new Routing(ports, input, open));
    return leave(sayingWhere(toAnswer(outcome, input, ports), input));
  } catch (error) {
    return failure(exchange, toAppError(error), progress);
  }
}

/** Undefined on a sidecar, which learns later who counts the request. */
const admitFirst = (caller: Caller, { request }: Exchange, ports: PipelinePorts, progress: Progress) =>
  ports.fleet === undefined ? admit(caller, request, ports, progress) : undefined;

/** The body that the operation takes, and its answers as the client takes them. */
function openDoor({ attempts, now }: PipelinePorts, exchange: Exchange, given: RequestBody) {
  const door = enterDoor(exchange, given, now);
  if (door === undefined) return { body: given, leave: (answer: Answer): Answer => answer };
  const format = errorFormatOf(exchange.operation, exchange.request);
  const options = { exchange, entered: door.entered, json: attempts.json, format };
  return { body: door.body, leave: (answer: Answer): Answer => leaveDoor(answer, options) };
}

/** The fleet has the same doors and reads alike: it gets the body of the client. */
const asGiven = (input: AttemptInput, given: RequestBody): AttemptInput =>
  input.exchange.operation.door === undefined && input.exchange.operation.readAs === undefined
    ? input
    : { ...input, resolution: { ...input.resolution, body: given } };

/** Who is known already is not asked for a key. */
const callerFor = ({ caller, request, snapshot }: Exchange, ports: PipelinePorts): Caller | Promise<Caller> =>
  caller ?? identify(request, snapshot, ports);

const fleetOf = ({ fleet }: PipelinePorts, input: AttemptInput) =>
  fleet === undefined ? undefined : fleetFor(input, fleet);

/** Tries the targets of one request. */
class Routing implements RouteContext<AttemptOutcome> {
  readonly #ports: PipelinePorts;
  readonly #input: AttemptInput;
  readonly open: ReadonlySet<string>;
  readonly tells: typeof tellingOf | undefined;
  #facts: QueryFacts | undefined;

  constructor(ports: PipelinePorts, input: AttemptInput, open: ReadonlySet<string>) {
    this.#ports = ports;
    this.#input = input;
    this.open = open;
    this.tells = input.exchange.operation.looksUp === true ? tellingOf : undefined;
  }

  /** The same for all conditions, which share one allowance of work. */
  facts(): QueryFacts {
    this.#facts ??= factsForQueries(this.#ports, this.#input);
    return this.#facts;
  }

  random(): number {
    return this.#ports.random();
  }

  stick(sticky: StickyPlan, branch: string, draw: (stored: number | undefined) => number): Promise<number> {
    return stickyChoice(this.#ports.sessions, { sticky, branch, input: this.#input }, draw);
  }

  attempt(leaf: Leaf): Promise<AttemptOutcome> {
    const attempted = attemptTarget(this.#ports.attempts, this.#input, leaf);
    if (leaf.breaker === undefined) return attempted;
    return attempted.then((outcome) => {
      recordCircuit(this.#ports.breakers, this.#input, outcome);
      return outcome;
    });
  }

  repeatable(): boolean {
    const { exchange, resolution, calls } = this.#input;
    if (exchange.operation.connects === true) return false;
    return (uploadOf(resolution.body)?.source.replayable ?? true) && calls.allowsMore();
  }

  abandon(outcome: AttemptOutcome): void {
    const { body, status, hold } = outcome;
    const spent = spentFacts(outcome, this.#input.exchange);
    if (spent.usage !== undefined) hold?.settle({ ...spent, status: 200 });
    else if (status >= 200 && status <= 299)
      hold?.keep(); // the provider may bill it, and nobody reads its usage
    else hold?.settle({ status, usage: undefined, cost: undefined });
    this.#input.exchange.memory.clear();
    if (body.kind === 'stream') body.upstream.discard();
  }
}

function factsForQueries({ regexTurn }: PipelinePorts, { exchange, resolution }: AttemptInput): QueryFacts {
  const { metadata, params } = resolution;
  const work = { left: REQUEST_UNITS, nextSlice: regexTurn };
  return { metadata, params, pathname: exchange.request.path, work };
}

function localAnswer(answer: LocalAnswer, progress: Progress): Answer {
  const { headers } = answer;
  progress.limits?.addHeaders(headers);
  return {
    status: 200,
    headers,
    body:
      'bytes' in answer
        ? { kind: 'bytes', bytes: answer.bytes }
        : { kind: 'stream', upstream: answer.stream, transform: undefined },
    facts: factsOf(undefined, progress),
    store: undefined,
  };
}

function toAnswer(outcome: AttemptOutcome, input: AttemptInput, { attempts, now }: PipelinePorts): Answer {
  const { leaf, provider, model, retries, cacheStatus, droppedParams, store } = outcome;
  const { guards } = outcome;
  const soft = guards && softAnswer(outcome, now());
  if (guards?.isWatched === true) {
    const { exchange } = input;
    exchange.atEnd(() => attempts.guardrails.watch.start(guards, exchange.trace));
  }
  const { body } = soft ?? outcome;
  const headers = soft === undefined ? outcome.headers : { ...outcome.headers, ...soft.headers };
  headers['x-gw-last-used-option-index'] = leaf.path;
  headers['x-gw-retry-attempt-count'] = String(retries);
  nameAnswerer(headers, provider, model);
  if (cacheStatus !== undefined) headers['x-gw-cache-status'] = cacheStatus;
  if (droppedParams.length > 0) headers['x-gw-dropped-params'] = droppedParams.join(', ');
  if (input.calls.exhausted) headers['x-gw-attempts-exhausted'] = 'true';
  if (uploadOf(input.resolution.body)?.source.replayable === false) headers['x-gw-body-replayable'] = 'false';
  const { limits } = input.log;
  limits?.addHeaders(headers);
  const facts = factsOf(outcome, { caller: input.caller, input, ...input.log });
  const answer: Answer =
    soft === undefined
      ? { status: outcome.status, headers, body, facts, store, connection: outcome.connection }
      : { status: 200, headers, body, facts: { ...facts, ...SOFT_FACTS, stream: soft.stream }, store: undefined };
  addUsageHeaders(input.exchange, answer);
  return answer;
}

/** Of a denial that is an answer of the gateway. */
const SOFT_FACTS = { error: undefined, counted: NOTHING_COUNTED } as const;

function failure(exchange: Exchange, error: AppError, progress: Progress): Answer {
  const rendered = renderErrorFor(error, exchange);
  const headers: HeaderMap = { ...rendered.headers };
  const { body, input } = progress;
  const params = input?.resolution.params ?? (body?.kind === 'json' ? body.value : {});
  progress.limits?.addHeaders(headers);
  nameAnswerer(headers, error.provider ?? providerIdOf(input?.resolution.requestProvider), modelOf(params));
  const facts = { ...factsOf(undefined, progress), error };
  return { status: rendered.status, headers, body: { kind: 'bytes', bytes: rendered.body }, facts, store: undefined };
}

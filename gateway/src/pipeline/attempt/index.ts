/** One target: prepare → guard → request → cache → limits → [send → map → evaluate] × retries → record. */
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { OutgoingRequest } from '../../providers/contract.ts';
import { andThen } from '../../providers/engine/index.ts';
import type { AttemptParts } from '../../record/index.ts';
import type { Leaf } from '../../routing/index.ts';
import type { UpstreamRequest, UpstreamResponse } from '../../upstream/index.ts';
import type { CallBudget } from '../call-budget.ts';
import { uploadOf } from '../exchange.ts';
import { holdTarget } from '../limits/index.ts';
import { openCache } from './cache.ts';
import { collectAnswer } from './collect.ts';
import { connectTarget } from './connect.ts';
import { countRows } from './count-rows.ts';
import { type CheckedAnswer, evaluate } from './evaluate/index.ts';
import { followBatch } from './follow-batch.ts';
import { guard } from './guard.ts';
import { type MappedAnswer, map, release } from './map/index.ts';
import type { AttemptInput, AttemptPorts } from './ports.ts';
import { type Prepared, prepare } from './prepare/index.ts';
import { checkRows, rowCheckOf, runProcedure } from './procedure.ts';
import { type AttemptOutcome, beginAttempt, cachedOutcome, failedOutcome, triedOutcome } from './record/index.ts';
import { buildRequest, firstRequest, toHeldUpstream } from './request.ts';
import { type RetryOptions, type Tried, tryWithRetries } from './retries.ts';
import type { ProviderAnswer } from './send/index.ts';
import { refuseUnseenSession } from './unseen-session.ts';

export { type AnswerCheck, type AnsweredTry, type CheckedAnswer, createOverloadCheck } from './evaluate/index.ts';
export type { InputCheck, InputVerdict } from './guard.ts';
export type { MappedAnswer } from './map/index.ts';
export type { AttemptInput, AttemptPorts } from './ports.ts';
export { modelOf, type Prepared, prepare } from './prepare/index.ts';
export { type AttemptOutcome, answeringFacts, spentFacts } from './record/index.ts';
export { buildRequest } from './request.ts';
export type { EmbedPrompt } from './semantic.ts';

/** Tries one target. Never rejects: whatever goes wrong is an outcome with a status. */
export async function attemptTarget(ports: AttemptPorts, input: AttemptInput, leaf: Leaf): Promise<AttemptOutcome> {
  const progress = beginAttempt(input, leaf);
  try {
    progress.prepared = prepare(ports, input, leaf);
    refuseUnseenSession(ports, progress.prepared);
    const guarded = guard(ports, progress.prepared);
    const prepared = guarded instanceof Promise ? await guarded : guarded;
    progress.prepared = prepared;
    if (prepared.operation.connects === true) return await connectTarget(ports, progress, prepared);
    const { collect } = prepared.operation.handler;
    if (collect !== undefined) {
      const held = holdTarget(ports, prepared);
      progress.hold = held instanceof Promise ? await held : held;
      return await triedOutcome(progress, await collectAnswer(ports, prepared, collect), { json: ports.json });
    }
    const procedure = prepared.operation.handler.procedureOf?.(prepared.provider);
    if (procedure !== undefined) {
      const held = holdTarget(ports, prepared);
      progress.hold = held instanceof Promise ? await held : held;
      const run = await seen(ports, prepared, await runProcedure(ports, prepared, procedure));
      return await triedOutcome(progress, run, { json: ports.json });
    }

    const built = firstRequest(ports, prepared);
    const request = built instanceof Promise ? await built : built;
    const opened = openCache(ports, prepared, { request, parts: progress.parts });
    const cache = opened instanceof Promise ? await opened : opened;
    if (cache.hit !== undefined) return cachedOutcome(progress, cache.hit);
    const held = holdTarget(ports, prepared);
    progress.hold = held instanceof Promise ? await held : held;
    const check = rowCheckOf(prepared);
    const refused = check && (await checkRows(ports, prepared, check));
    if (refused !== undefined) return await triedOutcome(progress, refused, { json: ports.json });
    const tried = await tryTarget(ports, prepared, { request, parts: progress.parts });
    return await triedOutcome(progress, tried, { cache, json: ports.json });
  } catch (error) {
    return failedOutcome(progress, error);
  }
}

function tryTarget(ports: AttemptPorts, prepared: Prepared, first: FirstTry): Promise<Tried<MappedAnswer>> {
  const { createsBatch, reportsRows } = prepared.operation;
  const tried = tryWithRetries(ports, new TargetTries(ports, prepared, first));
  const isOfBatch = createsBatch === true || reportsRows !== undefined;
  return isOfBatch ? tried.then((answered) => seen(ports, prepared, answered)) : tried;
}

/** The answer, once what it says about a batch is remembered. */
async function seen(ports: AttemptPorts, prepared: Prepared, tried: Tried<MappedAnswer>): Promise<Tried<MappedAnswer>> {
  await followBatch(ports, prepared, tried);
  return await countRows(ports, prepared, tried);
}

interface FirstTry {
  readonly request: OutgoingRequest;
  /** Gets the time of mapping; undefined: nobody asks for it. */
  readonly parts: AttemptParts | undefined;
}

/** The tries of one target: the request that was built first, then new ones, for tokens and signatures expire. */
class TargetTries implements RetryOptions<MappedAnswer> {
  readonly #ports: AttemptPorts;
  readonly #prepared: Prepared;
  readonly #parts: AttemptParts | undefined;
  #first: OutgoingRequest | undefined;

  constructor(ports: AttemptPorts, prepared: Prepared, { request, parts }: FirstTry) {
    this.#ports = ports;
    this.#prepared = prepared;
    this.#parts = parts;
    this.#first = request;
  }

  get signal(): CancelSignal {
    return this.#prepared.input.exchange.signal;
  }

  get settings(): Prepared['settings'] {
    return this.#prepared.settings;
  }

  get calls(): CallBudget {
    return this.#prepared.input.calls;
  }

  get memory(): ByteAccount {
    return this.#prepared.input.exchange.memory;
  }

  get replayable(): boolean {
    return uploadOf(this.#prepared.input.resolution.body)?.source.replayable ?? true;
  }

  request(signal: CancelSignal): UpstreamRequest | Promise<UpstreamRequest> {
    const prepared = this.#prepared;
    const built = this.#first ?? buildRequest(this.#ports, prepared, signal);
    this.#first = undefined;
    return andThen(built, (request) => toHeldUpstream(request, prepared));
  }

  isStream(response: UpstreamResponse): boolean {
    return this.#prepared.operation.handler.isStreamed(this.#prepared, response);
  }

  isEventStream(response: UpstreamResponse): boolean {
    return this.#prepared.operation.handler.isEventStream(this.#prepared, response);
  }

  atEnd(task: () => void): void {
    this.#prepared.input.exchange.atEnd(task);
  }

  map(answer: ProviderAnswer): MappedAnswer | Promise<MappedAnswer> {
    const parts = this.#parts;
    if (parts === undefined || answer.kind === 'stream' || answer.status < 200 || answer.status > 299)
      return map(this.#ports, this.#prepared, answer);
    const startedMs = performance.now();
    const mapping = map(this.#ports, this.#prepared, answer);
    return andThen(mapping, (mapped) => {
      parts.mappingMs = performance.now() - startedMs;
      return mapped;
    });
  }

  evaluate(answer: MappedAnswer, signal: CancelSignal): CheckedAnswer | Promise<CheckedAnswer> {
    return evaluate(this.#ports.answerChecks, { prepared: this.#prepared, answer, signal });
  }

  statusOf({ status }: MappedAnswer): number {
    return status;
  }

  release(answer: MappedAnswer): void {
    release(answer, this.memory);
  }
}

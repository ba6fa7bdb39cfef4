/** One target: prepare → guard → request → cache → limit → [send → map → evaluate] × retries → record. */
import type { OutgoingRequest } from '../../providers/contract.ts';
import type { Leaf } from '../../routing/index.ts';
import { uploadOf } from '../exchange.ts';
import { openCache } from './cache.ts';
import { collectAnswer } from './collect.ts';
import { evaluate } from './evaluate/index.ts';
import { guard } from './guard.ts';
import { limit } from './limit.ts';
import { type MappedAnswer, map, release } from './map/index.ts';
import type { AttemptInput, AttemptPorts } from './ports.ts';
import { type Prepared, prepare, sendSettings } from './prepare/index.ts';
import { type AttemptOutcome, beginAttempt, cachedOutcome, failedOutcome, triedOutcome } from './record/index.ts';
import { firstRequest, requestsOf } from './request.ts';
import { type RetryOptions, tryWithRetries } from './retries.ts';

export { type AnswerCheck, checkOverload } from './evaluate/index.ts';
export type { InputCheck } from './guard.ts';
export type { AttemptInput, AttemptPorts } from './ports.ts';
export { type AttemptOutcome, attemptFacts } from './record/index.ts';

/** Tries one target. Never rejects: whatever goes wrong is an outcome with a status. */
export async function attemptTarget(ports: AttemptPorts, input: AttemptInput, leaf: Leaf): Promise<AttemptOutcome> {
  const progress = beginAttempt(input, leaf);
  try {
    progress.prepared = prepare(ports, input, leaf);
    const guarded = guard(ports, progress.prepared);
    const prepared = guarded instanceof Promise ? await guarded : guarded;
    progress.prepared = prepared;
    const { collect } = prepared.operation.handler;
    if (collect !== undefined) return triedOutcome(progress, await collectAnswer(ports, prepared, collect));

    const built = firstRequest(ports, prepared);
    const request = built instanceof Promise ? await built : built;
    const opened = openCache(ports, prepared, request);
    const cache = opened instanceof Promise ? await opened : opened;
    if (cache.hit !== undefined) return cachedOutcome(progress, cache.hit);
    const limited = limit(ports, prepared);
    if (limited instanceof Promise) await limited;
    const tried = await tryWithRetries(ports, triesOf(ports, prepared, request));
    return triedOutcome(progress, tried, cache);
  } catch (error) {
    return failedOutcome(progress, error);
  }
}

function triesOf(ports: AttemptPorts, prepared: Prepared, first: OutgoingRequest): RetryOptions<MappedAnswer> {
  const { exchange, calls, resolution } = prepared.input;
  const { body } = resolution;
  const { memory } = exchange;
  return {
    signal: exchange.signal,
    settings: sendSettings(prepared),
    calls,
    memory,
    replayable: () => uploadOf(body)?.source.replayable ?? true,
    request: requestsOf(ports, prepared, first),
    isStream: (response) => prepared.operation.handler.isStreamed(prepared, response),
    map: (answer) => map(ports, prepared, answer),
    evaluate: (answer, signal) => evaluate(ports.answerChecks, { prepared, answer, signal }),
    release: (answer) => release(answer, memory),
  };
}

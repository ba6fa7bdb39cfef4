/** One target: prepare, request, cache, send, map, record. */
import { toAppError } from '../../errors/index.ts';
import type { Leaf } from '../../routing/index.ts';
import type { CacheStatus } from '../exchange.ts';
import { openCacheSession } from './cache.ts';
import { sendModels } from './list-models.ts';
import { streamAnswer, unaryAnswer } from './map/index.ts';
import type { AttemptInput, AttemptPorts } from './ports.ts';
import { modelOf, type Prepared, prepare } from './prepare/index.ts';
import { type AttemptOutcome, failedOutcome, HIT, type OutcomeTarget, withSuggestion } from './record/index.ts';
import { firstRequest } from './request.ts';
import type { SendResult } from './retries.ts';
import { send } from './send/index.ts';

export type { AttemptInput, AttemptPorts } from './ports.ts';
export type { AttemptOutcome } from './record/index.ts';
export type { SendPort } from './retries.ts';

/** Tries one target. Never rejects: whatever goes wrong is an outcome with a status. */
export async function attemptTarget(ports: AttemptPorts, input: AttemptInput, leaf: Leaf): Promise<AttemptOutcome> {
  let target: OutcomeTarget = { leaf, provider: undefined, model: modelOf(input.resolution.params) };
  try {
    const prepared = prepare(ports, input, leaf);
    target = { leaf, provider: prepared.provider.id, model: prepared.call.model };
    return await run(ports, prepared, target);
  } catch (error) {
    return failedOutcome(withSuggestion(toAppError(error), input), { target, input });
  }
}

async function run(ports: AttemptPorts, prepared: Prepared, target: OutcomeTarget): Promise<AttemptOutcome> {
  if (prepared.call.endpoint === 'listModels') {
    return toOutcome(ports, prepared, { sent: await sendModels(ports, prepared), target, cacheStatus: undefined });
  }
  const { input, leaf, call } = prepared;
  const built = firstRequest(ports, prepared);
  const first = built instanceof Promise ? await built : built;
  const opened = openCacheSession({
    ...prepared,
    ...input,
    cache: ports.cache,
    plan: leaf.settings.cache,
    request: first,
  });
  const session = opened instanceof Promise ? await opened : opened;
  if (session.hit !== undefined) {
    const { headers, body } = session.hit;
    return { ...target, ...HIT, headers, body, stream: call.stream };
  }
  const sent = await send(ports, prepared, first);
  const outcome = await toOutcome(ports, prepared, { sent, target, cacheStatus: session.status });
  const store = outcome.status === 200 && outcome.error === undefined ? session.writer(outcome) : undefined;
  return store === undefined ? outcome : { ...outcome, store };
}

interface Sent {
  readonly sent: SendResult;
  readonly target: OutcomeTarget;
  readonly cacheStatus: CacheStatus | undefined;
}

async function toOutcome(
  ports: AttemptPorts,
  prepared: Prepared,
  { sent, target, cacheStatus }: Sent,
): Promise<AttemptOutcome> {
  const { result, ...counts } = sent;
  const { input } = prepared;
  if (result.kind === 'error') return failedOutcome(result.error, { target, input, ...counts, cacheStatus });
  const answer =
    result.kind === 'stream'
      ? streamAnswer(prepared, result.response)
      : await unaryAnswer(prepared, result, { ...ports, memory: input.exchange.memory });
  return { ...target, ...counts, ...answer, fallback: 'status', error: undefined, cacheStatus, store: undefined };
}

/** What the attempt of one target came to: an answer for the client, and what strategies and records need to know. */

import type { ErrorCode } from '@gatehouse/crds/errors';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { AccountPrices } from '../../../cost/index.ts';
import { type AppError, toAppError } from '../../../errors/index.ts';
import { toUnixMs } from '../../../lib/clock.ts';
import { NOTHING_DROPPED } from '../../../providers/engine/index.ts';
import type { AttemptFacts } from '../../../record/index.ts';
import type { Leaf, RouteOutcome } from '../../../routing/index.ts';
import { providerIdOf } from '../../answer-names.ts';
import { renderErrorFor } from '../../error-answer.ts';
import type { AnswerBody, CacheStatus, CacheWriter, HeaderMap } from '../../exchange.ts';
import type { TargetHold } from '../../limits/index.ts';
import type { CacheHit, CacheSession } from '../cache.ts';
import type { MappedAnswer } from '../map/index.ts';
import type { AttemptInput } from '../ports.ts';
import { modelOf, type Prepared } from '../prepare/index.ts';
import type { Tried } from '../retries.ts';
import { withSuggestion } from './suggestions.ts';

export interface AttemptOutcome extends RouteOutcome {
  readonly leaf: Leaf;
  readonly provider: string | undefined;
  readonly model: string;
  /** Parameters of the client that the provider does not have. */
  readonly droppedParams: readonly string[];
  readonly headers: HeaderMap;
  readonly body: AnswerBody;
  readonly error: AppError | undefined;
  /** Retries used; -1 when they were used up. */
  readonly retries: number;
  readonly cacheStatus: CacheStatus | undefined;
  /** `performance.now()` when the attempt began. */
  readonly startedMs: number;
  /** Until the answer was known: the first event of a stream, the last byte of others. */
  readonly durationMs: number;
  /** Time spent on the network, waits between tries left out. */
  readonly upstreamMs: number;
  /** Calls made to the provider: 0 when none was needed or possible. */
  readonly calls: number;
  readonly stream: boolean;
  readonly store: CacheWriter | undefined;
  /** Of the account, where its Integration sets any. */
  readonly prices: AccountPrices | undefined;
  /** What the target has taken of limits, to be settled with what the answer used. */
  readonly hold: TargetHold | undefined;
}

/** What is known of an attempt that is under way. */
export interface AttemptProgress {
  readonly input: AttemptInput;
  readonly leaf: Leaf;
  readonly startedMs: number;
  prepared: Prepared | undefined;
  /** What the target has taken of limits. */
  hold: TargetHold | undefined;
}

export const beginAttempt = (input: AttemptInput, leaf: Leaf): AttemptProgress => ({
  input,
  leaf,
  startedMs: performance.now(),
  prepared: undefined,
  hold: undefined,
});

const NOTHING_SENT = { retries: 0, calls: 0, upstreamMs: 0 } as const;

/** An answer of the cache. */
export const cachedOutcome = (progress: AttemptProgress, { headers, body, stream }: CacheHit): AttemptOutcome =>
  record(progress, {
    ...factsOf(progress),
    ...NOTHING_SENT,
    status: 200,
    fallback: 'status',
    headers,
    body,
    error: undefined,
    cacheStatus: 'HIT',
    stream,
    store: undefined,
    hold: undefined,
  });

/** An error that ended the attempt before the provider was called. */
export const failedOutcome = (progress: AttemptProgress, error: unknown): AttemptOutcome =>
  errorOutcome(progress, withSuggestion(toAppError(error), progress.input), {
    ...NOTHING_SENT,
    cacheStatus: undefined,
  });

/** What the last try came to. `cache`: undefined where there is none to look at. */
export function triedOutcome(
  progress: AttemptProgress,
  { result, retries, calls, upstreamMs }: Tried<MappedAnswer>,
  cache?: CacheSession,
): AttemptOutcome {
  const cacheStatus = cache?.status;
  if (result.kind === 'error') return errorOutcome(progress, result.error, { retries, calls, upstreamMs, cacheStatus });
  const { status, headers, body, stream } = result.answer;
  const { leaf, provider, model, droppedParams, startedMs, durationMs, prices } = factsOf(progress);
  return record(progress, {
    leaf,
    provider,
    model,
    droppedParams,
    status,
    fallback: 'status',
    headers,
    body,
    error: undefined,
    retries,
    cacheStatus,
    startedMs,
    durationMs,
    upstreamMs,
    calls,
    stream,
    store: status === 200 ? cache?.writer(result.answer) : undefined,
    prices,
    hold: progress.hold,
  });
}

/** The provider of a target that failed before it was prepared. */
function providerOf({
  input: { exchange, caller, resolution },
  leaf: { source },
}: AttemptProgress): string | undefined {
  switch (source.kind) {
    case 'literal':
      return PROVIDER_CATALOGUE.get(source.provider)?.id;
    case 'managed':
      return exchange.snapshot.provider(caller.workspace.name, source.slug)?.provider.id;
    case 'request':
    case 'passthrough':
      return providerIdOf(resolution.requestProvider);
    case 'fleet':
      return undefined;
  }
}

/** Errors that end a call whose provider may be answering. */
const ENDED_BY_US: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CLIENT_CLOSED', 'UPSTREAM_TIMEOUT', 'DRAINING']);

type Counts = Pick<AttemptOutcome, 'retries' | 'calls' | 'upstreamMs' | 'cacheStatus'>;

function errorOutcome(progress: AttemptProgress, error: AppError, counts: Counts): AttemptOutcome {
  const { status, headers, body } = renderErrorFor(error, progress.input.exchange);
  if (ENDED_BY_US.has(error.code)) progress.hold?.keep();
  else progress.hold?.release();
  const facts = factsOf(progress);
  return record(progress, {
    ...facts,
    ...counts,
    provider: facts.provider ?? error.provider ?? providerOf(progress),
    status,
    fallback: error.row.fallback,
    headers: { ...headers },
    body: { kind: 'bytes', bytes: body },
    error,
    stream: false,
    store: undefined,
    hold: undefined,
  });
}

function record({ input }: AttemptProgress, outcome: AttemptOutcome): AttemptOutcome {
  // A target that fails without a call counts too: trying thousands of them is work.
  if (outcome.calls === 0 && outcome.cacheStatus !== 'HIT') input.calls.take();
  input.tried.push(outcome);
  return outcome;
}

const factsOf = ({ input, leaf, startedMs, prepared }: AttemptProgress) => ({
  leaf,
  provider: prepared?.provider.id,
  model: prepared?.call.model ?? modelOf(input.resolution.params),
  droppedParams: prepared?.droppedParams ?? NOTHING_DROPPED,
  prices: prepared?.resolved.managed?.prices,
  startedMs,
  durationMs: performance.now() - startedMs,
});

/** The entry of the attempt in the record of its request; what its answer reports is not known yet. */
export const attemptFacts = (outcome: AttemptOutcome): AttemptFacts => ({
  provider: outcome.provider,
  model: outcome.model === '' ? undefined : outcome.model,
  answeredModel: undefined,
  droppedParams: outcome.droppedParams,
  status: outcome.status,
  error: outcome.error,
  cache: outcome.cacheStatus,
  calls: outcome.calls,
  startedAtMs: toUnixMs(outcome.startedMs),
  durationMs: outcome.durationMs,
  upstreamMs: outcome.upstreamMs,
  usage: undefined,
  prices: outcome.prices,
  cost: undefined,
});

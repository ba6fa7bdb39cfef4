/** What the attempt of one target came to: an answer for the client, and what strategies and records need to know. */

import type { ErrorCode } from '@gatehouse/crds/errors';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { AccountPrices } from '../../../cost/index.ts';
import { type AppError, toAppError } from '../../../errors/index.ts';
import { toUnixMs } from '../../../lib/clock.ts';
import type { JsonLimits } from '../../../lib/json/index.ts';
import type { Scrubber } from '../../../lib/scrub.ts';
import { NOTHING_DROPPED } from '../../../providers/engine/index.ts';
import {
  type AskedParams,
  type AttemptFacts,
  type AttemptParts,
  addCounted,
  type CapturedAttempt,
  type CountedAnswer,
  type ImagesAsked,
  isCacheHit,
  withUsage,
} from '../../../record/index.ts';
import type { Leaf, RouteOutcome } from '../../../routing/index.ts';
import { providerIdOf } from '../../answer-names.ts';
import { renderErrorFor } from '../../error-answer.ts';
import {
  type AnswerBody,
  type CacheStatus,
  type CacheWriter,
  type HeaderMap,
  ownFormModelOf,
  type ProviderConnection,
} from '../../exchange.ts';
import { FAILED_STATUS, type ShownAnswer, type TargetGuards } from '../../guardrails/index.ts';
import type { TargetHold } from '../../limits/index.ts';
import { textScrubberOf } from '../../target-secrets.ts';
import { asStream, storing } from '../as-stream.ts';
import type { CacheHit, CacheSession } from '../cache.ts';
import { type MappedAnswer, scrubberOf } from '../map/index.ts';
import type { AttemptInput } from '../ports.ts';
import { modelOf, type Prepared, pricesOf } from '../prepare/index.ts';
import type { Tried } from '../retries.ts';
import { charactersAsked, imagesAsked } from './asked.ts';
import { spanParams } from './params-asked.ts';
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
  readonly parts: AttemptParts | undefined;
  /** Calls made to the provider: 0 when none was needed or possible. */
  readonly calls: number;
  readonly stream: boolean;
  readonly store: CacheWriter | undefined;
  /** Slug of the stored account. */
  readonly account: string | undefined;
  /** Of a call that the gateway makes for the request. */
  readonly operation?: string | undefined;
  /** Of the account, where its Integration sets any. */
  readonly prices: AccountPrices | undefined;
  /** Of its span, where spans are made. */
  readonly spanId: string | undefined;
  /** Scheme, host and port of the last call. */
  readonly origin: string | undefined;
  /** What the target has taken of limits, to be settled with what the answer used. */
  readonly hold: TargetHold | undefined;
  /** What answers have used that guardrails withheld from the client. */
  readonly withheld: CountedAnswer | undefined;
  /** What the answer used; undefined: its bytes tell. */
  readonly counted: CountedAnswer | undefined;
  readonly guards: TargetGuards | undefined;
  /** Images that were asked for; undefined: none. */
  readonly images: ImagesAsked | undefined;
  /** Characters that were to be spoken; undefined: none. */
  readonly characters: number | undefined;
  /** Parameters for its span; undefined: it is not exported. */
  readonly asked: AskedParams | undefined;
  /** Headers and bodies for the request log. */
  readonly captured: CapturedAttempt | undefined;
  /** Takes the secrets of the target out of short texts. */
  readonly textScrubber: (() => Scrubber) | undefined;
  /** Present when the target has switched protocols. */
  readonly connection?: ProviderConnection | undefined;
}

/** What is known of an attempt that is under way. */
export interface AttemptProgress extends Pick<AttemptOutcome, 'leaf' | 'startedMs' | 'parts'> {
  readonly input: AttemptInput;
  prepared: Prepared | undefined;
  /** What the target has taken of limits. */
  hold: TargetHold | undefined;
}

export const beginAttempt = (input: AttemptInput, leaf: Leaf): AttemptProgress => ({
  input,
  leaf,
  startedMs: performance.now(),
  parts: input.log.times && {},
  prepared: undefined,
  hold: undefined,
});

const NOTHING_SENT = { retries: 0, calls: 0, upstreamMs: 0 } as const;

/** An answer of the cache. */
export const cachedOutcome = (progress: AttemptProgress, { status, headers, body, stream }: CacheHit): AttemptOutcome =>
  record(progress, {
    ...factsOf(progress),
    ...NOTHING_SENT,
    status: progress.prepared?.guards?.inputFailed === true ? FAILED_STATUS : 200,
    fallback: 'status',
    headers,
    body,
    error: undefined,
    cacheStatus: status,
    stream,
    store: undefined,
    hold: undefined,
    withheld: undefined,
    counted: undefined,
  });

interface Connected {
  readonly connection: ProviderConnection;
  /** Of the gateway, for the client. */
  readonly headers: HeaderMap;
  readonly upstreamMs: number;
}

/** The provider speaks another protocol from now on. */
export const connectedOutcome = (
  progress: AttemptProgress,
  { connection, headers, upstreamMs }: Connected,
): AttemptOutcome =>
  record(progress, {
    ...factsOf(progress),
    ...NOTHING_SENT,
    calls: 1,
    upstreamMs,
    status: 101,
    fallback: 'stop',
    headers,
    body: { kind: 'bytes', bytes: Buffer.alloc(0) },
    error: undefined,
    cacheStatus: undefined,
    stream: true,
    store: undefined,
    hold: progress.hold,
    withheld: undefined,
    counted: undefined,
    connection,
  });

/** An error that ended the attempt before the provider was called. */
export const failedOutcome = (progress: AttemptProgress, error: unknown): AttemptOutcome =>
  errorOutcome(progress, withSuggestion(toAppError(error), progress.input), {
    ...NOTHING_SENT,
    cacheStatus: undefined,
  });

interface TriedOptions {
  /** Undefined where there is none to look at. */
  readonly cache?: CacheSession;
  readonly json: JsonLimits;
}

/** What the last try came to. Throws MEMORY_EXHAUSTED. */
export async function triedOutcome(
  progress: AttemptProgress,
  { result, retries, calls, upstreamMs, isAnswered }: Tried<MappedAnswer>,
  { cache, json }: TriedOptions,
): Promise<AttemptOutcome> {
  const cacheStatus = cache?.status;
  if (result.kind === 'error') {
    if (isAnswered && UNUSABLE.has(result.error.code)) progress.hold?.keep();
    return errorOutcome(progress, result.error, { retries, calls, upstreamMs, cacheStatus });
  }
  const whole = await shownAnswer(progress, result.answer, json);
  const shown = progress.prepared === undefined ? whole : asStream(progress.prepared, whole, json);
  const { status, headers, body, stream } = shown.answer;
  const isGood = status >= 200 && status <= 299;
  const writer = status === 200 ? cache?.writer(whole.answer) : undefined;
  const facts = factsOf(progress);
  const { leaf, provider, model, droppedParams, startedMs, durationMs, guards, spanId, origin } = facts;
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
    parts: facts.parts,
    calls,
    stream,
    store: guards === undefined ? storing(writer, shown) : guards.storing(writer, shown),
    account: facts.account,
    prices: facts.prices,
    spanId,
    origin,
    hold: progress.hold,
    withheld: isGood ? guards?.withheld : guards?.spent,
    counted: isGood ? (guards?.counted ?? shown.answer.counted) : undefined,
    guards,
    images: facts.images,
    characters: facts.characters,
    asked: facts.asked,
    captured: facts.captured,
    textScrubber: facts.textScrubber,
  });
}

function shownAnswer(
  { prepared, input }: AttemptProgress,
  answer: MappedAnswer,
  json: JsonLimits,
): ShownAnswer | Promise<ShownAnswer> {
  const guards = prepared?.guards;
  if (prepared === undefined || guards === undefined) return { answer, stored: undefined };
  return guards.show(answer, { strict: prepared.strict, json, memory: input.exchange.memory });
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

/** The account of a target that failed before it was prepared. */
function accountOf({ resolution: { requestProvider } }: AttemptInput, { source }: Leaf): string | undefined {
  if (source.kind === 'managed') return source.slug;
  const isOfRequest = source.kind === 'request' || source.kind === 'passthrough';
  return isOfRequest && requestProvider?.kind === 'managed' ? requestProvider.record.slug : undefined;
}

/** Errors that end a call whose provider may be answering. */
const ENDED_BY_US: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CLIENT_CLOSED', 'UPSTREAM_TIMEOUT', 'DRAINING']);

/** Errors because of which nobody gets a good answer, which its provider bills all the same. */
const UNUSABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UPSTREAM_TOO_LARGE',
  'UPSTREAM_INVALID_RESPONSE',
  'MEMORY_EXHAUSTED',
]);

type Counts = Pick<AttemptOutcome, 'retries' | 'calls' | 'upstreamMs' | 'cacheStatus'>;

function errorOutcome(progress: AttemptProgress, error: AppError, counts: Counts): AttemptOutcome {
  const { status, headers, body } = renderErrorFor(error, progress.input.exchange);
  const facts = factsOf(progress);
  const withheld = facts.guards?.spent;
  if (ENDED_BY_US.has(error.code)) progress.hold?.keep();
  else if (withheld?.usage === undefined) progress.hold?.release();
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
    hold: withheld?.usage === undefined ? undefined : progress.hold,
    withheld,
    counted: undefined,
  });
}

function record({ input, prepared }: AttemptProgress, outcome: AttemptOutcome): AttemptOutcome {
  if (prepared !== undefined && outcome.captured !== undefined) capture(prepared, outcome);
  // A target that fails without a call counts too: trying thousands of them is work.
  if (outcome.calls === 0 && !isCacheHit(outcome.cacheStatus)) input.calls.take();
  input.tried.push(outcome);
  return outcome;
}

/** What is known of the attempt when it has ended. */
function capture({ captured, resolved, sent, guards }: Prepared, { status, headers, body }: AttemptOutcome): void {
  if (captured === undefined) return;
  captured.scrubber = () => scrubberOf(resolved.target, sent.headers);
  captured.hooks = guards && (() => guards.results);
  if (body.kind === 'bytes') captured.answers({ status, headers, bytes: body.bytes });
}

/** Of the target; of one that could not be prepared, those of its stored account. */
function secretsOf({ input, leaf, prepared }: Pick<AttemptProgress, 'input' | 'leaf' | 'prepared'>) {
  if (prepared !== undefined) return () => textScrubberOf(prepared.resolved.target);
  const slug = accountOf(input, leaf);
  const account = slug === undefined ? undefined : input.exchange.snapshot.provider(input.caller.workspace.name, slug);
  return account && (() => textScrubberOf(account.target));
}

const factsOf = ({ input, leaf, startedMs, prepared, parts }: AttemptProgress) => ({
  leaf,
  provider: prepared?.provider.id,
  model:
    (prepared?.call.model ?? modelOf(input.resolution.params)) ||
    ownFormModelOf(prepared?.resolution ?? input.resolution),
  droppedParams: prepared?.droppedParams ?? NOTHING_DROPPED,
  account: prepared === undefined ? accountOf(input, leaf) : prepared.resolved.managed?.slug,
  prices: prepared && pricesOf(prepared),
  guards: prepared?.guards,
  spanId: prepared?.span?.id,
  origin: prepared?.sent.origin,
  captured: prepared?.captured,
  textScrubber: secretsOf({ input, leaf, prepared }),
  images: prepared && imagesAsked(prepared),
  characters: prepared && charactersAsked(prepared),
  asked: prepared && input.exchange.trace.span?.sampled === true ? spanParams(prepared) : undefined,
  startedMs,
  durationMs: performance.now() - startedMs,
  parts,
});

/** The entry of the attempt in the record of its request, with what the attempt has used for nothing. */
export function spentFacts(outcome: AttemptOutcome, exchange: PricedExchange): AttemptFacts {
  const { withheld, counted } = outcome;
  return withSpent(outcome, counted === undefined ? withheld : addCounted(withheld, counted), exchange);
}

/** As above, for the attempt whose result the client gets: what its answer reports is not known yet. */
export const answeringFacts = (outcome: AttemptOutcome, exchange: PricedExchange): AttemptFacts =>
  withSpent(outcome, outcome.withheld, exchange);

type PricedExchange = Pick<AttemptInput['exchange'], 'snapshot'>;

function withSpent(
  outcome: AttemptOutcome,
  spent: CountedAnswer | undefined,
  { snapshot }: PricedExchange,
): AttemptFacts {
  const facts = attemptFacts(outcome);
  return spent === undefined ? facts : withUsage(facts, spent, snapshot.prices);
}

const attemptFacts = (outcome: AttemptOutcome): AttemptFacts => ({
  provider: outcome.provider,
  account: outcome.account,
  target: outcome.operation === undefined ? outcome.leaf.path : undefined,
  fellBack: outcome.operation === undefined && outcome.leaf.isFallback ? true : undefined,
  operation: outcome.operation,
  model: outcome.model === '' ? undefined : outcome.model,
  answeredModel: undefined,
  droppedParams: outcome.droppedParams,
  status: outcome.status,
  error: outcome.error,
  cache: outcome.cacheStatus,
  spanId: outcome.spanId,
  origin: outcome.origin,
  calls: outcome.calls,
  retries: outcome.retries,
  startedAtMs: toUnixMs(outcome.startedMs),
  durationMs: outcome.durationMs,
  upstreamMs: outcome.upstreamMs,
  parts: outcome.parts,
  usage: undefined,
  images: outcome.images,
  characters: outcome.characters,
  asked: outcome.asked,
  prices: outcome.prices,
  cost: undefined,
  captured: outcome.captured,
  textScrubber: outcome.textScrubber,
});

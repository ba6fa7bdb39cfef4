import { boundMetadata, boundText } from '@gatehouse/crds/logs';
import { costOf, type PriceBook } from '../cost/index.ts';
import { toUnixMs } from '../lib/clock.ts';
import { boundTrace, cleanRecord, cleanWatched } from './clean/index.ts';
import { boundClient, type WholeClient, wholeClient } from './client.ts';
import { createHeaderMasks } from './header-masks.ts';
import type {
  AttemptFacts,
  DecisionFacts,
  OnceRow,
  PipelineFacts,
  RequestFacts,
  RequestRecord,
  SentFacts,
  Spent,
  TraceContext,
} from './record.ts';
import type { Sink, UsageQuestion, WatchedGuardrails } from './sink.ts';
import { type AnswerSource, addCounted, type CountedAnswer, countAnswer } from './usage.ts';

export interface RecorderOptions {
  /** Further prefixes for the gateway's own headers, which lists of names may use; none when absent. */
  readonly headerAliases?: readonly string[];
  readonly sinks: readonly Sink[];
  /** A sink failed; `first`: for the first time since the start. */
  onSinkError(failure: { readonly sink: string; readonly error: unknown; readonly first: boolean }): void;
}

export interface Recorder {
  /** Whether a sink needs the usage of a stream whose client did not ask for it. */
  needsStreamUsage(question: UsageQuestion): boolean;
  /** Makes the record of a request and gives it to the sinks. Once per request, after its last byte. Never throws. */
  finish(finished: FinishedRequest): void;
  /** Gives the sinks guardrails that ran after the answer, before or after its record. Never throws. */
  watched(watched: WatchedGuardrails): void;
}

/** The parts of a request, its answer and its sending that a record is made of. */
export interface FinishedRequest {
  readonly exchange: {
    readonly operation: {
      readonly id: string;
      readonly generates?: 'text' | 'vectors' | 'images' | 'speech' | 'transcript';
      readonly keptByProvider?: true;
    };
    readonly request: {
      readonly method: string;
      readonly path: string;
      header(name: string): string | undefined;
      headers(): Iterable<readonly [name: string, value: string]>;
    };
    /** Of a call that the gateway makes itself. */
    readonly settlement?: { readonly once?: OnceRow | undefined } | undefined;
    readonly snapshot: {
      readonly version: number;
      readonly organisation: { readonly headersToMask: readonly string[] };
      readonly prices: PriceBook;
    };
    /** `performance.now()` at the first byte. */
    readonly startedMs: number;
    readonly trace: TraceContext;
  };
  readonly answer: { readonly status: number; readonly body: AnswerSource; readonly facts: PipelineFacts };
  readonly sent: SentFacts;
}

export function createRecorder({ sinks, headerAliases = [], onSinkError }: RecorderOptions): Recorder {
  const readsUsage = sinks.some((sink) => sink.readsUsage === true);
  const readsClient = sinks.some((sink) => sink.readsClient === true);
  const asking = sinks.filter((sink) => sink.needsStreamUsage !== undefined);
  const masksOf = createHeaderMasks(headerAliases);
  const failed = new Set<string>();
  /** What fails in a sink is no failure of the request, nor of other sinks. */
  const report = (sink: string, error: unknown): void => {
    const first = !failed.has(sink);
    failed.add(sink);
    try {
      onSinkError({ sink, error, first });
    } catch {
      // The log may be what failed.
    }
  };
  const tell = (give: (sink: Sink) => void): void => {
    for (const sink of sinks) {
      try {
        give(sink);
      } catch (error) {
        report(sink.name, error);
      }
    }
  };
  const needs = (sink: Sink, question: UsageQuestion): boolean => {
    try {
      return sink.needsStreamUsage?.(question) ?? false;
    } catch (error) {
      report(sink.name, error);
      return false;
    }
  };
  const onUncleaned = (error: unknown): void => report('record', error);
  const made = <T>(make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      report('record', error);
      return undefined;
    }
  };
  return {
    needsStreamUsage: (question) => asking.some((sink) => needs(sink, question)),
    finish: (finished) => {
      const record = made(() =>
        toRecord(finished, performance.now(), { readsUsage, readsClient, masksOf, onUncleaned }),
      );
      if (record === undefined) return;
      tell((sink) => sink.record(record));
    },
    watched: (watched) => {
      const clean = made(() => cleanWatched(watched, onUncleaned));
      if (clean !== undefined) tell((sink) => sink.watched?.(clean));
    },
  };
}

interface RecordOptions {
  readonly readsUsage: boolean;
  readonly readsClient: boolean;
  readonly masksOf: ReturnType<typeof createHeaderMasks>;
  onUncleaned(this: void, error: unknown): void;
}

function toRecord(
  finished: FinishedRequest,
  endedMs: number,
  { readsUsage, readsClient, masksOf, onUncleaned }: RecordOptions,
): RequestRecord {
  const { exchange, answer, sent } = finished;
  const { facts } = answer;
  const { startedMs, snapshot } = exchange;
  const { answeredBy: made } = facts;
  const counts = readsUsage || facts.settlement !== undefined;
  const answeredBy = made && counts ? withAnswer(made, finished) : made;
  if (answeredBy !== undefined) facts.settlement?.settle(spentOf(answeredBy));
  const client = readsClient ? wholeClient(exchange.request) : undefined;
  const record = {
    request: requestFacts(exchange, facts, { masksOf, client }),
    caller: facts.caller,
    route: facts.route,
    decisions: decisionsOf(facts),
    attempts: facts.attempts.map((attempt) => (attempt === facts.answeredBy ? (answeredBy ?? attempt) : attempt)),
    answeredBy,
    answer: {
      status: sent.error?.code === 'CLIENT_CLOSED' ? 499 : answer.status, // as nginx logs it; it never goes on the wire
      bytes: sent.bytes,
      firstByteMs: sent.firstByteMs - startedMs,
      durationMs: endedMs - startedMs,
      stream: facts.stream,
      error: sent.error ?? facts.error,
      snapshot: snapshot.version,
    },
    isPassedOn: facts.isPassedOn,
    ...(exchange.settlement === undefined ? undefined : { isOwnCall: true as const, once: exchange.settlement.once }),
    captured: facts.captured,
  };
  return cleanRecord(
    record,
    { trace: exchange.trace, metadata: facts.metadata, user: facts.user, client },
    onUncleaned,
  );
}

/** Charges what the answer used, where that has to be done before its record is made. */
export function settleAnswer(finished: FinishedRequest): void {
  const { answeredBy, settlement } = finished.answer.facts;
  if (answeredBy !== undefined) settlement?.settle(spentOf(withAnswer(answeredBy, finished)));
}

function requestFacts(
  { operation, request, snapshot, startedMs, trace }: FinishedRequest['exchange'],
  { metadata, user, requestBytes, times, caller }: PipelineFacts,
  { masksOf, client }: Pick<RecordOptions, 'masksOf'> & { readonly client: WholeClient | undefined },
): RequestFacts {
  const { method, path } = request;
  return {
    trace: boundTrace(trace),
    method,
    path,
    operation: operation.id,
    generates: operation.generates,
    startedAtMs: toUnixMs(startedMs),
    bytes: requestBytes,
    parsingMs: times?.parsingMs,
    client: client && boundClient(client),
    metadata: boundMetadata(metadata),
    user: typeof user === 'string' ? boundText(user) : undefined,
    headers: () => request.headers(),
    sensitiveHeaders: () =>
      masksOf({
        lists: [snapshot.organisation.headersToMask, ...(caller?.headersToMask ?? [])],
        given: request.header('x-gw-sensitive-headers'),
      }),
  };
}

const decisionsOf = ({ decisions, guardrails }: PipelineFacts): DecisionFacts =>
  guardrails === undefined ? decisions : { ...decisions, guardrails: guardrails.verdicts() };

/** What was withheld from the client was answered all the same. */
const spentOf = (attempt: AttemptFacts): Spent =>
  attempt.usage === undefined || isGood(attempt.status) ? attempt : { ...attempt, status: ANSWERED };

const isGood = (status: number): boolean => status >= 200 && status <= 299;

/** The attempt with what its answer reports and costs, beside what answers that were withheld did. */
function withAnswer(attempt: AttemptFacts, finished: FinishedRequest): AttemptFacts {
  const { usage, answeredModel: model, cost } = attempt;
  const before = usage && { usage, model, estimated: cost?.estimated === true };
  const { snapshot, operation, trace } = finished.exchange;
  const counted = countAnswer(finished);
  const made = withUsage(attempt, addCounted(before, counted), snapshot.prices);
  if (trace.span?.sampled !== true || operation.generates !== 'text') return made;
  return { ...made, ended: counted.end?.() };
}

/** The attempt with what it used and what that costs. */
export function withUsage(
  attempt: AttemptFacts,
  { usage, model, estimated, cost: known, shares }: CountedAnswer,
  prices: PriceBook,
): AttemptFacts {
  if (usage === undefined) return model === undefined ? attempt : { ...attempt, answeredModel: model };
  const { provider, prices: own, images } = attempt;
  if (provider === undefined) return { ...attempt, usage, answeredModel: model, shares };
  const asked = attempt.model ?? '';
  const price = prices.priceOf({ provider, prices: own }, { asked, answered: model }, usage);
  const cost = {
    ...(known ?? costOf(price, usage, { status: ANSWERED, ...(images && { images }) })),
    estimated,
    source: price?.source,
    ...(known === undefined ? undefined : { isGiven: true as const }),
  };
  return { ...attempt, usage, answeredModel: model, cost, shares };
}

/** Only what a provider answered has usage, whatever its client got. */
const ANSWERED = 200;

/** What a whole answer costs, before it is sent; undefined: nothing that is charged was answered. */
export function countedAttempt(finished: Pick<FinishedRequest, 'exchange' | 'answer'>): AttemptFacts | undefined {
  const { answeredBy } = finished.answer.facts;
  const { body } = finished.answer;
  if (answeredBy === undefined || body.kind === 'stream') return undefined;
  const whole = { ...finished, sent: { firstByteMs: 0, bytes: body.bytes.length, error: undefined } };
  const counted = withAnswer(answeredBy, whole);
  return counted.cost === undefined ? undefined : counted;
}

/** Takes credentials out of what clients have named in a record, before any sink gets it: docs/behaviour/records.md#credentials. */
import { boundMetadata, boundText } from '@gatehouse/crds/logs';
import { AppError } from '../../errors/index.ts';
import { boundClient, type WholeClient } from '../client.ts';
import type { AttemptFacts, GuardrailFacts, RequestRecord, TraceContext } from '../record.ts';
import type { WatchedGuardrails } from '../sink.ts';
import { REDACTED } from './credentials.ts';
import { type CredentialSources, createTextCleaner, MAX_READ, type TextCleaner } from './text-cleaner.ts';

/** Texts of the client before they are cut: a part of a secret could not be found. */
export interface WholeTexts {
  readonly trace: TraceContext;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly user: unknown;
  /** Undefined: no sink reads it. */
  readonly client?: WholeClient | undefined;
}

type Clean = TextCleaner['clean'];

/** Longest span name or identifier that is recorded, in characters. */
const MAX_SPAN_CHARS = 256;
/** Members of metadata: further ones are not recorded. */
const MAX_MEMBERS = 64;
/** Causes of an error. */
const MAX_CAUSES = 8;

/** What it was asked with and how it ended. */
type Call = Pick<AttemptFacts, 'asked' | 'ended'>;

type OnFailure = CredentialSources['onFailure'];

/** The given record with its `clean`, where no text holds a credential. Never throws: what cannot be cleaned is left out. */
export function cleanRecord(
  given: Omit<RequestRecord, 'clean'>,
  whole: WholeTexts,
  onFailure?: OnFailure,
): RequestRecord {
  const { headers, carrierHeaders } = given.request;
  const scrubbers = given.attempts.flatMap(({ textScrubber }) => textScrubber ?? []);
  const { clean, mayFind } = createTextCleaner({ headers, carrierHeaders, scrubbers, onFailure });
  const record = { ...given, clean };
  try {
    const text = textOf(record, whole);
    return text === undefined || mayFind(text) ? cleaned(record, whole) : record;
  } catch (error) {
    onFailure?.(error);
    return withoutTexts(record);
  }
}

/** Never throws. */
export function cleanWatched(watched: WatchedGuardrails, onFailure?: OnFailure): WatchedGuardrails {
  const { headers, textScrubber, trace, guardrails } = watched;
  const scrubbers = textScrubber === undefined ? [] : [textScrubber];
  const { clean, mayFind } = createTextCleaner({ headers, scrubbers, onFailure });
  try {
    const text = joined([...textsOfTrace(trace), ...guardrails.flatMap(textsOfGuardrail)]);
    if (text !== undefined && !mayFind(text)) return watched;
    return { ...watched, ...cleanedGuardrails(watched, clean) };
  } catch (error) {
    onFailure?.(error);
    return { ...watched, ...cleanedGuardrails({ trace, guardrails: guardrails.map(withoutFeedback) }, leftOut) };
  }
}

const cleanedGuardrails = ({ trace, guardrails }: Pick<WatchedGuardrails, 'trace' | 'guardrails'>, clean: Clean) => ({
  trace: cleanTrace(trace, clean),
  guardrails: guardrails.map((each) => cleanGuardrail(each, clean)),
});

const leftOut: Clean = () => REDACTED;
const withoutFeedback = (facts: GuardrailFacts): GuardrailFacts => ({ ...facts, feedback: undefined });

/** The record with its numbers alone. */
function withoutTexts(record: RequestRecord): RequestRecord {
  const { request, decisions } = record;
  const guardrails = decisions.guardrails.map(withoutFeedback);
  const whole = { trace: request.trace, metadata: {}, user: undefined };
  return cleaned({ ...record, decisions: { ...decisions, guardrails }, clean: leftOut }, whole);
}

/** The trace id of a request that has no record, for the log. */
export function loggedTraceId({ request, trace }: Identified): string {
  return createTextCleaner({ headers: () => request.headers(), scrubbers: [] }).clean(trace.traceId);
}

interface Identified {
  readonly request: { headers(): Iterable<readonly [name: string, value: string]> };
  readonly trace: Pick<TraceContext, 'traceId'>;
}

/** Spans come from headers of the client; the trace id has a bound of its own. */
export function boundTrace({ traceId, spanId, parentSpanId, spanName, span }: TraceContext): TraceContext {
  return { traceId, spanId: cut(spanId), parentSpanId: cut(parentSpanId), spanName: cut(spanName), span };
}

const cut = (text: string | undefined): string | undefined => text?.slice(0, MAX_SPAN_CHARS);
/** All that may hold a credential, as one text that is searched once; undefined: one of them is too long to be recorded as it is. */
function textOf({ request, attempts, decisions, answer }: RequestRecord, whole: WholeTexts): string | undefined {
  const { trace, metadata, user, client } = whole;
  const texts = [request.path, ...textsOfTrace(trace)];
  if (typeof user === 'string') texts.push(user);
  for (const text of client ?? NO_TEXTS) if (text !== undefined) texts.push(text);
  for (const name of Object.keys(metadata).slice(0, MAX_MEMBERS)) texts.push(name, textOfValue(metadata[name]));
  for (const attempt of attempts) addAttempt(texts, attempt);
  for (const guardrail of decisions.guardrails) texts.push(...textsOfGuardrail(guardrail));
  if (answer.error !== undefined) texts.push(textOfError(answer.error));
  return joined(texts);
}

const NO_TEXTS: readonly undefined[] = [];

const joined = (texts: readonly string[]): string | undefined =>
  texts.some(({ length }) => length > MAX_READ) ? undefined : texts.join('\n');

const textsOfTrace = ({ traceId, spanId = '', parentSpanId = '', spanName = '', span }: TraceContext): string[] => {
  const texts = [traceId, spanId, parentSpanId, spanName];
  if (span !== undefined) texts.push(span.traceId, span.spanId, span.parentId ?? '', span.state ?? '');
  return texts;
};

const textOfValue = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
};

function addAttempt(texts: string[], attempt: AttemptFacts): void {
  const { provider, account, model, answeredModel, origin, droppedParams, shares, error } = attempt;
  if (provider !== undefined) texts.push(provider);
  if (account !== undefined) texts.push(account);
  if (model !== undefined) texts.push(model);
  if (answeredModel !== undefined) texts.push(answeredModel);
  if (origin !== undefined) texts.push(origin);
  if (error !== undefined) texts.push(textOfError(error));
  texts.push(...droppedParams);
  for (const share of shares ?? []) texts.push(share.model ?? '');
  addCall(texts, attempt);
}

function addCall(texts: string[], { asked, ended }: Call): void {
  texts.push(asked?.conversation ?? '', ended?.id ?? '');
  for (const named of [asked?.stop, asked?.encodings, ended?.finishReasons]) texts.push(...(named ?? []));
}

const textsOfGuardrail = ({ id, feedback }: GuardrailFacts): readonly string[] =>
  feedback === undefined ? [id] : [id, JSON.stringify(feedback.metadata)];

function textOfError(error: AppError): string {
  const texts = [error.param ?? ''];
  let cause: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    texts.push(cause.message);
    cause = cause.cause;
  }
  if (typeof cause === 'string') texts.push(cause);
  return texts.join('\n');
}

function cleaned(record: RequestRecord, whole: WholeTexts): RequestRecord {
  const { request, attempts, answeredBy, decisions, answer, clean } = record;
  const made = new Map(attempts.map((attempt) => [attempt, cleanAttempt(attempt, clean)]));
  return {
    ...record,
    request: {
      ...request,
      path: clean(request.path),
      trace: boundTrace(cleanTrace(whole.trace, clean)),
      metadata: boundMetadata(whole.metadata, clean),
      user: typeof whole.user === 'string' ? boundText(clean(whole.user)) : undefined,
      client: whole.client && boundClient(whole.client, clean),
    },
    attempts: [...made.values()],
    answeredBy: answeredBy && (made.get(answeredBy) ?? cleanAttempt(answeredBy, clean)),
    decisions: { ...decisions, guardrails: decisions.guardrails.map((each) => cleanGuardrail(each, clean)) },
    answer: { ...answer, error: answer.error && cleanError(answer.error, clean) },
  };
}

/** A trace is exported by its ids: one of which an id holds a credential is not. */
function cleanTrace(trace: TraceContext, clean: Clean): TraceContext {
  const { traceId, spanId, parentSpanId, spanName, span } = trace;
  const ids = [traceId, spanId, parentSpanId, span?.traceId, span?.spanId, span?.parentId].join('\n');
  const { state } = span ?? {};
  return {
    traceId: clean(traceId),
    spanId: spanId && clean(spanId),
    parentSpanId: parentSpanId && clean(parentSpanId),
    spanName: spanName && clean(spanName),
    span:
      span && clean(ids) === ids ? { ...span, state: state && clean(state) === state ? state : undefined } : undefined,
  };
}

function cleanAttempt(attempt: AttemptFacts, clean: Clean): AttemptFacts {
  const { provider, account, model, answeredModel, origin, droppedParams, shares, error } = attempt;
  return {
    ...attempt,
    provider: provider && clean(provider),
    account: account && clean(account),
    model: model && clean(model),
    answeredModel: answeredModel && clean(answeredModel),
    origin: origin && clean(origin),
    droppedParams: droppedParams.map(clean),
    ...cleanCall(attempt, clean),
    shares: shares?.map((share) => ({ ...share, model: share.model && clean(share.model) })),
    error: error && cleanError(error, clean),
  };
}

function cleanCall({ asked, ended }: Call, clean: Clean): Call {
  const { stop, encodings, conversation } = asked ?? {};
  const texts = {
    ...(stop && { stop: stop.map(clean) }),
    ...(encodings && { encodings: encodings.map(clean) }),
    ...(conversation !== undefined && { conversation: clean(conversation) }),
  };
  return {
    ...(asked && { asked: { ...asked, ...texts } }),
    ...(ended && { ended: { id: ended.id && clean(ended.id), finishReasons: ended.finishReasons.map(clean) } }),
  };
}

function cleanGuardrail(facts: GuardrailFacts, clean: Clean): GuardrailFacts {
  const { id, feedback } = facts;
  if (feedback === undefined) return { ...facts, id: clean(id) };
  const metadata: Record<string, unknown> = Object.create(null); // names come from clients
  for (const [name, value] of Object.entries(feedback.metadata)) metadata[clean(name)] = cleanValue(value, clean);
  return { ...facts, id: clean(id), feedback: { ...feedback, metadata } };
}

const cleanValue = (value: unknown, clean: Clean): unknown => {
  const text = textOfValue(value);
  const left = clean(text);
  return left === text ? value : left;
};

function cleanError(error: AppError, clean: Clean): AppError {
  const text = textOfError(error);
  if (clean(text) === text) return error;
  const { code, param, provider, retryAfterMs, message, cause } = error;
  return new AppError(code, {
    detail: clean(message),
    ...(param === undefined ? {} : { param: clean(param) }),
    ...(provider === undefined ? {} : { provider }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: cleanCause(cause, clean, MAX_CAUSES),
  });
}

function cleanCause(cause: unknown, clean: Clean, depth: number): unknown {
  if (typeof cause === 'string') return clean(cause);
  if (!(cause instanceof Error) || depth === 0) return undefined;
  const inner = cleanCause(cause.cause, clean, depth - 1);
  const made = new Error(clean(cause.message), inner === undefined ? undefined : { cause: inner });
  made.stack = clean(cause.stack ?? '');
  return 'code' in cause && typeof cause.code === 'string' ? Object.assign(made, { code: cause.code }) : made;
}

/** The record of a request after its last byte: pipeline and server collect the parts, sinks read it. */
import type { AccountPrices, Cost, CostOptions, PriceSource } from '../cost/index.ts';
import type { AppError } from '../errors/index.ts';
import type { Scrubber } from '../lib/scrub.ts';
import type { AnswerEnd, TokenUsage } from '../usage/index.ts';
import type { AskedParams } from './asked.ts';
import type { Capture, CapturedAttempt } from './capture.ts';
import type { ClientFacts } from './client.ts';
import type { HeaderNames } from './header-masks.ts';
import type { StepFacts } from './steps.ts';
import type { CountedAnswer } from './usage.ts';

/** One finished request. Plain data, which a sink may keep, but for the headers, which end with the call of the sink. */
export interface RequestRecord {
  readonly request: RequestFacts;
  /** Undefined: the request was refused before its caller was known. */
  readonly caller: CallerFacts | undefined;
  readonly route: RouteFacts;
  readonly decisions: DecisionFacts;
  /** The targets that were tried, in order. */
  readonly attempts: readonly AttemptFacts[];
  /** The attempt whose result the client got; undefined: the gateway answered without an attempt. */
  readonly answeredBy: AttemptFacts | undefined;
  readonly answer: AnswerFacts;
  /** Another gateway has got the request whole, and records it. */
  readonly isPassedOn?: true | undefined;
  /** The gateway has called for itself, about work that a client has ordered: no client got the result. */
  readonly isOwnCall?: true | undefined;
  /** Its result may be recorded again, in any process: that is the same row each time. */
  readonly once?: OnceRow | undefined;
  /** Headers and bodies, only while the sink runs; undefined: none are kept. */
  readonly captured?: Capture | undefined;
  /** Takes the known credentials out of a further text of the client; only while the sink runs. In the texts of the record there are none. */
  clean(this: void, text: string): string;
}

export interface OnceRow {
  /** Unique for ever. */
  readonly name: string;
  /** When it was, Unix time in ms. */
  readonly atMs: number;
}

/** The trace identity of a request: the client's own identifiers, or those of its `traceparent`. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string | undefined;
  readonly parentSpanId: string | undefined;
  readonly spanName: string | undefined;
  /** Its place in a W3C trace; only where spans are made. */
  readonly span?: SpanIdentity | undefined;
}

/** A request as one span of a W3C trace: docs/behaviour/tracing.md. */
export interface SpanIdentity {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Undefined: the trace begins here. */
  readonly parentId: string | undefined;
  /** Whether its spans are exported. */
  readonly sampled: boolean;
  /** Whether providers are told. */
  readonly propagates: boolean;
  /** The `tracestate` of the client. */
  readonly state: string | undefined;
}

export interface RequestFacts {
  readonly trace: TraceContext;
  readonly method: string;
  /** Encoded, without the query. */
  readonly path: string;
  /** Id of the operation. */
  readonly operation: string;
  /** What its answers are made of, where they are counted. */
  readonly generates?: string | undefined;
  /** Unix time of the first byte, in ms. */
  readonly startedAtMs: number;
  /** Bytes of the body; undefined: it was not read, or its client did not say. */
  readonly bytes: number | undefined;
  /** Reading and parsing the body, with the wait for its bytes, in ms; undefined: no log keeps it, or it was not read. */
  readonly parsingMs?: number | undefined;
  /** Whom the client asks for, by the member `user` of its body: at most 128 characters. */
  readonly user?: string | undefined;
  /** Undefined: no sink reads it. */
  readonly client?: ClientFacts | undefined;
  /** After defaults. Names and values are texts of bounded length, and their number is bounded. */
  readonly metadata: Readonly<Record<string, string>>;
  /** All headers as they came. Only while the sink runs; to be masked before they are written anywhere. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Of the call that brought the record, where that is another one: they are not shown, and their credentials are taken out. */
  readonly carrierHeaders?: () => Iterable<readonly [name: string, value: string]>;
  /** Those that the organisation, the workspace, the key or the request wants to be masked. */
  sensitiveHeaders(): HeaderNames;
}

export interface CallerFacts {
  readonly keyId: string;
  readonly key: string;
  readonly user: string | undefined;
  readonly workspace: string;
  /** Names of headers, lower case, to be masked: those of the workspace and of the key, as the Snapshot has them; absent: none. */
  readonly headersToMask?: readonly (readonly string[])[] | undefined;
}

export interface RouteFacts {
  /** The saved prompt and its version, `slug@3`. */
  readonly prompt?: string | undefined;
  /** Slug of the saved config. */
  readonly config: string | undefined;
  /** Of the saved config. */
  readonly configVersion?: string | undefined;
  /** `metadata.generation` of the saved config. */
  readonly configGeneration?: number | undefined;
  /** How the root of the config chooses: `single`, `fallback` and the like. */
  readonly mode: string | undefined;
  /** Path of the target that answered, e.g. `config.targets[1]`. */
  readonly optionPath: string | undefined;
}

export type CacheStatus = 'HIT' | 'SEMANTIC HIT' | 'MISS' | 'SEMANTIC MISS' | 'REFRESH' | 'DISABLED';

/** The answer came from the cache. */
export const isCacheHit = (status: CacheStatus | undefined): boolean => status === 'HIT' || status === 'SEMANTIC HIT';

/** What a limit decided. */
export interface CheckVerdict {
  /** Id of the limit or policy. */
  readonly id: string;
  readonly passed: boolean;
}

/** What limits decided; listed for those who ask. */
export interface LimitVerdicts {
  verdicts(): readonly CheckVerdict[];
}

/** For requests that no limit looked at. */
export const NO_VERDICTS: LimitVerdicts = { verdicts: () => [] };

/** A score for the trace of a request. */
export interface GuardrailFeedback {
  /** UUID, of the feedback in the request log; undefined: it is not kept, as its value is 0. */
  readonly id: string | undefined;
  /** From -10 to 10. */
  readonly value: number;
  /** From 0 to 1. */
  readonly weight: number;
  /** What the guardrail sets, and the names of the checks that led to it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A guardrail that has run, without the texts that it looked at. */
export interface GuardrailFacts {
  /** Path of the target, e.g. `config.targets[1]`. */
  readonly target: string;
  /** As results show it, at most 128 characters. */
  readonly id: string;
  /** Of a stored guardrail, or what the config says. */
  readonly versionId: string | undefined;
  readonly type: 'guardrail' | 'mutator';
  readonly phase: 'input' | 'output';
  readonly verdict: boolean;
  /** Whether the request or its answer was refused for it; in mode monitor, whether it would have been. */
  readonly denied: boolean;
  readonly mode: 'enforce' | 'monitor';
  readonly async: boolean;
  /** Whether it has changed the request or its answer. */
  readonly transformed: boolean;
  /** Unix time in ms. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** The score that follows from it, where the guardrail sets one. */
  readonly feedback: GuardrailFeedback | undefined;
  readonly checks: readonly GuardrailCheckFacts[];
}

export interface GuardrailCheckFacts {
  /** Of a check of the catalogue. */
  readonly id: string;
  readonly verdict: boolean;
  /** Name of the error because of which there is no verdict. */
  readonly error: string | undefined;
  /** Whether it has changed the text. */
  readonly transformed: boolean;
  readonly durationMs: number;
}

/** For requests that no guardrail looked at. */
export const NO_GUARDRAILS: readonly GuardrailFacts[] = [];

export interface DecisionFacts {
  /** Of the target that answered. */
  readonly cache: CacheStatus | undefined;
  /** Retries of the target that answered; -1 when they were used up. */
  readonly retries: number | undefined;
  /** Whether calls were left out because the request had caused as many as it may. */
  readonly attemptsExhausted: boolean;
  readonly limits: LimitVerdicts;
  /** Those that ran before the answer was complete, in order. */
  readonly guardrails: readonly GuardrailFacts[];
  /** Only where spans of the request are exported. */
  readonly steps?: readonly StepFacts[] | undefined;
}

/** What became of one target. */
export interface AttemptFacts {
  readonly provider: string | undefined;
  /** Slug of the stored account whose credential was used. */
  readonly account?: string | undefined;
  /** Path of the target, e.g. `config.targets[1]`; undefined: the gateway has called it for the request. */
  readonly target?: string | undefined;
  /** Another target of the request has failed, or was left out, before it. */
  readonly fellBack?: true | undefined;
  /** Id of the operation where it is not that of the request. */
  readonly operation?: string | undefined;
  /** The model the target was asked for; undefined: the request names none. */
  readonly model: string | undefined;
  /** The model that answered, by the provider's name; undefined: not known. */
  readonly answeredModel: string | undefined;
  /** Parameters of the client that the provider does not have: bounded in length and number. */
  readonly droppedParams: readonly string[];
  readonly status: number;
  readonly error: AppError | undefined;
  readonly cache: CacheStatus | undefined;
  /** Id of its span, 16 hex digits; only where spans are made. */
  readonly spanId?: string | undefined;
  /** Scheme, host and port of the last call; undefined: none was made. */
  readonly origin?: string | undefined;
  /** Calls made to the provider: 0 for a cache hit, more than 1 when there were retries. */
  readonly calls: number;
  /** Retries used; -1 when they were used up. */
  readonly retries?: number | undefined;
  /** Unix time in ms. */
  readonly startedAtMs: number;
  /** Until the answer or the first bytes of its stream were there, in ms. */
  readonly durationMs: number;
  /** The part of it that was spent waiting for the provider, in ms. */
  readonly upstreamMs: number;
  readonly parts?: AttemptParts | undefined;
  /** Undefined: the provider reported none, and none can be told from the answer. */
  readonly usage: TokenUsage | undefined;
  /** Its usage and cost by the models of rows; undefined: it is no output of a batch. */
  readonly shares?: readonly ModelShare[] | undefined;
  /** Images that it was asked for; undefined: none. */
  readonly images?: ImagesAsked | undefined;
  /** Characters that it was asked to speak; undefined: none. */
  readonly characters?: number | undefined;
  /** Parameters that it was asked with; only where spans of the request are exported. */
  readonly asked?: AskedParams | undefined;
  /** How its answer ended; as above. */
  readonly ended?: AnswerEnd | undefined;
  /** What its account pays, where its Integration says so. */
  readonly prices: AccountPrices | undefined;
  /** Of the answer; undefined: nothing that costs was answered, or a sink that reads usage is missing. */
  readonly cost: CostFacts | undefined;
  /** As that of the record. */
  readonly captured?: CapturedAttempt | undefined;
  /** Takes the secrets of the target out of short texts; undefined: it has none. Only while the sink runs. */
  readonly textScrubber?: (() => Scrubber) | undefined;
}

/** How long parts of an attempt took, in ms; only where a log keeps it. */
export interface AttemptParts {
  /** The look into the cache; undefined: there was none. */
  cacheMs?: number;
  /** Bringing a whole good answer into the format of the client; undefined: there was none. */
  mappingMs?: number;
}

/** What rows of one model used: those of the output of a batch. */
export interface ModelShare {
  /** By the provider's name; undefined: the rows do not say it. */
  readonly model: string | undefined;
  readonly usage: TokenUsage;
  readonly cost: Cost;
}

/** Generated images, as a request asks for them. */
export type ImagesAsked = NonNullable<CostOptions['images']>;

/** What an answer costs: docs/behaviour/cost.md. */
export interface CostFacts extends Cost {
  /** The provider did not say how many tokens it counted: they were told from the bytes. */
  readonly estimated: boolean;
  /** Where the price comes from; undefined: nothing sets one. */
  readonly source?: PriceSource | undefined;
  /** The usage does not tell the cost: several answers were priced each on its own, or a client has named it. */
  readonly isGiven?: true | undefined;
}

export interface AnswerFacts {
  /** 499: the client left before the end. */
  readonly status: number;
  /** Bytes of the body that were handed to the connection. */
  readonly bytes: number;
  /** From the first byte of the request to the first byte of the answer, in ms. */
  readonly firstByteMs: number;
  /** From the first byte of the request to the last byte of the answer, in ms. */
  readonly durationMs: number;
  readonly stream: boolean;
  readonly error: AppError | undefined;
  /** Version of the Snapshot that served. */
  readonly snapshot: number;
}

/** What an answer used of what was taken for it. */
export type Spent = Pick<AttemptFacts, 'status' | 'usage' | 'cost'>;

/** What the answering attempt has taken of limits and budgets. */
export interface Settlement {
  /** Corrects it to what was used. The first call counts. Never throws. */
  settle(spent: Spent): void;
}

/** What the pipeline knows of a request when it answers. */
export interface PipelineFacts extends Pick<RequestRecord, 'caller' | 'route' | 'decisions' | 'attempts'> {
  readonly answeredBy: AttemptFacts | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The member `user` of the body. */
  readonly user?: unknown;
  /** Another gateway has got the request whole, and records it. */
  readonly isPassedOn?: true | undefined;
  readonly captured?: Capture | undefined;
  readonly requestBytes: number | undefined;
  readonly times?: PartTimes | undefined;
  readonly stream: boolean;
  readonly error: AppError | undefined;
  /** Undefined: nothing was taken. */
  readonly settlement?: Settlement | undefined;
  /** What the answer used, where the bytes that are sent do not tell. */
  readonly counted?: CountedAnswer | undefined;
  /** Undefined: no guardrail looked at the request. */
  readonly guardrails?: GuardrailVerdicts | undefined;
}

/** How long parts of a request took that no attempt has, in ms; only where a log keeps it. */
export interface PartTimes {
  /** Reading and parsing the body; undefined: it was not read. */
  parsingMs?: number;
}

/** What guardrails said about a request so far. */
export interface GuardrailVerdicts {
  /** Of those that act: at most 256, with 1,024 checks. */
  verdicts(): readonly GuardrailFacts[];
}

/** What the server knows of an answer that was sent. */
export interface SentFacts {
  /** `performance.now()` when the first byte of the answer was written. */
  readonly firstByteMs: number;
  /** Bytes of the body that were written. */
  readonly bytes: number;
  /** What ended the answer early, if anything did. */
  readonly error: AppError | undefined;
}

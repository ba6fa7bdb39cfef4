/** The usage of an answer: as its provider reports it, else as its bytes tell. */

import type { Cost } from '../cost/index.ts';
import {
  type AnswerReport,
  addUsage,
  estimateInput,
  estimateRecording,
  estimateUsage,
  NO_USAGE,
  readReport,
  type TokenUsage,
} from '../usage/index.ts';
import { isCacheHit, type ModelShare } from './record.ts';
import type { FinishedRequest } from './recorder.ts';

/** Where usage and model of an answer are found. */
export type AnswerSource =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | {
      readonly kind: 'stream';
      readonly transform: { report(): AnswerReport; sample?(): string } | undefined;
      readonly observer?: { report(): AnswerReport } | undefined;
      readonly rows?: { counted(): CountedAnswer } | undefined;
    };

export interface CountedAnswer extends AnswerReport {
  readonly estimated: boolean;
  /** Undefined: what the usage costs at the prices of the account. */
  readonly cost?: Cost;
  /** Its sum is the whole; undefined: it is all of one answer. */
  readonly shares?: readonly ModelShare[];
}

const NO_REPORT: AnswerReport = { usage: undefined, model: undefined };
/** Of an answer that no provider made. */
export const NOTHING_COUNTED: CountedAnswer = { ...NO_REPORT, estimated: false };

/** Statuses of answers that are counted: 246 is a good answer of which a check failed. */
const COUNTED: ReadonlySet<number> = new Set([200, 246]);

/**
 * What an answer reports. A cached answer was counted when it was made, what GET and DELETE answer was made by an earlier call, and
 * errors have no usage.
 */
export function countAnswer(finished: FinishedRequest): CountedAnswer {
  const { exchange, answer } = finished;
  const { method } = exchange.request;
  const { answeredBy, counted } = answer.facts;
  if (counted !== undefined) return counted;
  if (exchange.operation.keptByProvider === true) return rowsOf(answer.body);
  if (answeredBy?.provider === undefined || isCacheHit(answeredBy.cache)) return NOTHING_COUNTED;
  if (!COUNTED.has(answer.status) || method === 'GET' || method === 'DELETE') return NOTHING_COUNTED;
  const report = answer.body.kind === 'stream' ? streamReport(answer.body) : readReport(answer.body.bytes);
  const isCut = answer.body.kind === 'stream' && finished.sent.error !== undefined;
  if (report.usage !== undefined && !isCut) return { ...report, estimated: report.estimated ?? false };
  const { facts, body } = answer;
  const { bytes, error } = finished.sent;
  const told = {
    requestBytes: facts.requestBytes ?? 0,
    bytes,
    sample: () => sampleOf(body),
    characters: answeredBy.characters,
    isCut: error !== undefined,
  };
  return { ...estimated(exchange.operation, told, report), ...(report.end && { end: report.end }) };
}

/** Usage in these answers is that of other calls, but for rows that are read for the first time. */
const rowsOf = (body: AnswerSource): CountedAnswer =>
  (body.kind === 'stream' ? body.rows?.counted() : undefined) ?? NOTHING_COUNTED;

/** As `countAnswer`, for the answer of a provider that its client does not get as it is. */
export function countWhole(
  operation: Generating,
  requestBytes: number,
  body: AnswerSource,
  size = body.kind === 'bytes' ? body.bytes.length : 0,
): CountedAnswer {
  const report = body.kind === 'stream' ? streamReport(body) : readReport(body.bytes);
  if (report.usage !== undefined) return { ...report, estimated: false };
  return estimated(operation, { requestBytes, bytes: size, sample: () => sampleOf(body), isCut: false }, report);
}

/** What two answers used together; the model is that of the second. */
export function addCounted(one: CountedAnswer | undefined, other: CountedAnswer): CountedAnswer {
  if (one?.usage === undefined) return other;
  const usage = other.usage === undefined ? one.usage : addUsage(one.usage, other.usage);
  return { usage, model: other.model ?? one.model, estimated: one.estimated || other.estimated };
}

type Generating = FinishedRequest['exchange']['operation'];

interface Told {
  readonly requestBytes: number;
  /** Of the answer. */
  readonly bytes: number;
  readonly isCut: boolean;
  /** That were to be spoken. */
  readonly characters?: number | undefined;
  sample(): string;
}

function estimated({ generates }: Generating, told: Told, { usage, model }: AnswerReport): CountedAnswer {
  const { requestBytes, bytes, isCut } = told;
  if (generates === undefined) return { usage, model, estimated: usage !== undefined };
  if (generates === 'speech') return { usage: usage ?? charactersOf(told), model, estimated: false };
  if (generates === 'images') return { usage: usage ?? NO_USAGE, model, estimated: false };
  if (generates === 'transcript') {
    return {
      usage: usage ?? estimateRecording(requestBytes) ?? NO_USAGE,
      model,
      estimated: usage === undefined || isCut,
    };
  }
  if (generates === 'vectors') return { usage: estimateInput({ requestBytes }), model, estimated: true };
  const estimate = estimateUsage({ requestBytes, sample: told.sample(), bytes, known: usage });
  const isNothing = estimate.output === 0 && !isCut;
  return isNothing ? { usage, model, estimated: false } : { usage: estimate, model, estimated: true };
}

/** What is paid where a model reads a text aloud. */
const charactersOf = ({ characters = 0 }: Told): TokenUsage =>
  characters === 0 ? NO_USAGE : { ...NO_USAGE, units: { character: characters } };

function sampleOf(body: AnswerSource): string {
  if (body.kind === 'bytes') return body.bytes.toString('latin1');
  return attempted(() => body.transform?.sample?.()) ?? '';
}

const streamReport = ({ transform, observer }: Extract<AnswerSource, { kind: 'stream' }>): AnswerReport =>
  attempted(() => (transform ?? observer)?.report()) ?? NO_REPORT;

/** A transform that failed while it was read may fail again. */
function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

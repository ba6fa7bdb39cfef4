/** The usage of an answer: as its provider reports it, else as its bytes tell. */
import { type AnswerReport, estimateInput, estimateUsage, readReport } from '../usage/index.ts';
import type { FinishedRequest } from './recorder.ts';

/** Where usage and model of an answer are found. */
export type AnswerSource =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | {
      readonly kind: 'stream';
      readonly transform: { report(): AnswerReport; sample?(): string } | undefined;
      readonly observer?: { report(): AnswerReport } | undefined;
    };

export interface CountedAnswer extends AnswerReport {
  readonly estimated: boolean;
}

const NO_REPORT: AnswerReport = { usage: undefined, model: undefined };
const NOTHING: CountedAnswer = { ...NO_REPORT, estimated: false };

/**
 * What an answer reports. A cached answer was counted when it was made, what GET and DELETE answer was made by an earlier call, and
 * errors have no usage.
 */
export function countAnswer(finished: FinishedRequest): CountedAnswer {
  const { exchange, answer } = finished;
  const { method } = exchange.request;
  const { answeredBy } = answer.facts;
  if (answeredBy?.provider === undefined || answeredBy.cache === 'HIT') return NOTHING;
  if (answer.status !== 200 || method === 'GET' || method === 'DELETE') return NOTHING;
  const report = answer.body.kind === 'stream' ? streamReport(answer.body) : readReport(answer.body.bytes);
  const isCut = answer.body.kind === 'stream' && finished.sent.error !== undefined;
  return report.usage === undefined || isCut ? estimated(finished, report) : { ...report, estimated: false };
}

function estimated({ exchange, answer, sent }: FinishedRequest, { usage, model }: AnswerReport): CountedAnswer {
  const requestBytes = answer.facts.requestBytes ?? 0;
  const { generates } = exchange.operation;
  if (generates === undefined) return { usage, model, estimated: usage !== undefined };
  if (generates === 'vectors') return { usage: estimateInput({ requestBytes }), model, estimated: true };
  const told = estimateUsage({ requestBytes, sample: sampleOf(answer.body), bytes: sent.bytes, known: usage });
  const isNothing = told.output === 0 && sent.error === undefined;
  return isNothing ? { usage, model, estimated: false } : { usage: told, model, estimated: true };
}

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

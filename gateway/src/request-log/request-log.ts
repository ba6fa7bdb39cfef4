/** Where rows and documents of the request log go: docs/behaviour/request-logs.md. */
import type { FeedbackRow, LogRow } from '@gatehouse/crds/logs';

export interface LogRecord {
  /** Its `document` is set by the log. */
  readonly row: LogRow;
  /** JSON of a LogContent, masked; undefined: nothing but the row is kept. */
  readonly content: string | undefined;
  /** It may be added again, in any process. */
  readonly mayRepeat?: boolean | undefined;
  /** What the row takes in memory, about, where it may be more than usual. */
  readonly rowBytes?: number | undefined;
}

/** What a guardrail says of a trace. */
export interface LogFeedback extends Omit<FeedbackRow, 'guardrail' | 'created_at' | 'updated_at'> {
  readonly guardrail: string;
  /** Unix time in ms. */
  readonly created_at: number;
}

/** `later`: what waits has to be written first; `never`: they are too many, or too large, for one call. */
export type Admission = 'now' | 'later' | 'never';

export interface RequestLog {
  /** Whether what is added now is kept: a sidecar learns later where its rows go. Else nothing is worth preparing for it. */
  isKept(): boolean;
  /** Whether records may be added that their sender can send again: they leave half of the room to those of requests, that for documents, too. */
  admits(records: readonly LogRecord[]): Admission;
  /** Never fails and does not wait: what cannot be kept is counted as dropped. */
  add(record: LogRecord): void;
  /** As `admits`, for feedback of guardrails and its room. */
  admitsFeedback(feedback: readonly LogFeedback[]): Admission;
  /** As `add`, for feedback of guardrails. */
  addFeedback(feedback: LogFeedback): void;
  /** Half of the rows, or of the documents, that may wait do: what can wait elsewhere should. */
  isBusy(): boolean;
  /** Writes what is left within the time, in ms. */
  close(timeoutMs: number): Promise<void>;
}

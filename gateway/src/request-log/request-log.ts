/** Where rows and documents of the request log go: docs/behaviour/request-logs.md. */
import type { LogRow } from '@gatehouse/crds/logs';

export interface LogRecord {
  /** Its `document` is set by the log. */
  readonly row: LogRow;
  /** JSON of a LogContent, masked; undefined: nothing but the row is kept. */
  readonly content: string | undefined;
}

/** `later`: what waits has to be written first; `never`: they are too many, or too large, for one call. */
export type Admission = 'now' | 'later' | 'never';

export interface RequestLog {
  /** Whether records may be added that their sender can send again: they leave half of the room to those of requests. */
  admits(records: readonly LogRecord[]): Admission;
  /** Never fails and does not wait: what cannot be kept is counted as dropped. */
  add(record: LogRecord): void;
  /** Writes what is left within the time, in ms. */
  close(timeoutMs: number): Promise<void>;
}

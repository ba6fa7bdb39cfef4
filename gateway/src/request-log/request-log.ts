/** Where rows and documents of the request log go: docs/behaviour/request-logs.md. */
import type { LogRow } from '@gatehouse/crds/logs';

export interface LogRecord {
  /** Its `document` is set by the log. */
  readonly row: LogRow;
  /** JSON of a LogContent, masked; undefined: nothing but the row is kept. */
  readonly content: string | undefined;
}

export interface RequestLog {
  /** Never fails and does not wait: what cannot be kept is counted as dropped. */
  add(record: LogRecord): void;
  /** Writes what is left within the time, in ms. */
  close(timeoutMs: number): Promise<void>;
}

/** Where rows and documents of the request log go: docs/behaviour/request-logs.md. */
import type { LogContent, LogRow } from '@gatehouse/crds/logs';

export interface LogRecord {
  /** Its `document` is set by the store that keeps the content. */
  readonly row: LogRow;
  /** Masked; undefined: nothing but the row is kept. */
  readonly content: LogContent | undefined;
}

export interface RequestLog {
  /** Never fails and does not wait: what cannot be kept is counted as dropped. */
  add(record: LogRecord): void;
  /** Writes what is left within the time, in ms. */
  close(timeoutMs: number): Promise<void>;
}

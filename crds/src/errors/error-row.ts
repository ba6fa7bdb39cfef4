/** What is said of every public error; `errors.ts` has the rows. */

/**
 * Who may have caused the error and so which body a client gets (spec 18.1):
 * `key` = K, `validation` = V, `openai` = O, `provider` = P, `blocked` = B, `route` = the plain 404 body.
 */
export type ErrorShape = 'key' | 'validation' | 'openai' | 'provider' | 'blocked' | 'route';

/** What a fallback chain does when one target ends with this error (spec 5.4). `status` = decided by the status list. */
export type FallbackRule = 'status' | 'stop-unless-listed' | 'stop';

export interface ErrorRow {
  readonly shape: ErrorShape;
  /** HTTP status. For `UPSTREAM_STATUS` it is a placeholder: the vendor's own status is sent. */
  readonly status: number;
  /** `error.code` on the wire; `null` where the reference sends null. */
  readonly wireCode: string | null;
  /** `error.type` on the wire. */
  readonly type: string;
  /** Whether an unchanged second attempt may succeed. */
  readonly retryable: boolean;
  readonly fallback: FallbackRule;
  /** False: the message stays in the log and the client gets the summary only. */
  readonly expose: boolean;
  readonly log: 'debug' | 'info' | 'warn' | 'error';
  /** One sentence for people: default message and documentation. */
  readonly summary: string;
}

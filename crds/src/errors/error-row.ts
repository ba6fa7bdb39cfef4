/** The columns of the error table; `index.ts` has the rows. */

/**
 * The shape of the body that a client gets: docs/behaviour/errors.md. `key`: of authentication and key limits; `validation`: of
 * request validation; `openai`: as the OpenAI API; `provider`: fields of the provider's error; `blocked`: of the saved-configs-only
 * mode; `route`: the plain 404 body.
 */
export type ErrorShape = 'key' | 'validation' | 'openai' | 'provider' | 'blocked' | 'route';

/** What a fallback does when a target ends with this error: docs/behaviour/routing.md#fallback. `status`: decided by the status list. */
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

/** What the rows of a group have in common. */
export type RowBase = Omit<ErrorRow, 'summary' | 'status' | 'wireCode'>;

/** A request that its client has to change. */
export const REQUEST: RowBase = {
  shape: 'validation',
  type: 'invalid_request_error',
  retryable: false,
  fallback: 'stop',
  expose: true,
  log: 'info',
};

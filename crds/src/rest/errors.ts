/** The errors of the management API: docs/behaviour/management.md#errors. */

export interface RestErrorRow {
  readonly status: number;
  /** The stable code of the reference. */
  readonly code: string;
  readonly type: string;
  readonly summary: string;
}

export const REST_ERRORS = {
  INVALID: {
    status: 400,
    code: 'AB01',
    type: 'invalid_request_error',
    summary: 'Something in the request is missing, of the wrong type, or outside of what is allowed.',
  },
  UNAUTHENTICATED: {
    status: 401,
    code: 'AB05',
    type: 'authentication_error',
    summary: 'There is no key, or it is unknown or expired.',
  },
  FORBIDDEN: { status: 403, code: 'AB03', type: 'permission_error', summary: 'The key may not do this.' },
  ABSENT: {
    status: 404,
    code: 'AB02',
    type: 'not_found_error',
    summary: 'The object does not exist, or belongs to another workspace.',
  },
  METHOD: {
    status: 405,
    code: 'AB01',
    type: 'invalid_request_error',
    summary: 'The path is not called with that method.',
  },
  REFERENCE_ABSENT: {
    status: 404,
    code: 'AB08',
    type: 'not_found_error',
    summary: 'What the call refers to does not exist, or belongs to another workspace.',
  },
  CONFLICT: {
    status: 409,
    code: 'AB07',
    type: 'conflict_error',
    summary: 'The object exists already, is in use, is owned by another tool, or was changed at the same time.',
  },
  TOO_LARGE: { status: 413, code: 'AB01', type: 'invalid_request_error', summary: 'The body is too large.' },
  TOO_MANY: { status: 429, code: 'AB06', type: 'rate_limit_error', summary: 'The key has made too many calls.' },
  UNAVAILABLE: {
    status: 503,
    code: 'AB04',
    type: 'service_error',
    summary:
      'The database that people are in, or the identity provider, is away, or nobody says what budgets have used; everything else goes on.',
  },
  LOG_OFF: {
    status: 501,
    code: 'request_log_off',
    type: 'service_error',
    summary: 'No request log is kept: there are no logs, analytics, exports and feedback.',
  },
  INTERNAL: { status: 500, code: 'AB04', type: 'service_error', summary: 'The management API failed.' },
} as const satisfies Record<string, RestErrorRow>;

export type RestErrorName = keyof typeof REST_ERRORS;

export interface RestErrorText {
  readonly message: string;
  /** The field it is about, e.g. `conditions[0].key`. */
  readonly param?: string | undefined;
  readonly issues?: readonly { readonly param: string; readonly message: string }[] | undefined;
  /** Of SCIM: the kind of the problem (RFC 7644, section 3.12). */
  readonly scimType?: string | undefined;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
}

/** The body of an error, in the forms that clients of the reference read. */
export function restErrorBody(error: RestErrorName, { message, param, issues }: RestErrorText): object {
  const { code, type } = REST_ERRORS[error];
  return {
    success: false,
    errorCode: code,
    message,
    error: { code, message, param: param ?? null, type },
    ...(issues === undefined || issues.length < 2 ? {} : { issues }),
  };
}

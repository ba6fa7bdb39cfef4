import { isObject } from '@gatehouse/crds';

/** One of several things wrong with a request, as the API server lists them. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** The object a request was about. */
export interface StatusSubject {
  readonly kind: string;
  readonly name: string;
}

interface ApiErrorFields {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly subject?: StatusSubject | undefined;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Why a call to the API server returned no object. `reason` is the server's (`NotFound`, `Conflict`, `Expired` …), or one of
 * the client where no answer could be read: `Unreachable`, `Timeout`, `Undecodable`; `status` is 0 then. The message may quote
 * the object, so it must not be logged.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly subject: StatusSubject | undefined;
  readonly causes: readonly StatusCause[];
  readonly retryAfterMs: number | undefined;

  constructor({ status, reason, message, subject, causes = [], retryAfterMs, cause }: ApiErrorFields) {
    super(message, { cause });
    this.status = status;
    this.reason = reason;
    this.subject = subject;
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
  }
}

const REASON_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

/** Whether a thrown value is an ApiError with one of the reasons. */
export function hasReason(error: unknown, ...reasons: readonly string[]): error is ApiError {
  return error instanceof ApiError && reasons.includes(error.reason);
}

/** Whether a resourceVersion or continue token has expired. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

/** An error from the body of a failed answer, which is a `Status` unless a proxy has answered. */
export function errorFromAnswer(httpStatus: number, body: unknown, retryAfterMs?: number): ApiError {
  const fallback = REASON_OF_STATUS.get(httpStatus) ?? 'Unknown';
  if (!isObject(body) || body['kind'] !== 'Status') {
    return new ApiError({
      status: httpStatus,
      reason: fallback,
      message: `the API server answered ${httpStatus}`,
      retryAfterMs,
    });
  }
  const details = isObject(body['details']) ? body['details'] : {};
  const seconds = details['retryAfterSeconds'];
  const status = typeof body['code'] === 'number' ? body['code'] : httpStatus;
  return new ApiError({
    status,
    reason: textOf(body['reason']) || (REASON_OF_STATUS.get(status) ?? fallback),
    message: textOf(body['message']) || `the API server answered ${status}`,
    subject: textOf(details['name']) === '' ? undefined : toSubject(details),
    causes: Array.isArray(details['causes']) ? details['causes'].filter(isObject).map(toCause) : [],
    retryAfterMs: retryAfterMs ?? (typeof seconds === 'number' ? seconds * 1000 : undefined),
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const toSubject = (details: Record<string, unknown>): StatusSubject => ({
  kind: textOf(details['kind']),
  name: textOf(details['name']),
});

const toCause = (cause: Record<string, unknown>): StatusCause => ({
  reason: textOf(cause['reason']),
  message: textOf(cause['message']),
  field: textOf(cause['field']),
});

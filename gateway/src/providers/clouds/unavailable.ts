import { AppError } from '../../errors/index.ts';

/** The error for a credential or token that could not be obtained; the detail is sent to the client and holds no secret. */
export function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('CREDENTIAL_UNAVAILABLE', { detail, cause });
}

import { AppError } from '../../../errors/index.ts';

/** The error for a token that could not be obtained; the detail is sent to the client and holds nothing of the key. */
export function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('CREDENTIAL_UNAVAILABLE', cause === undefined ? { detail } : { detail, cause });
}

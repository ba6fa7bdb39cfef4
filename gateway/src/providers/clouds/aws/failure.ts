import { AppError } from '../../../errors/index.ts';

/** The error for a credential that could not be had; the detail goes to the client and names no secret. */
export function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('CREDENTIAL_UNAVAILABLE', { detail, cause });
}

import { AppError } from './app-error.ts';

/**
 * A caught value as an AppError; anything but an AppError is INTERNAL. Errors of sockets become AppErrors where they arise:
 * `gateway/src/upstream/failures.ts`. Aborts carry their AppError in the signal's reason.
 */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError('INTERNAL', { cause: thrown });
}

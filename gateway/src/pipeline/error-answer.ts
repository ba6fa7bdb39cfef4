import { type AppError, renderError } from '../errors/index.ts';
import type { Exchange } from './exchange.ts';
import { errorFormatOf } from './operations/index.ts';

/** Status, headers and body of an error in the format of the request's operation. */
export function renderErrorFor(error: AppError, { operation, request }: Pick<Exchange, 'operation' | 'request'>) {
  return renderError(error, errorFormatOf(operation, request), (text) => request.spelled?.(text) ?? text);
}

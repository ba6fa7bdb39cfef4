/** Errors as items of a stream. */
import type { ErrorFields, StreamItem, WireContext } from '../contract.ts';
import { withProviderPrefix } from './error-shapes.ts';

/** The item for an error that the upstream reports inside a stream. */
export function toStreamError(fields: ErrorFields | undefined, ctx: WireContext): StreamItem {
  return { kind: 'error', error: withProviderPrefix(ctx.provider, fields ?? UNKNOWN_ERROR) };
}

/** Used for error events of unknown shape, which must not be treated as content. */
const UNKNOWN_ERROR: ErrorFields = {
  message: 'an error without details',
  type: 'stream_error',
  param: null,
  code: null,
};

/** For streams that end before the upstream completed them. */
export const INCOMPLETE_STREAM: StreamItem = {
  kind: 'error',
  error: {
    message: 'The stream of the provider ended before it was complete',
    type: 'stream_error',
    param: null,
    code: null,
  },
};

import { AppError } from '../../errors/index.ts';

/** Type and subtype, whatever parameters follow. Source: RFC 9110, sections 5.6.2 and 8.3.1. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Throws CONTENT_TYPE_INVALID for a `content-type` that is no media type; the header may be absent. */
export function checkMediaType(contentType: string | undefined): void {
  if (contentType === undefined || MEDIA_TYPE.test(contentType)) return;
  throw new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: 'The content-type header is malformed; it must be a media type such as application/json',
  });
}

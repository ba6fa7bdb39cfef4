/** The boundary of a `multipart/form-data` body, as RFC 2046 section 5.1.1 allows it. */
import { AppError } from '../../errors/index.ts';

const MEDIA_TYPE = /^multipart\/form-data[ \t]*(?=;|$)/i;
const PARAMETER = /^;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s;",]+))[ \t]*/;
/** 1 to 70 of these characters, the last of which is no space. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** Whether a content type announces a form. */
export const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && MEDIA_TYPE.test(contentType.trim());

/**
 * The boundary that a content type names. Throws AppError BODY_NOT_FORM where it names none or more than one, or one that
 * readers could understand differently.
 */
export function boundaryOf(contentType: string): string {
  const text = contentType.trim();
  let rest = text.replace(MEDIA_TYPE, '');
  let found: string | undefined;
  while (rest !== '' && rest !== text) {
    const [whole = '', name = '', quoted, plain] = PARAMETER.exec(rest) ?? [];
    const isBoundary = name.toLowerCase() === 'boundary';
    if (whole === '' || (isBoundary && found !== undefined)) throw invalid();
    if (isBoundary) found = quoted ?? plain;
    rest = rest.slice(whole.length);
  }
  if (found === undefined || !BOUNDARY.test(found)) throw invalid();
  return found;
}

const invalid = (): AppError =>
  new AppError('BODY_NOT_FORM', {
    param: 'content-type',
    detail: 'content-type must be multipart/form-data with one boundary of 1 to 70 characters',
  });

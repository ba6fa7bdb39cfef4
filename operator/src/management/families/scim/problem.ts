import { RestError } from '../../http/rest-error.ts';

/** Kinds of errors (RFC 7644, section 3.12) that are answered here. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** An error that the directory reads. */
export const scimError = (scimType: ScimType, message: string): RestError =>
  new RestError(scimType === 'uniqueness' ? 'CONFLICT' : 'INVALID', { message, scimType });

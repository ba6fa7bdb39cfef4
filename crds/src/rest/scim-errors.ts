/** Errors of operations that directories call (RFC 7644, section 3.12). */
import { REST_ERRORS, type RestErrorName, type RestErrorText } from './errors.ts';

export const SCIM_TYPE = 'application/scim+json; charset=utf-8';

const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** Paths of SCIM; those of its mappings are in lower case. */
const SCIM_PATH = /^\/v1\/scim\/(v2(\/|$)|[A-Z])/;

/** Whether a path, without its query, is one of the protocol. */
export const isScimPath = (path: string): boolean => SCIM_PATH.test(path);

export function scimErrorBody(error: RestErrorName, { message, scimType }: RestErrorText): object {
  const kind = scimType ?? (error === 'INVALID' ? 'invalidValue' : undefined);
  return {
    schemas: [SCIM_ERROR],
    status: String(REST_ERRORS[error].status),
    ...(kind === undefined ? {} : { scimType: kind }),
    detail: message,
  };
}

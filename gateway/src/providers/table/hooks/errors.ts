/** Error dialects that use the status beside the body. */
import { isObject } from '@gatehouse/crds';
import type { Provider } from '../../contract.ts';

/** krutrim: a text or a page. */
export const textWithStatus: NonNullable<Provider['readError']> = (body, { status }) =>
  typeof body === 'string' && body.trim() !== ''
    ? { message: body.trim(), type: 'error', param: null, code: String(status) }
    : undefined;

/** huggingface: `{error: text}`, the code is the status. */
export const stringErrorWithStatus: NonNullable<Provider['readError']> = (body, { status }) =>
  isObject(body) && typeof body['error'] === 'string'
    ? { message: body['error'], type: null, param: null, code: String(status) }
    : undefined;

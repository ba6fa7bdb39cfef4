/** Errors of feedback: with the words that its clients look for, beside those of the management API. */
import { errorBody, RestError } from './rest-error.ts';

const PATH = /^\/v1\/feedback(\/|$)/;
const ONE = /^\/v1\/feedback\/[^/]+$/;

/** `path` is without the query. */
export const isFeedbackPath = (path: string): boolean => PATH.test(path);

/** The method of the operation of the path; undefined: there is none. */
export function feedbackMethodOf(path: string): 'POST' | 'PUT' | undefined {
  if (path === '/v1/feedback') return 'POST';
  return ONE.test(path) ? 'PUT' : undefined;
}

const IS_VALUE = /(^|\.)value$/;

/** `01`: the method. `032`: something is missing. `033`: the value is not one. `031`: anything else in the body. */
function codeOf({ error, details: { param = '', message } }: RestError): string | undefined {
  if (error === 'METHOD') return '01';
  if (error !== 'INVALID') return undefined;
  if (message.includes('required: expected')) return '032';
  return IS_VALUE.test(param) ? '033' : '031';
}

export function feedbackErrorBody(error: RestError): object {
  const code = codeOf(error);
  const message = code === undefined ? error.message : `${error.message}. Error code: ${code}`;
  return { status: 'failure', ...errorBody(new RestError(error.error, { ...error.details, message })) };
}

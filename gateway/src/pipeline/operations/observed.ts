import type { UpstreamResponse } from '../../upstream/index.ts';
import { AnswerObserver } from '../../wire/transform/index.ts';
import { isJson } from '../attempt/map/index.ts';

/** For an answer whose bytes pass as they are: JSON may hold usage; it is read where the bytes are not encoded. */
export const observed = (response: UpstreamResponse): { readonly observer?: AnswerObserver } =>
  isJson(response) && response.headers['content-encoding'] === undefined ? { observer: new AnswerObserver() } : {};

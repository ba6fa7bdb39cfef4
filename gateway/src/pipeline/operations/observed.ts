import type { UpstreamResponse } from '../../upstream/index.ts';
import { AnswerObserver } from '../../wire/transform/index.ts';
import { isJson } from '../attempt/map/index.ts';
import type { Operation } from './operation.ts';

/** For an answer whose bytes pass as they are: JSON may hold usage, a transcript times; they are read where the bytes are not encoded. */
export function observed(
  response: UpstreamResponse,
  { generates }: Pick<Operation, 'generates'>,
): { readonly observer?: AnswerObserver } {
  const answer = { isJson: isJson(response), isTranscript: generates === 'transcript' };
  if (response.headers['content-encoding'] !== undefined || !(answer.isJson || answer.isTranscript)) return {};
  return { observer: new AnswerObserver(answer) };
}

/** Where the targets of a config were looked at for what one of them keeps: docs/behaviour/responses.md#stored-responses. */
import { AppError } from '../errors/index.ts';
import type { Telling } from '../routing/index.ts';
import type { AttemptInput, AttemptOutcome } from './attempt/index.ts';
import { renderErrorFor } from './error-answer.ts';
import type { Answer } from './exchange.ts';

/** What an outcome says about where the thing is. */
export function tellingOf({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): Telling {
  if (status >= 200 && status <= 299) return 'found';
  if (error?.code === 'OPERATION_UNSUPPORTED') return 'unable';
  return status === 404 ? 'absent' : 'unknown';
}

/** The answer, which names all targets that do not have the thing where there are several. */
export function sayingWhere(answer: Answer, { exchange, tried }: AttemptInput): Answer {
  if (exchange.operation.looksUp !== true || answer.status !== 404 || tried.length < 2) return answer;
  if (answer.body.kind === 'stream') answer.body.upstream.discard();
  const looked = tried.map((each) => nameOf(each) + (tellingOf(each) === 'unable' ? ', which keeps none' : ''));
  const detail = `No target of the config has the response: it was looked for at ${looked.join('; ')}`;
  const error = new AppError('RESPONSE_UNKNOWN', { detail });
  const { headers, body } = renderErrorFor(error, exchange);
  const { 'content-length': _, 'content-encoding': __, ...kept } = answer.headers;
  return {
    ...answer,
    headers: { ...kept, ...headers },
    body: { kind: 'bytes', bytes: body },
    facts: { ...answer.facts, error },
  };
}

const nameOf = ({ account, provider, leaf }: AttemptOutcome): string =>
  account === undefined ? (provider ?? leaf.path) : `@${account}`;

import type { Revision } from '@gatehouse/crds/snapshot';
import type { Dispatcher } from 'undici';
import { startDeadline } from '../../runtime/index.ts';
import { type PodAnswer, parseAnswer } from './answer.ts';
import { readText } from './read-text.ts';

/** The gateway answers within 30 s in any case; the rest is for the network. */
const POLL_MS = 40_000;
/** 20 skipped entries with their reasons are far below. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface PollOptions {
  readonly dispatcher: Dispatcher;
  /** `http://host:port` of the admin listener. */
  readonly origin: string;
  readonly token: string;
  /** The pod answers when it has loaded or refused this revision or a later one, and at its next load or refusal. */
  readonly wait: Revision;
  /** Of the last answer: a pod that has changed since answers at once. */
  readonly changes: number | undefined;
  readonly signal: AbortSignal;
}

/** One long poll. Rejects when no gateway answers in time. */
export async function poll({ dispatcher, origin, token, wait, changes, signal }: PollOptions): Promise<PodAnswer> {
  using deadline = startDeadline({ signal, timeoutMs: POLL_MS, onTimeout: () => new Error('the pod took too long') });
  const { statusCode, body } = await dispatcher.request({
    origin,
    path: `/internal/snapshot?wait=${wait.version}&epoch=${wait.epoch}${changes === undefined ? '' : `&changes=${changes}`}`,
    method: 'GET',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    signal: deadline.signal,
    headersTimeout: 0, // the deadline has passed
    bodyTimeout: 0,
  });
  if (statusCode !== 200) {
    await body.dump({ limit: MAX_ANSWER_BYTES });
    throw new Error(`the pod answered ${statusCode}`);
  }
  const answer = parseAnswer(await readText(body, MAX_ANSWER_BYTES));
  if (answer === undefined) throw new Error('the pod sent no snapshot status');
  return answer;
}

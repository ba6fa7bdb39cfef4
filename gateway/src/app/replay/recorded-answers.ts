/** Stands in for all providers and services: gives what the record says, and opens no connection. */
import { ERRORS, type ErrorCode } from '@gatehouse/crds/errors';
import type { LogRow } from '@gatehouse/crds/logs';
import { AppError } from '../../errors/index.ts';
import { bodyOf } from '../../upstream/index.ts';
import type { openClient } from '../upstream-client.ts';

type Client = ReturnType<typeof openClient>;

/** A status that is tried again, unless a config says otherwise: what came before a good answer is not in the record. */
const RETRIED = 503;
const GOOD = 200;
/** An answer that more formats than one take. */
const ANSWER = JSON.stringify({
  ...{ id: 'replayed', object: 'chat.completion', created: 0, model: 'replayed' },
  choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
});

/** The answers of the rows in their order; good ones when there are no more. */
export function createRecordedAnswers(rows: readonly LogRow[]): Client {
  const called = rows.filter(({ decision }) => decision.calls > 0);
  let at = 0;
  let calls = 0;
  const next = (): number | ErrorCode => {
    const row = called[at];
    if (row === undefined) return GOOD;
    calls += 1;
    const isLast = calls >= row.decision.calls;
    if (isLast) {
      at += 1;
      calls = 0;
    }
    const outcome = outcomeOf(row);
    return outcome === GOOD && !isLast ? RETRIED : outcome;
  };
  return {
    send: async () => {
      const outcome = next();
      if (typeof outcome === 'string') throw new AppError(outcome);
      const isGood = outcome === GOOD;
      const bytes = Buffer.from(isGood ? ANSWER : JSON.stringify({ error: { message: 'replayed' } }));
      return {
        status: outcome,
        headers: { 'content-type': 'application/json' },
        body: bodyOf(pieces(bytes), () => undefined),
      };
    },
    upgrade: async () => {
      throw new AppError('UPSTREAM_UNREACHABLE');
    },
    close: async () => undefined,
  };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** What its provider did: what the gateway made of a good answer follows from that. */
function outcomeOf({ status, error }: LogRow): number | ErrorCode {
  if (error === null || error === 'UPSTREAM_STATUS') return status >= 200 && status <= 299 ? GOOD : status;
  return error.startsWith('UPSTREAM_') && isErrorCode(error) ? error : GOOD;
}

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

/** Stands in for all providers and services: gives what the record says, and opens no connection. */
import { ERRORS, type ErrorCode } from '@gatehouse/crds/errors';
import type { LogRow } from '@gatehouse/crds/logs';
import { AppError } from '../../errors/index.ts';
import type { InputCheck } from '../../pipeline/index.ts';
import { bodyOf } from '../../upstream/index.ts';
import type { openClient } from '../upstream-client.ts';
import { movingOn } from './moving-on.ts';
import { finalOf, type RecordedRequest } from './recorded.ts';

type Client = ReturnType<typeof openClient>;

const GOOD = 200;
/** Of a target that does not have what is looked for at all of them. */
const ABSENT = 404;
/** An answer that more formats than one take. */
const ANSWER = JSON.stringify({
  ...{ id: 'replayed', object: 'chat.completion', created: 0, model: 'replayed' },
  choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
});

type Prepared = Parameters<InputCheck>[0];

export interface RecordedAnswers {
  readonly client: Client;
  /** The checks, and those that tell before and behind them which target is tried. */
  around(checks: readonly InputCheck[]): readonly InputCheck[];
  /** What earlier targets have answered is not in the record, and might have led elsewhere. */
  isGuess(): boolean;
}

/**
 * All calls of a target get what its row says, however often it is tried; calls that the gateway makes for the request what theirs say,
 * and services of guardrails a good answer. So do targets that the record does not have.
 */
export function createRecordedAnswers(recorded: RecordedRequest): RecordedAnswers {
  let current: { readonly prepared: Prepared; readonly isChecked: boolean } | undefined;
  let hasGuessed = false;
  const next = (): number | ErrorCode => {
    if (current === undefined) return GOOD;
    const { input, leaf } = current.prepared;
    const at = input.tried.length; // calls for the request have rows, too
    const row = recorded.rows.find(({ attempt }) => attempt === at);
    if (row !== undefined) return current.isChecked || row.target === null ? outcomeOf(row) : GOOD;
    if (recorded.isWhole || !current.isChecked) return GOOD;
    if (input.exchange.operation.looksUp === true) return ABSENT; // no other target told more than the one of the final row
    if (at > finalOf(recorded).attempt) return GOOD;
    const { status, isGuess } = movingOn(input.resolution.plan.root, leaf.path);
    hasGuessed ||= isGuess;
    return status;
  };
  const note =
    (isChecked: boolean): InputCheck =>
    (prepared) => {
      current = { prepared, isChecked };
      return { kind: 'pass' };
    };
  return {
    around: (checks) => [note(false), ...checks, note(true)],
    isGuess: () => hasGuessed,
    client: {
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
    },
  };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Errors of providers, and of limits of a target: those let everything pass here. */
const RECORDED = /^UPSTREAM_|_RATE_LIMITED$|_BUDGET_EXHAUSTED$/;

/** What its provider or its limits did: what the gateway made of a good answer follows from that. */
function outcomeOf({ status, error }: LogRow): number | ErrorCode {
  if (error === 'RESPONSE_UNKNOWN') return ABSENT;
  if (error === null || error === 'UPSTREAM_STATUS') return status >= 200 && status <= 299 ? GOOD : status;
  return RECORDED.test(error) && isErrorCode(error) ? error : GOOD;
}

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

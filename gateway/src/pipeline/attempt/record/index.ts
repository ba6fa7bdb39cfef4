/** What the attempt of one target came to: an answer for the client, and what the strategy above it decides by. */
import type { AppError } from '../../../errors/index.ts';
import type { Leaf, RouteOutcome } from '../../../routing/index.ts';
import { renderFor } from '../../error-answer.ts';
import type { AnswerBody, CacheStatus, CacheWriter, HeaderMap } from '../../exchange.ts';
import type { AttemptInput } from '../ports.ts';

export { withSuggestion } from './suggestions.ts';

export interface AttemptOutcome extends RouteOutcome {
  readonly leaf: Leaf;
  readonly provider: string | undefined;
  readonly model: string;
  readonly headers: HeaderMap;
  readonly body: AnswerBody;
  readonly error: AppError | undefined;
  /** Retries used; -1 when they were used up. */
  readonly retries: number;
  readonly cacheStatus: CacheStatus | undefined;
  readonly upstreamMs: number;
  /** Calls made to the provider: 0 when none was needed or possible. */
  readonly calls: number;
  readonly stream: boolean;
  readonly store: CacheWriter | undefined;
}

/** The target of an outcome, known before anything was sent. */
export type OutcomeTarget = Pick<AttemptOutcome, 'leaf' | 'provider' | 'model'>;

/** An answer of the cache. */
export const HIT = {
  status: 200,
  fallback: 'status',
  error: undefined,
  retries: 0,
  calls: 0,
  upstreamMs: 0,
  cacheStatus: 'HIT',
  store: undefined,
} as const;

interface Failure {
  readonly target: OutcomeTarget;
  readonly input: AttemptInput;
  readonly retries?: number;
  readonly calls?: number;
  readonly upstreamMs?: number;
  readonly cacheStatus?: CacheStatus | undefined;
}

/** The outcome of an error, in the format of the client. */
export function failedOutcome(error: AppError, { target, input, cacheStatus, ...counts }: Failure): AttemptOutcome {
  const { retries = 0, calls = 0, upstreamMs = 0 } = counts;
  const { status, headers, body } = renderFor(error, input.exchange);
  return {
    ...target,
    provider: target.provider ?? error.provider,
    status,
    fallback: error.row.fallback,
    headers: { ...headers },
    body: { kind: 'bytes', bytes: body },
    error,
    retries,
    calls,
    upstreamMs,
    cacheStatus,
    stream: false,
    store: undefined,
  };
}

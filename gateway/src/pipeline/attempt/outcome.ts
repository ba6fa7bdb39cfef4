/** What one target's attempt ends with: an answer for the client, and what the strategy above it needs to know. */
import { type AppError, errorProtocolOf, renderError } from '../../errors/index.ts';
import type { Leaf, RouteOutcome } from '../../routing/index.ts';
import type { UpstreamHeaders } from '../../upstream/index.ts';
import type { AnswerBody, CacheStatus, CacheWriter, Exchange, HeaderMap } from '../exchange.ts';

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

/** Headers of an upstream that end at the gateway: they belong to its connection or its encoding of the bytes. */
const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

/** The headers of an upstream that the client gets; our own names are never taken from it. */
export function passedHeaders(headers: UpstreamHeaders): HeaderMap {
  const out: HeaderMap = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !DROPPED.has(name) && !name.startsWith('x-gw-')) out[name] = value;
  }
  return out;
}

/** How an error reaches the client of the request. */
export function renderFor(error: AppError, { request }: Pick<Exchange, 'request'>) {
  return renderError(error, errorProtocolOf(request.path));
}

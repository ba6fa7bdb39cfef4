/** One call to one target, repeated as its retry rules say; behaviour-config-routing 5.1 to 5.3. */
import { AppError, toAppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { backoffMs, isRetryable, type LeafSettings, type RetryPlan, retryAfterMs } from '../../routing/index.ts';
import type {
  UpstreamClient,
  UpstreamHeaders,
  UpstreamLimits,
  UpstreamRequest,
  UpstreamResponse,
} from '../../upstream/index.ts';
import type { CallBudget } from '../call-budget.ts';
import { startDeadline } from './send/deadline.ts';

/** What one call ended with. A stream has delivered its first bytes and no more than those. */
export type CallResult =
  | { readonly kind: 'unary'; readonly status: number; readonly headers: UpstreamHeaders; readonly bytes: Buffer }
  | { readonly kind: 'stream'; readonly response: UpstreamResponse }
  | { readonly kind: 'error'; readonly error: AppError };

export interface SendResult {
  readonly result: CallResult;
  /** Retries used; -1 when they were used up, or a retry-after asked for too much. */
  readonly retries: number;
  /** Calls made, the first one included. */
  readonly calls: number;
  /** Time spent on the network, waits between tries left out, in ms. */
  readonly upstreamMs: number;
}

export interface SendPort {
  readonly client: UpstreamClient;
  readonly limits: UpstreamLimits;
  readonly maxResponseBytes: number;
  /** What an answer that is parsed may be made of. */
  readonly json: JsonLimits;
  /** Resolves after the time, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  readonly settings: Pick<LeafSettings, 'retry' | 'requestTimeoutMs'>;
  /** Makes the request of one try; rejects with an AppError that no retry helps. */
  request(signal: AbortSignal): Promise<UpstreamRequest> | UpstreamRequest;
  /** What the whole request may still cause. */
  readonly calls: CallBudget;
  /** Holds what is kept of the try that counts. */
  readonly memory: ByteAccount;
  /** Whether the body can be sent again. */
  replayable(): boolean;
  /** Whether the answer is relayed while it arrives. */
  isStream(response: UpstreamResponse): boolean;
  /** Looks at the first bytes of a stream; an error replaces the stream and counts as its status. */
  inspect(response: UpstreamResponse): Promise<AppError | undefined>;
}

/** Statuses that end the retries whatever the list says; behaviour-config-routing 5.1. */
const isSuccess = (status: number): boolean => status >= 200 && status <= 204;

export async function sendWithRetries(port: SendPort, options: SendOptions): Promise<SendResult> {
  const { retry } = options.settings;
  let upstreamMs = 0;
  let honouredMs: number | undefined; // what the provider has named so far; undefined: nothing
  for (let calls = 1; ; calls += 1) {
    const startedMs = performance.now();
    const result = await callOnce(port, options);
    upstreamMs += performance.now() - startedMs;
    const sent = { result, calls, upstreamMs };
    if (!wantsRetry(result, retry) || !options.replayable()) return { ...sent, retries: calls - 1 };
    const wait = calls > retry.attempts ? 'stop' : waitBefore(calls, result, { retry, honouredMs });
    if (wait === 'stop' || !options.calls.allowsMore()) return { ...sent, retries: -1 };
    if (wait.honoured) honouredMs = (honouredMs ?? 0) + wait.ms;
    options.memory.clear();
    await port.sleep(wait.ms, options.signal);
  }
}

function wantsRetry(result: CallResult, retry: RetryPlan): boolean {
  if (retry.attempts === 0 || result.kind === 'stream') return false;
  if (result.kind === 'unary') return !isSuccess(result.status) && isRetryable(retry, result.status);
  const { code, row } = result.error;
  if (code === 'CLIENT_CLOSED' || row.fallback !== 'status') return false;
  // A failure without an HTTP status is tried again; a timeout or an overload has one.
  return code === 'UPSTREAM_TIMEOUT' || code === 'UPSTREAM_OVERLOADED' ? isRetryable(retry, row.status) : row.retryable;
}

function waitBefore(
  k: number,
  result: CallResult,
  { retry, honouredMs }: { readonly retry: RetryPlan; readonly honouredMs: number | undefined },
): 'stop' | { readonly ms: number; readonly honoured: boolean } {
  if (retry.useRetryAfter && result.kind === 'unary' && result.status === 429) {
    const asked = retryAfterMs(result.headers, honouredMs ?? 0);
    if (asked === 'stop') return 'stop';
    if (asked !== undefined) return { ms: asked, honoured: true };
  }
  return { ms: backoffMs(k, honouredMs !== undefined), honoured: false };
}

async function callOnce(port: SendPort, options: SendOptions): Promise<CallResult> {
  if (!options.calls.take()) return { kind: 'error', error: new AppError('ATTEMPTS_EXHAUSTED') };
  const deadline = startDeadline(options.signal, options.settings.requestTimeoutMs);
  try {
    const built = options.request(deadline.signal);
    const request = built instanceof Promise ? await untilAborted(built, deadline.signal) : built;
    const response = await port.client.send(request, { signal: deadline.signal, limits: port.limits });
    if (!options.isStream(response)) {
      const bytes = await response.body.collect(port.maxResponseBytes, options.memory);
      return { kind: 'unary', status: response.status, headers: response.headers, bytes };
    }
    await response.body.peek(0);
    const refused = await options.inspect(response);
    return refused === undefined ? { kind: 'stream', response } : { kind: 'error', error: refused };
  } catch (error) {
    return { kind: 'error', error: toAppError(error) };
  } finally {
    deadline.clear();
  }
}

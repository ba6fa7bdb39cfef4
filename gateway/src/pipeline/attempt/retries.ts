/** One target tried as often as its retry rules say: each try is sent, mapped and evaluated; docs/behaviour/retries.md. */
import { AppError, toAppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { type CancelSignal, untilCancelled } from '../../lib/cancellation.ts';
import { backoffMs, isRetryable, type LeafSettings, type RetryPlan, retryAfterMs } from '../../routing/index.ts';
import type { UpstreamRequest, UpstreamResponse } from '../../upstream/index.ts';
import type { CallBudget } from '../call-budget.ts';
import { type ProviderAnswer, receive, type SendPort, startDeadline } from './send/index.ts';

/** `T`: an answer in the client's format. */
export interface RetryOptions<T> {
  readonly signal: CancelSignal;
  readonly settings: Pick<LeafSettings, 'retry' | 'requestTimeoutMs'>;
  /** Makes the request of one try; rejects with an AppError that no retry helps. */
  request(signal: CancelSignal): Promise<UpstreamRequest> | UpstreamRequest;
  /** Calls that the whole request may still cause. */
  readonly calls: CallBudget;
  /** Holds what is kept of the try that counts. */
  readonly memory: ByteAccount;
  /** Whether the body can be sent again. */
  readonly replayable: boolean;
  /** Whether the answer is relayed while it arrives. */
  isStream(response: UpstreamResponse): boolean;
  /** Whether a relayed answer consists of events: the request timeout ends with the first of them, else with the last byte. */
  isEventStream(response: UpstreamResponse): boolean;
  /** Runs the task when the answer has been sent, or the client has left. */
  atEnd(task: () => void): void;
  /** Rejects with the AppError of an answer that cannot be read. */
  map(answer: ProviderAnswer): T | Promise<T>;
  /** Checks a good answer; an error replaces it, and its status decides about the next try, or another answer does. */
  evaluate(answer: T, signal: CancelSignal): Checked<T> | Promise<Checked<T>>;
  /** Of an answer that a check has put in place of the provider's. */
  statusOf(answer: T): number;
  /** Gives back what an answer holds that was refused. */
  release(answer: T): void;
}

/** Undefined: the answer stays. */
export type Checked<T> = AppError | T | undefined;

export type TryResult<T> =
  | { readonly kind: 'answer'; readonly answer: T }
  | { readonly kind: 'error'; readonly error: AppError };

export interface Tried<T> {
  /** Of the last try. */
  readonly result: TryResult<T>;
  /** Retries used; -1 when they were used up, or a retry-after asked for too much. */
  readonly retries: number;
  /** Calls made, the first one included. */
  readonly calls: number;
  /** Time spent on the network, waits between tries left out, in ms. */
  readonly upstreamMs: number;
  /** Whether the provider has given a good status to any try. */
  readonly isAnswered: boolean;
}

/** What tries add up to. */
interface Sums {
  upstreamMs: number;
  isAnswered: boolean;
}

type Try<T> =
  /** The status decides, as the provider sent it. Without a result where it is no success: mapped only if it is the last. */
  | {
      readonly kind: 'answered';
      readonly sent: ProviderAnswer;
      readonly result?: TryResult<T>;
      /** Of what a check has put in its place. */
      readonly replacedStatus?: number;
    }
  /** By a check. */
  | { readonly kind: 'refused'; readonly error: AppError }
  /** No answer came. */
  | { readonly kind: 'failed'; readonly error: AppError };

/** Rejects with the reason of the signal when the client leaves between two tries. */
export async function tryWithRetries<T>(port: SendPort, options: RetryOptions<T>): Promise<Tried<T>> {
  const sums: Sums = { upstreamMs: 0, isAnswered: false };
  let honouredMs: number | undefined; // waits that the provider has named so far; undefined: none
  for (let calls = 1; ; calls += 1) {
    const tried = await tryOnce(port, options, sums);
    const next = nextStep(tried, options, { calls, honouredMs });
    if (next.kind === 'end') {
      const mapping = resultOf(tried, options);
      const result = mapping instanceof Promise ? await mapping : mapping;
      return { result, retries: next.retries, calls, ...sums };
    }
    if (next.honoured) honouredMs = (honouredMs ?? 0) + next.ms;
    options.memory.clear();
    await port.sleep(next.ms, options.signal);
  }
}

async function tryOnce<T>(port: SendPort, options: RetryOptions<T>, sums: Sums): Promise<Try<T>> {
  if (!options.calls.take()) return { kind: 'failed', error: new AppError('ATTEMPTS_EXHAUSTED') };
  const startedMs = performance.now();
  let endedMs: number | undefined;
  const deadline = startDeadline(options.signal, options.settings.requestTimeoutMs);
  const { signal } = deadline;
  let isRelayed = false;
  try {
    const built = options.request(signal);
    const request = built instanceof Promise ? await untilCancelled(built, signal) : built;
    const response = await port.client.send(request, { signal, limits: port.limits });
    sums.isAnswered ||= isGood(response.status);
    const sent = await receive(response, port, options);
    if (sent.kind === 'unary') {
      endedMs = performance.now(); // a stream goes on while it is checked
      if (!isGood(sent.status)) return { kind: 'answered', sent };
    }
    const mapping = map(sent, options);
    const result = mapping instanceof Promise ? await mapping : mapping;
    if (result.kind === 'error') return { kind: 'answered', sent, result };
    const checking = evaluate(result.answer, options, signal);
    const checked = checking instanceof Promise ? await checking : checking;
    if (checked instanceof AppError) return { kind: 'refused', error: checked };
    isRelayed = sent.kind === 'stream' && !options.isEventStream(sent.response);
    return replaced({ kind: 'answered', sent, result }, checked, options);
  } catch (error) {
    return { kind: 'failed', error: toAppError(error) };
  } finally {
    if (isRelayed) options.atEnd(deadline.clear);
    else deadline.clear();
    sums.upstreamMs += (endedMs ?? performance.now()) - startedMs;
  }
}

function map<T>(sent: ProviderAnswer, options: RetryOptions<T>): TryResult<T> | Promise<TryResult<T>> {
  try {
    const mapped = options.map(sent);
    if (!(mapped instanceof Promise)) return { kind: 'answer', answer: mapped };
    return mapped.then(
      (answer): TryResult<T> => ({ kind: 'answer', answer }),
      (error) => unreadable(sent, error),
    );
  } catch (error) {
    return unreadable(sent, error);
  }
}

function replaced<T>(
  tried: Extract<Try<T>, { kind: 'answered' }>,
  checked: T | undefined,
  options: RetryOptions<T>,
): Try<T> {
  if (checked === undefined) return tried;
  return { ...tried, result: { kind: 'answer', answer: checked }, replacedStatus: options.statusOf(checked) };
}

function unreadable(sent: ProviderAnswer, error: unknown): TryResult<never> {
  if (sent.kind === 'stream') sent.response.body.discard();
  return { kind: 'error', error: toAppError(error) };
}

function evaluate<T>(answer: T, options: RetryOptions<T>, signal: CancelSignal): Checked<T> | Promise<Checked<T>> {
  let checking: Checked<T> | Promise<Checked<T>>;
  try {
    checking = options.evaluate(answer, signal);
  } catch (error) {
    options.release(answer);
    throw error;
  }
  if (checking instanceof Promise) return evaluateLater(untilCancelled(checking, signal), answer, options);
  if (checking instanceof AppError) options.release(answer);
  return checking;
}

async function evaluateLater<T>(
  checking: Promise<Checked<T>>,
  answer: T,
  options: RetryOptions<T>,
): Promise<Checked<T>> {
  try {
    const checked = await checking;
    if (checked instanceof AppError) options.release(answer);
    return checked;
  } catch (error) {
    options.release(answer);
    throw error;
  }
}

function resultOf<T>(tried: Try<T>, options: RetryOptions<T>): TryResult<T> | Promise<TryResult<T>> {
  if (tried.kind !== 'answered') return { kind: 'error', error: tried.error };
  return tried.result ?? map(tried.sent, options);
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

/** Statuses that end the retries whatever the list says. */
const isSuccess = (status: number): boolean => status >= 200 && status <= 204;

function wantsRetry(tried: Try<unknown>, retry: RetryPlan): boolean {
  if (retry.maxRetries === 0) return false;
  if (tried.kind === 'answered') {
    const { sent, replacedStatus = sent.kind === 'unary' ? sent.status : undefined } = tried;
    return replacedStatus !== undefined && !isSuccess(replacedStatus) && isRetryable(retry, replacedStatus);
  }
  const { code, row } = tried.error;
  if (tried.kind === 'refused') return row.fallback !== 'stop' && isRetryable(retry, row.status);
  if (code === 'CLIENT_CLOSED' || row.fallback !== 'status') return false;
  // A failure without an HTTP status is tried again; a timeout has one.
  return code === 'UPSTREAM_TIMEOUT' ? isRetryable(retry, row.status) : row.retryable;
}

interface Before {
  readonly calls: number;
  readonly honouredMs: number | undefined;
}

type Wait = { readonly kind: 'wait'; readonly ms: number; readonly honoured: boolean };

function nextStep(
  tried: Try<unknown>,
  options: Pick<RetryOptions<never>, 'settings' | 'replayable' | 'calls'>,
  { calls, honouredMs }: Before,
): Wait | { readonly kind: 'end'; readonly retries: number } {
  const { retry } = options.settings;
  if (!wantsRetry(tried, retry) || !options.replayable) return { kind: 'end', retries: calls - 1 };
  const wait = calls > retry.maxRetries ? undefined : waitBefore(tried, retry, { calls, honouredMs });
  return wait === undefined || !options.calls.allowsMore() ? { kind: 'end', retries: -1 } : wait;
}

/** Undefined: the provider asks for too long a wait. */
function waitBefore(
  tried: Try<unknown>,
  { useRetryAfter }: RetryPlan,
  { calls, honouredMs }: Before,
): Wait | undefined {
  const limited = tried.kind === 'answered' && tried.sent.kind === 'unary' && tried.sent.status === 429;
  if (useRetryAfter && limited) {
    const asked = retryAfterMs(tried.sent.headers, honouredMs ?? 0);
    if (asked === 'stop') return undefined;
    if (asked !== undefined) return { kind: 'wait', ms: asked, honoured: true };
  }
  return { kind: 'wait', ms: backoffMs(calls, honouredMs !== undefined), honoured: false };
}

/** One call to the provider. */
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import type { CancelSignal } from '../../../lib/cancellation.ts';
import type { JsonLimits } from '../../../lib/json/index.ts';
import type { UpstreamClient, UpstreamHeaders, UpstreamLimits, UpstreamResponse } from '../../../upstream/index.ts';

export { startDeadline } from './deadline.ts';

export interface SendPort {
  readonly client: UpstreamClient;
  readonly limits: UpstreamLimits;
  readonly maxResponseBytes: number;
  /** Limits of an answer that is parsed. */
  readonly json: JsonLimits;
  /** Resolves after the time, or rejects with the signal's reason. */
  sleep(ms: number, signal: CancelSignal): Promise<void>;
}

/** An answer as the provider sent it. A stream has delivered its first bytes and no more than those. */
export type ProviderAnswer =
  | { readonly kind: 'unary'; readonly status: number; readonly headers: UpstreamHeaders; readonly bytes: Buffer }
  | { readonly kind: 'stream'; readonly response: UpstreamResponse };

export interface ReceiveOptions {
  /** Holds an answer that is read whole. */
  readonly memory: ByteAccount;
  /** Whether the answer is relayed while it arrives. */
  isStream(response: UpstreamResponse): boolean;
}

/** The answer, whole or begun. Rejects with an AppError when none came. */
export function receive(
  response: UpstreamResponse,
  { maxResponseBytes }: SendPort,
  options: ReceiveOptions,
): Promise<ProviderAnswer> {
  const { status, headers, body } = response;
  if (options.isStream(response)) return body.peek(0).then(() => ({ kind: 'stream', response }));
  return body.collect(maxResponseBytes, options.memory).then((bytes) => ({ kind: 'unary', status, headers, bytes }));
}

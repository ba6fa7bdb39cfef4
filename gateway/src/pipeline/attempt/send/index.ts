/** One call to the provider. */
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import type { CancelSignal } from '../../../lib/cancellation.ts';
import type { JsonLimits } from '../../../lib/json/index.ts';
import type {
  UpstreamClient,
  UpstreamHeaders,
  UpstreamLimits,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../upstream/index.ts';

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

export interface SendOptions {
  readonly signal: CancelSignal;
  /** Holds an answer that is read whole. */
  readonly memory: ByteAccount;
  /** Whether the answer is relayed while it arrives. */
  isStream(response: UpstreamResponse): boolean;
}

/** Rejects with an AppError when no answer came. */
export async function send(
  port: SendPort,
  request: UpstreamRequest,
  { signal, memory, isStream }: SendOptions,
): Promise<ProviderAnswer> {
  const response = await port.client.send(request, { signal, limits: port.limits });
  if (isStream(response)) {
    await response.body.peek(0);
    return { kind: 'stream', response };
  }
  const bytes = await response.body.collect(port.maxResponseBytes, memory);
  return { kind: 'unary', status: response.status, headers: response.headers, bytes };
}

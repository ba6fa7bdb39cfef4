/** The call of a target to its provider, with the retries of the target. */
import { AppError, memoryExhausted } from '../../../errors/index.ts';
import type { OutgoingRequest } from '../../../providers/contract.ts';
import { framingOf } from '../../../providers/engine/index.ts';
import type { UpstreamRequest, UpstreamResponse } from '../../../upstream/index.ts';
import type { StreamedBody } from '../../exchange.ts';
import { isOverloaded } from '../evaluate/overload.ts';
import { isEncoded, isEventStream } from '../map/index.ts';
import type { AttemptPorts } from '../ports.ts';
import { type Prepared, sendSettings } from '../prepare/index.ts';
import { buildOutgoing } from '../request.ts';
import { type SendResult, sendWithRetries } from '../retries.ts';

/** Sends the request; later tries build theirs anew. */
export function send(ports: AttemptPorts, prepared: Prepared, first: OutgoingRequest): Promise<SendResult> {
  const { input, resolved } = prepared;
  const { body } = input.resolution;
  const streamed = body.kind === 'streamed' ? body.source : undefined;
  const { memory } = input.exchange;
  const finish = (built: OutgoingRequest): UpstreamRequest => {
    const isCopy = built.body !== undefined && !(body.kind === 'json' && built.body === body.bytes);
    if (isCopy && !memory.take(built.body.length)) throw memoryExhausted();
    return toUpstream(built, prepared, streamed);
  };
  let next: OutgoingRequest | undefined = first;
  return sendWithRetries(ports, {
    signal: input.exchange.signal,
    settings: sendSettings(prepared),
    calls: input.calls,
    memory,
    request: (signal) => {
      const built = next ?? buildOutgoing(ports, prepared, signal);
      next = undefined;
      return built instanceof Promise ? built.then(finish) : finish(built);
    },
    replayable: () => body.kind !== 'streamed' || body.source.replayable,
    isStream: (response) => isRelayed(prepared, response),
    inspect: async (response) => {
      if (!resolved.managed?.inspectStreamForOverload) return undefined;
      return (await isOverloaded(prepared.provider, response)) ? new AppError('UPSTREAM_OVERLOADED') : undefined;
    },
  });
}

/** The request as the upstream client sends it; its headers are kept for the answer. */
export function toUpstream(
  { method, origin, path, headers: given, body }: Omit<UpstreamRequest, 'hostOrigin'>,
  { resolved: { hostOrigin }, via, sent }: Prepared,
  streamed?: StreamedBody,
): UpstreamRequest {
  const length = streamed?.bytes === undefined ? undefined : { 'content-length': String(streamed.bytes) };
  const headers = { ...given, ...via, ...length };
  sent.headers = headers;
  return { method, origin, path, headers, body: streamed?.open() ?? body, hostOrigin };
}

/**
 * Streams are relayed only with status 200, and as the bytes they are: one in an encoding that was not asked for is read whole.
 * Proxied answers are relayed whenever they are good.
 */
function isRelayed({ call, endpoint }: Prepared, response: UpstreamResponse): boolean {
  if (call.endpoint === 'proxy') return response.status >= 200 && response.status <= 299;
  const rule = endpoint?.stream;
  if (!call.stream || response.status !== 200 || rule === undefined || isEncoded(response)) return false;
  return isEventStream(response) || (rule.kind === 'decode' && framingOf(rule, call) !== 'sse');
}

/** The provider's request of one try: the call in the provider's format, with its credential. */
import { memoryExhausted } from '../../errors/index.ts';
import { type CancelSignal, untilCancelled } from '../../lib/cancellation.ts';
import type { OutgoingRequest } from '../../providers/contract.ts';
import type { UpstreamRequest } from '../../upstream/index.ts';
import type { AttemptPorts } from './ports.ts';
import { clientHeaders, type Prepared, sendSettings, servicesOf } from './prepare/index.ts';
import { startDeadline } from './send/index.ts';

/** Built before the cache lookup. The request timeout covers a credential that has to be fetched for it. */
export function firstRequest(ports: AttemptPorts, prepared: Prepared): OutgoingRequest | Promise<OutgoingRequest> {
  const deadline = startDeadline(prepared.input.exchange.signal, sendSettings(prepared).requestTimeoutMs);
  let built: OutgoingRequest | Promise<OutgoingRequest> | undefined;
  try {
    built = buildOutgoing(ports, prepared, deadline.signal);
  } finally {
    if (!(built instanceof Promise)) deadline.clear();
  }
  return built instanceof Promise ? untilCancelled(built, deadline.signal).finally(deadline.clear) : built;
}

/** The requests of all tries: the one that was built first, then new ones, for tokens and signatures expire. */
export function requestsOf(
  ports: AttemptPorts,
  prepared: Prepared,
  first: OutgoingRequest,
): (signal: CancelSignal) => UpstreamRequest | Promise<UpstreamRequest> {
  const { body } = prepared.input.resolution;
  const { memory } = prepared.input.exchange;
  const finish = (built: OutgoingRequest): UpstreamRequest => {
    const isCopy = built.body !== undefined && !(body.kind === 'json' && built.body === body.bytes);
    if (isCopy && !memory.take(built.body.length)) throw memoryExhausted();
    return toUpstream(built, prepared);
  };
  let next: OutgoingRequest | undefined = first;
  return (signal) => {
    const built = next ?? buildOutgoing(ports, prepared, signal);
    next = undefined;
    return built instanceof Promise ? built.then(finish) : finish(built);
  };
}

/** The request as the upstream client sends it; its headers are kept for the answer. */
export function toUpstream(
  { method, origin, path, headers: given, body, streamed }: OutgoingRequest,
  { resolved: { hostOrigin }, via, sent }: Prepared,
): UpstreamRequest {
  const length = streamed?.bytes === undefined ? undefined : { 'content-length': String(streamed.bytes) };
  const headers = { ...given, ...via, ...length };
  sent.headers = headers;
  return { method, origin, path, headers, body: streamed?.open() ?? body, hostOrigin };
}

function buildOutgoing(
  ports: AttemptPorts,
  prepared: Prepared,
  signal: CancelSignal,
): OutgoingRequest | Promise<OutgoingRequest> {
  const { input, operation, forwarded } = prepared;
  const { exchange, caller, resolution } = input;
  return operation.handler.buildRequest(prepared, {
    forwarded,
    services: servicesOf(ports, prepared),
    signal,
    method: exchange.request.method,
    body: resolution.body,
    clientHeaders: () => clientHeaders({ ...exchange, caller }),
  });
}

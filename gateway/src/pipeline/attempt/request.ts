/** The provider's request of one try: the call in the provider's format, with its credential. */
import { writeJson } from '../../lib/json/index.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { Call, OutgoingRequest } from '../../providers/contract.ts';
import { buildProxyRequest, buildRequest } from '../../providers/engine/index.ts';
import type { AttemptPorts } from './ports.ts';
import { clientHeaders, type Prepared, sendSettings, servicesOf } from './prepare/index.ts';
import { startDeadline } from './send/deadline.ts';

/** Built before the cache lookup. The request timeout covers a credential that has to be fetched for it. */
export function firstRequest(ports: AttemptPorts, prepared: Prepared): OutgoingRequest | Promise<OutgoingRequest> {
  const deadline = startDeadline(prepared.input.exchange.signal, sendSettings(prepared).requestTimeoutMs);
  let built: OutgoingRequest | Promise<OutgoingRequest> | undefined;
  try {
    built = buildOutgoing(ports, prepared, deadline.signal);
  } finally {
    if (!(built instanceof Promise)) deadline.clear();
  }
  return built instanceof Promise ? untilAborted(built, deadline.signal).finally(deadline.clear) : built;
}

/** Built anew for each retry: tokens and signatures expire. */
export function buildOutgoing(
  ports: AttemptPorts,
  { input, resolved, call, forwarded }: Prepared,
  signal: AbortSignal,
): OutgoingRequest | Promise<OutgoingRequest> {
  const { exchange, resolution } = input;
  const context = { forwarded, services: servicesOf(ports, { input, resolved }), signal };
  const { body } = resolution;
  if (exchange.operation.id !== 'proxy') {
    const rawBody = body.kind === 'json' && body.value === call.params ? body.bytes : undefined;
    return buildRequest(resolved.target, call, { ...context, rawBody });
  }
  const bytes = body.kind === 'json' ? jsonBytes(body, call) : undefined;
  return buildProxyRequest(resolved.target, call, {
    ...context,
    method: exchange.request.method,
    headers: clientHeaders({ ...exchange, caller: input.caller }),
    body: bytes,
  });
}

const jsonBytes = (body: { readonly bytes: Buffer; readonly value: object }, call: Call): Buffer =>
  body.value === call.params ? body.bytes : writeJson(call.params);

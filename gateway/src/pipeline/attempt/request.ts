/** The provider's request of one try: the call in the provider's format, with its credential. */
import { VIA_HEADER } from '@gatehouse/crds/hosts';
import { memoryExhausted } from '../../errors/index.ts';
import { type CancelSignal, untilCancelled } from '../../lib/cancellation.ts';
import type { OutgoingRequest, ProviderServices, Upload } from '../../providers/contract.ts';
import type { UpstreamRequest } from '../../upstream/index.ts';
import { withModel } from '../../wire/form/index.ts';
import { ownFormModelOf, type RequestBody, uploadOf } from '../exchange.ts';
import type { RequestParts } from '../operations/index.ts';
import { givesSecret } from './cache.ts';
import type { AttemptPorts } from './ports.ts';
import { clientHeaders, type Prepared, servicesOf } from './prepare/index.ts';
import { startDeadline } from './send/index.ts';

/** Built before the cache lookup. The request timeout covers a credential that has to be fetched for it. */
export function firstRequest(ports: AttemptPorts, prepared: Prepared): OutgoingRequest | Promise<OutgoingRequest> {
  const deadline = startDeadline(prepared.input.exchange.signal, prepared.settings.requestTimeoutMs);
  let built: OutgoingRequest | Promise<OutgoingRequest> | undefined;
  try {
    built = buildRequest(ports, prepared, deadline.signal);
  } finally {
    if (!(built instanceof Promise)) deadline.clear();
  }
  return built instanceof Promise ? untilCancelled(built, deadline.signal).finally(deadline.clear) : built;
}

export function buildRequest(
  ports: AttemptPorts,
  prepared: Prepared,
  signal: CancelSignal,
): OutgoingRequest | Promise<OutgoingRequest> {
  return prepared.operation.handler.buildRequest(prepared, new Parts(ports, prepared, signal));
}

/** What a request is built from; most handlers need little of it. */
class Parts implements RequestParts {
  readonly #ports: AttemptPorts;
  readonly #prepared: Prepared;
  readonly signal: CancelSignal;
  #upload: Upload | undefined;

  constructor(ports: AttemptPorts, prepared: Prepared, signal: CancelSignal) {
    this.#ports = ports;
    this.#prepared = prepared;
    this.signal = signal;
  }

  get forwarded(): Readonly<Record<string, string>> {
    return this.#prepared.forwarded;
  }

  get services(): ProviderServices {
    return servicesOf(this.#ports, this.#prepared);
  }

  get method(): string {
    return this.#prepared.input.exchange.request.method;
  }

  get body(): RequestBody {
    return this.#prepared.input.resolution.body;
  }

  get rawBody(): Buffer | undefined {
    const { body } = this;
    return body.kind === 'json' && body.value === this.#prepared.call.params ? body.bytes : undefined;
  }

  get given(): Buffer | undefined {
    const { body } = this;
    return body.kind === 'json' ? body.bytes : undefined;
  }

  get upload(): Upload | undefined {
    this.#upload ??= this.#uploadToSend();
    return this.#upload;
  }

  #uploadToSend(): Upload | undefined {
    const { resolution, resolved } = this.#prepared;
    const { body, formModel } = resolution;
    if (body.kind !== 'form') return uploadOf(body);
    // What was checked is what is sent: nothing in the form's own words.
    const isChecked = resolved.managed?.models !== undefined && ownFormModelOf(resolution) !== '';
    return formModel === undefined && !isChecked ? body : withModel(body, ownFormModelOf(resolution));
  }

  clientHeaders(): Readonly<Record<string, string>> {
    const { exchange, caller } = this.#prepared.input;
    return clientHeaders({ request: exchange.request, snapshot: exchange.snapshot, caller });
  }
}

/** As `toUpstream`; the memory of the request holds a body that is not the client's own. Throws MEMORY_EXHAUSTED. */
export function toHeldUpstream(built: OutgoingRequest, prepared: Prepared): UpstreamRequest {
  const { exchange, resolution } = prepared.input;
  const { body } = resolution;
  const isCopy = built.body !== undefined && !(body.kind === 'json' && built.body === body.bytes);
  if (isCopy && !exchange.memory.take(built.body.length)) throw memoryExhausted();
  return toUpstream(built, prepared);
}

/** The request as the upstream client sends it; its headers are kept for the answer. */
export function toUpstream(
  { method, origin, path, headers, body, streamed }: OutgoingRequest,
  { operation, resolved: { hostOrigin }, via, span, sent, captured }: Prepared,
): UpstreamRequest {
  if (via !== undefined) headers[VIA_HEADER] = via;
  if (span?.headers !== undefined) Object.assign(headers, span.headers);
  if (streamed?.bytes !== undefined) headers['content-length'] = String(streamed.bytes);
  sent.headers = headers;
  sent.origin = origin;
  if (captured !== undefined && givesSecret({ operation }, { path })) captured.seal();
  captured?.sends({ headers, body });
  return { method, origin, path, headers, body: streamed?.open() ?? body, hostOrigin };
}
